"""Common words are looked up only where rarer ones are; what comes back is nearly what a full search gives."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from gnomon.store import open_store, words, words_arm
from gnomon.store.base import Selection, Store
from gnomon.store.words import postings_budget, split
from gnomon.values import WordQuery
from tests.contract.store.builders import EVERYTHING, FINGERPRINT, write


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """600 chunks: "common" in all, "often" in half, "w<n>" in a few each; too many for memory."""
    monkeypatch.setattr(words_arm, "MAX_RESIDENT_CHUNKS", 0)
    rng = random.Random(3)
    with open_store("sqlite", tmp_path / "index.db", fingerprint=FINGERPRINT, writable=True) as opened:
        texts = [
            f"common {'often ' * (n % 2)}w{n % 40} {' '.join(f'x{rng.randrange(50)}' for _ in range(n % 7))}"
            for n in range(600)
        ]
        opened.write([write(f"f{n}", *texts[n : n + 10]) for n in range(0, 600, 10)])
        yield opened


def test_rare_words_are_those_within_the_budget() -> None:
    """Rarest first; words without rows are in neither part."""
    counts = {"common": 5_000, "rare": 10, "none": 0, "some": 80, "more": 50}
    assert split(counts, enough=20, budget=100) == (["rare", "more"], ["some", "common"])


def test_words_join_until_there_are_enough_rows() -> None:
    """One rare word does not hide that nothing else was looked at."""
    assert split({"rare": 3, "common": 5_000, "commoner": 6_000}, enough=20, budget=100) == (
        ["rare", "common"],
        ["commoner"],
    )
    assert split({"common": 5_000}, enough=20, budget=100) == (["common"], [])
    assert split({}, enough=20, budget=100) == ([], [])


def test_budget_is_ample_where_later_questions_score_all_rows() -> None:
    """And bounded in larger corpora, where it grows with them."""
    assert [postings_budget(chunks) for chunks in (0, 250_000, 400_000, 10**7)] == [40_000, 40_000, 10_000, 15_000]


@pytest.mark.parametrize("query", [("w3", "w7", "common", "often"), ("x4", "common"), ("w1", "x2", "often")])
def test_scores_are_those_of_the_whole_query(
    store: Store, monkeypatch: pytest.MonkeyPatch, query: tuple[str, ...]
) -> None:
    """Rows that hold a rare word have the score and the order that a full search gives them."""
    full = store.search_words(WordQuery(query), limit=10, selection=EVERYTHING)
    monkeypatch.setattr(words, "_POSTINGS_OF_FIRST", 40)
    pruned = store.search_words(WordQuery(query), limit=10, selection=EVERYTHING)
    assert [number for number, _ in pruned] == [number for number, _ in full]
    assert [score for _, score in pruned] == pytest.approx([score for _, score in full])


def test_selection_that_rare_words_miss_is_still_searched(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scoped search finds common words too, and words that must not occur take nothing else away."""
    monkeypatch.setattr(words, "_POSTINGS_OF_FIRST", 10)
    monkeypatch.setattr(words, "_ENOUGH_ROWS", 10)
    query = WordQuery(("w3", "common"))
    holding = {number for number, _ in store.search_words(WordQuery(("w3",)), limit=600, selection=EVERYTHING)}
    elsewhere = next(d.id for d in store.documents() if not holding & {c.id for c in store.document_chunks(d.id)})
    found = store.search_words(query, limit=50, selection=Selection(only=frozenset([elsewhere])))
    assert len(found) == 10
    without = store.search_words(WordQuery(("w3", "common"), none_of=("w3",)), limit=600, selection=EVERYTHING)
    assert len(without) == 600 - len(holding)


def test_words_that_must_occur_are_never_left_out(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """However common they are."""
    monkeypatch.setattr(words, "_POSTINGS_OF_FIRST", 10)
    query = WordQuery(("w3", "common"), all_of=("often",))
    assert len(store.search_words(query, limit=600, selection=EVERYTHING)) == 300
