"""A transaction removes, then makes rows, then writes them: the outcome is that of one document after the other."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from gnomon.errors import StoreError
from gnomon.store import writing
from gnomon.store.base import SkipWrite
from gnomon.values import ChunkWords, Skip, SkipReason
from tests.contract.store.builders import FOLDER, embed_all, found_texts, nearest_texts, open_sqlite, write
from tests.unit.store.invariants import assert_consistent

ODD_WORDS = [
    'say "no"',
    "back\\slash",
    "tab\there",
    "naïve",
    "水獺",
    "🦦🦦",
    "\x00nul",
    "\ud800lone",
    "\u2028line",
    "{[,]}",
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed index of twelve documents of two passages each, with vectors."""
    path = tmp_path / "index.db"
    with open_sqlite(path) as store:
        store.write([write(f"{n}.md", f"heron {n}", f"reed {n}") for n in range(12)])
        embed_all(store)
    return path


@pytest.mark.parametrize("held", [0, 1, 5, 7, 1000])
def test_batch_is_one_whatever_is_held_back_of_it(path: Path, held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents that come twice, or go as they came, count once however often rows are written in between."""
    monkeypatch.setattr(writing, "_MAX_ROWS_HELD", held)
    skip = SkipWrite(FOLDER, Skip("3.md", SkipReason.TOO_LARGE, ""), 1, 2, 3, "")
    batch = [write(f"{n % 9}.md", f"otter {n}", f"reed {n}") for n in range(15)]
    with open_sqlite(path) as store:
        assert store.write([*batch, skip, write("empty.md")]) >= 6  # "reed 6" to "reed 11" were here before
        kept = {n for n in range(6, 15) if n % 9 != 3}
        assert set(found_texts(store, "otter")) == {f"otter {n}" for n in kept}
        assert store.document_frequencies(["otter", "heron", "reed"]) == {"otter": 8, "heron": 3, "reed": 11}
        assert store.status().vectors_missing == 8 + 2  # all of "otter", "reed 13" and "reed 14"
        embed_all(store)
        assert nearest_texts(store, "otter 14", limit=1) == ["otter 14"]
    assert_consistent(path)


@pytest.mark.parametrize("word", ODD_WORDS)
def test_no_word_stays_of_what_was_replaced(path: Path, word: str) -> None:
    """Whatever it is made of: the words index forgets exactly what it was given."""
    odd = replace(write("0.md", "odd"), words=[ChunkWords((word, "odd"), (word,), (), (word, "path"))])
    with open_sqlite(path) as store:
        store.write([odd])
        assert store.document_frequencies([word]) == {word: 1}
        store.write([write("0.md", "plain")])
        assert store.document_frequencies([word, "odd"]) == {word: 0, "odd": 0}
    assert_consistent(path)


def test_failing_to_remove_words_fails_the_transaction(path: Path) -> None:
    """What is done beside it is not kept either."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM words_data WHERE id < 100")
    with open_sqlite(path) as store:
        before = [document.id for document in store.documents()]
        with pytest.raises(StoreError):
            store.write([write("0.md", "plain")])
        assert [document.id for document in store.documents()] == before
