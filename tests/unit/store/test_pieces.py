"""A write adds pieces to the words index; whoever wrote them puts them together when nobody waits for it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gnomon.store.base import Store
from gnomon.store.sqlite import SqliteStore
from gnomon.store.tidying import merges_due
from tests.contract.store.builders import found_texts, open_sqlite, write
from tests.unit.store.invariants import assert_consistent

WRITES = 8


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed index of one document."""
    path = tmp_path / "index.db"
    with open_sqlite(path) as store:
        store.write([write("first.md", "heron")])
    return path


def pieces(path: Path) -> int:
    """How many there are, on all levels."""
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(DISTINCT segid) FROM words_idx").fetchone()[0])


def kill(store: Store) -> None:
    """Leave the file as a process does that is killed before it closes the index."""
    assert isinstance(store, SqliteStore)
    store._connections.close()


def test_closing_puts_the_pieces_of_all_writes_together(path: Path) -> None:
    """Until then each write leaves its own, and all are searched."""
    with open_sqlite(path) as store:
        for number in range(WRITES):
            store.write([write(f"{number}.md", f"heron {number}")])
        assert pieces(path) == 1 + WRITES
        assert len(found_texts(store, "heron")) == 1 + WRITES
    assert pieces(path) == 1
    assert_consistent(path)


def test_index_whose_commits_merged_does_so_no_more(path: Path) -> None:
    """As of an earlier version, or of a program that set it."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO words (words, rank) VALUES ('automerge', 4)")
    with open_sqlite(path) as store:
        for number in range(WRITES):
            store.write([write(f"{number}.md", "otter")])
        assert pieces(path) == 1 + WRITES


def test_pieces_of_a_writer_that_was_killed_are_put_together_by_the_next(path: Path) -> None:
    """What it wrote stays found meanwhile."""
    killed = open_sqlite(path)
    for number in range(WRITES):
        killed.write([write(f"{number}.md", "otter")])
    kill(killed)
    with open_sqlite(path, writable=False) as reader:
        assert len(found_texts(reader, "otter")) == WRITES
    with open_sqlite(path) as store:
        store.write([write("last.md", "otter")])
    assert pieces(path) == 1


def test_pieces_are_few_however_long_a_writer_stays_open(path: Path) -> None:
    """A watch over a folder writes for days."""
    with open_sqlite(path) as store:
        most = 0
        for number in range(150):
            store.write([write(f"{number % 3}.md", f"reed {number}")])
            most = max(most, pieces(path))
        assert WRITES < most <= 64
        assert set(found_texts(store, "reed")) == {"reed 147", "reed 148", "reed 149"}
        assert store.document_frequencies(["reed", "147", "146"]) == {"reed": 3, "147": 1, "146": 0}


def test_closing_does_not_mind_that_the_index_is_gone(path: Path) -> None:
    """Somebody may have deleted it; what was asked for was done before."""
    with open_sqlite(path) as store:
        store.write([write("second.md", "otter")])
        path.unlink()
    assert not path.exists()


def test_store_that_wrote_nothing_closes_without_writing(path: Path) -> None:
    """Looking into an index changes no byte of it."""
    before = path.read_bytes()
    with open_sqlite(path) as store:
        assert found_texts(store, "heron") == ["heron"]
    assert path.read_bytes() == before


def test_merging_at_closing_is_in_proportion_to_what_was_written() -> None:
    """Who changes one file does not wait for the merging of a million passages."""
    assert merges_due(1) == 1
    assert merges_due(20_000) <= 30
    assert merges_due(1_000_000) > 400  # all of the index, about 130,000 pages, more than three times
