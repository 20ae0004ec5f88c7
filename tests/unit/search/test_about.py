"""Tests of reading a passage in the light of its document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pytest

from gnomon.search import SearchOptions, load_candidates, search
from gnomon.search.about import DOCUMENT_SHARE, in_their_documents
from gnomon.search.candidate import Candidate, Evidence
from gnomon.search.retrieve import Retrieved
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.store import FakeStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AddFile = Callable[..., int]

_QUESTION = "session refresh"


def _candidates(store: FakeStore, embedder: FakeEmbedder) -> list[Candidate]:
    """The first passage of each document, with its cosine."""
    firsts = [store.document_chunks(each.id)[0].id for each in store.documents()]
    cosines = store.cosines(embedder.embed_query(_QUESTION), firsts)
    return load_candidates(Retrieved(evidence={each: Evidence(cosine=cosines[each]) for each in firsts}), store)


def _leaning(store: FakeStore, embedder: FakeEmbedder, candidates: Sequence[Candidate]) -> dict[int, Evidence]:
    fused = {each.stored.id: each.evidence.cosine or 0.0 for each in candidates}
    return in_their_documents(candidates, fused, embedder.embed_query(_QUESTION), store)


def test_of_equal_passages_the_one_in_a_document_about_it_comes_first(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile
) -> None:
    """Without the layer they tie, and the first written is first."""
    add("a.md", "the session refresh", "payment terms of invoices", "delivery by boat and train")
    add("b.md", "the session refresh", "each session ends", "a refresh renews the session")
    options = SearchOptions(k=2, per_file=1)
    bare = search(_QUESTION, store=store, embedder=embedder, options=SearchOptions(k=2, per_file=1, layer=False))
    assert bare.hits[0].path == "a.md"
    (first, second) = search(_QUESTION, store=store, embedder=embedder, options=options).hits
    assert first.path == "b.md"
    assert [name for name, _ in second.evidence.boosts] == ["what its document is about"]
    assert first.cosine == second.cosine, "thresholds judge the passage alone"


def test_passages_lean_by_their_share_around_a_middle_of_zero(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile
) -> None:
    """So prose is neither raised nor lowered as such."""
    add("a.md", "session refresh", "session refresh")
    add("b.md", "session refresh", "payment terms")
    candidates = _candidates(store, embedder)
    leaning = _leaning(store, embedder, candidates)
    moves = [leaning[each.stored.id].cosine - each.evidence.cosine for each in candidates]  # type: ignore[operator]
    assert sum(moves) == pytest.approx(0.0, abs=1e-6)
    second = store.document_chunks(candidates[1].stored.document_id)
    cosines = store.cosines(embedder.embed_query(_QUESTION), [stored.id for stored in second])
    gap = sum(cosines.values()) / 2 - candidates[1].evidence.cosine  # type: ignore[operator]
    assert moves[0] - moves[1] == pytest.approx(-DOCUMENT_SHARE * gap, abs=1e-6)


@pytest.mark.parametrize("paths", [("a.py", "b.py"), ("a.md", "b.py"), ("a.md",)])
def test_there_is_nothing_to_compare_below_two_documents_of_prose(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile, paths: tuple[str, ...]
) -> None:
    """Source files have names, folders and other passages that say it better."""
    for path in paths:
        add(path, "session refresh", "payment terms")
    assert _leaning(store, embedder, _candidates(store, embedder)) == {}


def test_a_long_document_is_sampled(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A book costs no more than an article."""
    add("book.md", *(f"chapter {number} on sessions" for number in range(100)))
    add("note.md", "session refresh")
    candidates = _candidates(store, embedder)
    asked: list[int] = []

    def cosines(vector: NDArray[np.float32], ids: Sequence[int]) -> dict[int, float]:
        asked.extend(ids)
        return FakeStore.cosines(store, vector, ids)

    monkeypatch.setattr(store, "cosines", cosines)
    assert len(_leaning(store, embedder, candidates)) == 2
    assert len(asked) == 8 + 1


def test_documents_without_vectors_are_left_out(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """While vectors are still being made, nothing leans."""
    add("a.md", "session refresh")
    add("b.md", "session refresh too", vectors=False)
    (known, late) = store.documents()
    ids = [store.document_chunks(each.id)[0].id for each in (known, late)]
    evidence = {ids[0]: Evidence(cosine=0.5), ids[1]: Evidence(bm25=1.0)}
    assert _leaning(store, embedder, load_candidates(Retrieved(evidence=evidence), store)) == {}
