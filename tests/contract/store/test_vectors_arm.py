"""The vectors arm: exact cosines over the stored precision, filters before the cut, vectors reused by content."""

from __future__ import annotations

import numpy as np
import pytest

from gnomon.store.base import DocumentWrite, Selection, Store, text_key
from gnomon.values import Chunk, ChunkWords, Span
from tests.contract.store.builders import (
    DIM,
    EVERYTHING,
    FOLDER,
    document,
    embed_all,
    ids_of,
    nearest_texts,
    vector,
    write,
)
from tests.contract.store.conftest import Opener


def fill(store: Store, count: int, per_document: int = 5) -> list[str]:
    """Documents with that many chunks of different texts in all, embedded."""
    texts = [f"text number {n}" for n in range(count)]
    store.write(
        [write(f"f{n:04}.md", *texts[n : n + per_document]) for n in range(0, count, per_document)],
    )
    embed_all(store)
    return texts


def brute_force(texts: list[str], question: str) -> list[tuple[float, str]]:
    """(cosine, text) over float16, best first."""
    halves = np.stack([vector(text) for text in texts]).astype(np.float16).astype(np.float64)
    cosines = halves @ vector(question).astype(np.float64) / np.linalg.norm(halves, axis=1)
    return sorted(zip(cosines.tolist(), texts, strict=True), reverse=True)


@pytest.mark.parametrize("question", [f"question {n}" for n in range(8)])
def test_ten_best_equal_brute_force(store: Store, question: str) -> None:
    """Cold and warm, over several pages."""
    texts = fill(store, 1_500, 50)
    expected = brute_force(texts, question)[:10]
    for _ in range(2):
        hits = store.search_vectors(vector(question), limit=10, selection=EVERYTHING)
        found = [stored.chunk.text for stored in store.chunks([number for number, _ in hits])]
        assert found == [text for _, text in expected]
        assert [cosine for _, cosine in hits] == pytest.approx([cosine for cosine, _ in expected], abs=1e-5)


def test_close_vectors_are_told_apart(store: Store) -> None:
    """Candidates that 8 bits cannot order come in the order of their float16 cosines."""
    texts = [f"text {n}" for n in range(400)]
    store.write([write("a.md", *texts)])
    centre = vector("centre")
    rows = np.stack([centre + 0.02 * vector(text) for text in texts])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    store.put_vectors([text_key(text) for text in texts], rows.astype(np.float32))
    cosines = rows.astype(np.float16).astype(np.float64) @ centre
    hits = store.search_vectors(centre, limit=10, selection=EVERYTHING)
    assert [cosine for _, cosine in hits] == pytest.approx(np.sort(cosines)[::-1][:10].tolist(), abs=2e-4)


def test_selection_comes_before_the_cut(store: Store) -> None:
    """Only and without, few and many, cold and warm."""
    texts = fill(store, 600)
    question = texts[3]
    for _ in range(3):
        scoped = nearest_texts(store, question, selection=Selection(only=ids_of(store, ["f0100.md"])), limit=3)
        assert set(scoped) <= set(texts[100:105])
        assert len(scoped) == 3
        without = nearest_texts(store, question, selection=Selection(without=ids_of(store, ["f0000.md"])), limit=600)
        assert set(without) == set(texts[5:])
        most = frozenset(each.id for each in store.documents()) - ids_of(store, ["f0000.md"])
        assert set(nearest_texts(store, question, selection=Selection(only=most), limit=600)) == set(texts[5:])
        many = ids_of(store, ["f0000.md"]) | frozenset(range(10**6, 10**6 + 300_000))
        assert set(nearest_texts(store, question, selection=Selection(only=many), limit=600)) == set(texts[:5])


def test_equal_texts_tie_by_id(store: Store) -> None:
    """However many copies there are, the answer is the same each time."""
    store.write([write(f"f{n:03}.md", "the licence") for n in range(600)])
    embed_all(store)
    ids = sorted(stored.id for each in store.documents() for stored in store.document_chunks(each.id))
    hits = store.search_vectors(vector("the licence"), limit=10, selection=EVERYTHING)
    assert [number for number, _ in hits] == ids[:10]
    assert [cosine for _, cosine in hits] == pytest.approx([1.0] * 10, abs=1e-4)


def test_cosines_of_chosen_chunks(store: Store) -> None:
    """The same figures as the search gives; chunks without a vector are absent."""
    fill(store, 20)
    hits = dict(store.search_vectors(vector("q"), limit=20, selection=EVERYTHING))
    store.write([write("late.md", "no vector yet")])
    late = store.document_chunks(next(iter(ids_of(store, ["late.md"]))))[0].id
    assert store.cosines(vector("q"), [*hits, late, 1 << 50]) == pytest.approx(hits)
    assert store.cosines(vector("q"), []) == {}


def test_index_without_vectors_finds_nothing(store: Store) -> None:
    """An empty index, and one whose vectors have not come yet."""
    assert store.search_vectors(vector("q"), limit=5, selection=EVERYTHING) == []
    store.write([write("a.md", "text")])
    assert store.search_vectors(vector("q"), limit=5, selection=EVERYTHING) == []
    assert store.search_vectors(vector("q"), limit=0, selection=EVERYTHING) == []


def test_vector_of_another_length_is_refused(store: Store) -> None:
    """Nothing is mixed, neither asking nor storing; numbers must be finite."""
    store.write([write("a.md", "text")])
    with pytest.raises(ValueError, match=str(DIM)):
        store.search_vectors(np.ones(DIM + 1, np.float32), limit=5, selection=EVERYTHING)
    with pytest.raises(ValueError, match=str(DIM)):
        store.put_vectors([b"k" * 16], np.ones((1, DIM + 1), np.float32))
    with pytest.raises(ValueError, match="finite"):
        store.put_vectors([b"k" * 16], np.full((1, DIM), np.nan, np.float32))
    assert store.status().vectors_missing == 1


def test_long_lived_reader_sees_vectors_come_change_and_go(store: Store, open_index: Opener) -> None:
    """Pages in memory are never older than the last commit."""
    reader = open_index(writable=False)
    for n in range(4):
        store.write([write(f"f{n}.md", *(f"text {n} {i}" for i in range(200)))])
        embed_all(store)
        assert nearest_texts(reader, f"text {n} 7")[0] == f"text {n} 7"
    store.write([write("f1.md", "something else")])
    store.forget(FOLDER, ["f2.md", "f3.md"])
    assert not {text for text in nearest_texts(reader, "text 2 7", limit=900) if text.startswith(("text 1", "text 2"))}
    assert len(nearest_texts(reader, "q", limit=900)) == 200
    store.optimize()
    assert len(nearest_texts(reader, "q", limit=900)) == 200


# -- reuse by content
def test_known_text_needs_no_new_vector(store: Store) -> None:
    """Renames, copies and texts that moved within a file are embedded once."""
    store.write([write("a.md", "one", "two")])
    assert embed_all(store) == 2
    assert store.write([write("copy.md", "one", "two", "three")]) == 2
    assert [text for _, text in store.pending(limit=10)] == ["three"]
    store.forget(FOLDER, ["a.md"])
    assert store.write([write("renamed.md", "two", "one")]) == 2
    assert nearest_texts(store, "one")[0] == "one"


def test_text_that_comes_back_is_not_embedded_again(store: Store, open_index: Opener) -> None:
    """A branch switched away and back, also in another process."""
    store.write([write("a.md", "branch one"), write("b.md", "stays")])
    embed_all(store)
    store.write([write("a.md", "branch two")])
    embed_all(store)
    assert store.status().vectors_cached == 1
    other = open_index()
    assert other.write([write("a.md", "branch one")]) == 1
    assert other.pending(limit=10) == []
    assert nearest_texts(other, "branch one")[0] == "branch one"


def test_kept_vectors_never_displace_live_ones(store: Store) -> None:
    """Texts that no chunk has take no place among the best."""
    store.write([write("gone.md", *(f"needle {n}" for n in range(500)))])
    embed_all(store)
    store.write([write("gone.md", "hay"), write("live.md", "straw")])
    embed_all(store)
    assert sorted(nearest_texts(store, "needle 1", limit=5)) == ["hay", "straw"]


def test_vectors_for_unknown_texts_are_kept_for_later(store: Store) -> None:
    """They may come from another clone of the same project."""
    store.put_vectors([text_key("later")], vector("later")[None])
    assert store.status().vectors_cached == 1
    assert store.write([write("a.md", "later")]) == 1


def test_vector_key_is_the_embedded_text(store: Store) -> None:
    """Context and the text for the embedder make the key, not the passage alone."""
    chunks = [
        Chunk(0, Span(0, 4), 1, 1, "same", context="one"),
        Chunk(1, Span(4, 8), 2, 2, "same", context="two"),
        Chunk(2, Span(8, 12), 3, 3, "more", embed_text="same"),
        Chunk(3, Span(12, 16), 4, 4, "same"),
    ]
    store.write([DocumentWrite(document("a.md"), chunks, [ChunkWords(("x",))] * 4)])
    assert store.pending(limit=9) == [(text_key(text), text) for text in ("one\nsame", "two\nsame", "same")]


def test_pending_gives_the_newest_documents_first_each_text_once(store: Store) -> None:
    """What was worked on last becomes searchable by meaning first."""
    store.write([write("old.md", "o1", "dup", mtime_ns=10), write("new.md", "n1", "dup", mtime_ns=30)])
    store.write([write("mid.md", "m1", mtime_ns=20)])
    assert [text for _, text in store.pending(limit=3)] == ["n1", "dup", "m1"]
    assert [text for _, text in store.pending(limit=9)] == ["n1", "dup", "m1", "o1"]
    store.put_vectors([text_key("dup")], vector("dup")[None])
    assert [text for _, text in store.pending(limit=9)] == ["n1", "m1", "o1"]
    assert store.status().vectors_missing == 3


def test_forgetting_a_folder_keeps_shared_vectors(store: Store) -> None:
    """A worktree that goes takes nothing from its sibling."""
    store.write([write("a.md", "shared", folder="/w/one"), write("a.md", "shared", folder="/w/two")])
    assert embed_all(store) == 1
    store.forget_folder("/w/one")
    assert nearest_texts(store, "shared") == ["shared"]
    assert store.status().vectors_cached == 0


def test_vectors_are_read_back_by_text(store: Store) -> None:
    """In use or only kept, as float16; texts without one are absent."""
    store.write([write("a.md", "used", "gone", "used"), write("b.md", "waiting")])
    keys = {text: text_key(text) for text in ("used", "gone", "waiting", "unknown")}
    store.put_vectors([keys["used"], keys["gone"]], np.stack([vector("used"), vector("gone")]))
    store.write([write("a.md", "used")])
    found = store.vectors_of(list(keys.values()))
    assert found.keys() == {keys["used"], keys["gone"]}
    for text in ("used", "gone"):
        assert found[keys[text]].tolist() == vector(text).astype(np.float16).tolist()
    assert store.vectors_of([]) == {}
