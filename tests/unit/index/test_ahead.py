"""Vectors that come while files are read: fewer are left for later, and a failure is met again where it is told."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gnomon.errors import ModelError
from gnomon.index.ahead import Ahead, AheadOptions, embedding_ahead
from gnomon.store import open_store
from gnomon.store.base import Store
from tests.contract.store.builders import FINGERPRINT, write
from tests.fakes.embedder import FAKE_SPEC, FakeEmbedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TEXTS = [f"passage {number}" for number in range(40)]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An index of forty passages without vectors."""
    store = open_store(
        "sqlite", tmp_path / "index.db", fingerprint=replace(FINGERPRINT, dim=FAKE_SPEC.dim), writable=True
    )
    store.write([write(f"{at}.md", *TEXTS[at : at + 10]) for at in range(0, 40, 10)])
    return store


class _Gate(FakeEmbedder):
    """Lets a number of calls through, then says so and waits."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self.calls = calls
        self.reached = threading.Event()
        self.go_on = threading.Event()

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls -= 1
        if self.calls < 0:
            self.reached.set()
            assert self.go_on.wait(30)
        return super().embed_passages(texts)


def _finished(ahead: Ahead, store: Store) -> None:
    for _ in range(3000):
        if not store.status().vectors_missing:
            return
        threading.Event().wait(0.01)
    raise AssertionError("nothing more is embedded")


@pytest.mark.parametrize("options", [AheadOptions(1, 1), AheadOptions(2, 1), AheadOptions(2, 7)])
def test_everything_that_waits_is_embedded_once(store: Store, options: AheadOptions) -> None:
    """In any number of threads and slices."""
    embedder = FakeEmbedder()
    with embedding_ahead(store, embedder, options, bool) as ahead:
        assert ahead
        ahead.wake()
        _finished(ahead, store)
    assert sorted(embedder.passages_embedded) == sorted(TEXTS)
    assert ahead.done == len(TEXTS)


def test_closing_keeps_what_was_embedded(store: Store) -> None:
    """And begins nothing new."""
    gate = _Gate(calls=5)
    ahead = Ahead(store, gate, AheadOptions(1, 1), bool)
    ahead.wake()
    assert gate.reached.wait(30)
    ahead._closing.set()
    gate.go_on.set()
    ahead.close()
    assert ahead.done == 6
    assert store.status().vectors_missing == len(TEXTS) - 6


def test_failure_ends_it_without_noise(store: Store) -> None:
    """The run meets the failure again when all words are stored."""
    embedder = FakeEmbedder(failure="the model is gone")
    with embedding_ahead(store, embedder, AheadOptions(1, 1), bool) as ahead:
        assert ahead
        ahead.wake()
        ahead._thread.join(30)
        assert not ahead._thread.is_alive()
    with pytest.raises(ModelError):
        embedder.embed_passages(["x"])


def test_no_workers_embed_nothing(store: Store) -> None:
    """One core has nothing to spare."""
    with embedding_ahead(store, FakeEmbedder(), AheadOptions(), bool) as ahead:
        assert ahead is None


def test_the_interpreter_is_as_before_afterwards(store: Store) -> None:
    """Threads change places more often only while files are read."""
    before = sys.getswitchinterval()
    with embedding_ahead(store, FakeEmbedder(), AheadOptions(1, 1), bool):
        assert sys.getswitchinterval() < before
    assert sys.getswitchinterval() == before
