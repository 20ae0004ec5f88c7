"""Refusing what a corpus cannot answer, with the real model: the floor of the benchmark."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from benchmarks.refusal.run import F1_WANTED, MOST_LOSS, Asked, ask_code, ask_documents, best_within, score
from gnomon.search.refusal import SUGGESTED_MIN_CONFIDENCE

pytestmark = [pytest.mark.model, pytest.mark.slow]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("ask", [ask_documents, ask_code])
def test_refusal_keeps_its_floor_at_the_suggested_confidence(ask: Callable[[], Iterable[Asked]]) -> None:
    """F1 of refusing at least 0.85 for at most 5 % of the answerable questions, and better than a plain cosine."""
    asked = list(ask())
    confidence = score(asked, SUGGESTED_MIN_CONFIDENCE, "confidence")
    assert confidence.loss <= MOST_LOSS
    assert confidence.f1 >= F1_WANTED
    assert confidence.f1 > best_within(asked, "cosine").f1
