"""Fixtures shared by the unit tests of several parts."""

from __future__ import annotations

import pytest

from gnomon.corpus import Corpus
from tests.fakes.embedder import FakeEmbedder


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> FakeEmbedder:
    """What every corpus of the test embeds with."""
    fake = FakeEmbedder()
    monkeypatch.setattr(Corpus, "embedder", property(lambda _: fake))
    return fake
