"""What is read within a snapshot is of one generation, whatever others write meanwhile."""

from __future__ import annotations

from threading import Thread

import pytest

from gnomon.errors import StoreError
from gnomon.store.base import Store
from gnomon.values import WordQuery
from tests.contract.store.builders import EVERYTHING, FOLDER, embed_all, vector, write
from tests.contract.store.conftest import Opener


def test_a_snapshot_does_not_see_what_is_written_meanwhile(open_index: Opener) -> None:
    """Words, vectors, documents and generation stay those of its beginning; afterwards all is new."""
    writer, reader = open_index(), open_index(writable=False)
    writer.write([write("a.md", "old text")])
    embed_all(writer)
    with reader.snapshot():
        before = reader.generation
        writer.write([write("a.md", "new words"), write("b.md", "old text again")])
        embed_all(writer)
        assert reader.generation == before
        (number, _), *others = reader.search_words(WordQuery(("old",)), limit=9, selection=EVERYTHING)
        assert not others
        near = reader.search_vectors(vector("old text"), limit=9, selection=EVERYTHING)
        assert [chunk for chunk, _ in near] == [number]
        assert [stored.chunk.text for stored in reader.chunks([number])] == ["old text"]
        assert [each.document.path for each in reader.documents()] == ["a.md"]
    assert reader.generation > before
    assert len(reader.documents()) == 2


def test_a_snapshot_after_newer_answers_gives_its_own(open_index: Opener) -> None:
    """Vectors that another thread read of a later generation are not mixed into an earlier one."""
    writer, reader = open_index(), open_index(writable=False)
    writer.write([write("a.md", "first", "second")])
    embed_all(writer)
    for _ in range(2):  # what is kept in memory is kept by now
        reader.search_vectors(vector("first"), limit=1, selection=EVERYTHING)
    with reader.snapshot():
        own = reader.search_vectors(vector("first"), limit=9, selection=EVERYTHING)
        writer.forget(FOLDER, ["a.md"])
        writer.write([write("b.md", "third")])
        embed_all(writer)
        newer: list[tuple[int, float]] = []
        ask = Thread(target=lambda: newer.extend(reader.search_vectors(vector("third"), limit=9, selection=EVERYTHING)))
        ask.start()
        ask.join()
        assert len(newer) == 1
        assert reader.search_vectors(vector("first"), limit=9, selection=EVERYTHING) == own
        assert reader.cosines(vector("first"), [number for number, _ in own]) == pytest.approx(dict(own))


def test_snapshots_nest(store: Store) -> None:
    """The inner one is the outer one; after both the index can be written and read."""
    store.write([write("a.md", "text")])
    with store.snapshot():
        with store.snapshot():
            assert len(store.documents()) == 1
        assert len(store.documents()) == 1
    store.write([write("b.md", "text")])
    assert len(store.documents()) == 2


def test_an_error_ends_a_snapshot(store: Store) -> None:
    """What is read after it is new."""
    store.write([write("a.md", "text")])
    with pytest.raises(StoreError, match="no longer in the index"), store.snapshot():
        store.document(4_711)
    store.write([write("b.md", "text")])
    assert len(store.documents()) == 2
