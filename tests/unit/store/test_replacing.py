"""Documents written again: of the old ones nothing stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gnomon.store.base import DocumentWrite, Store
from gnomon.values import ChunkWords, WordQuery
from tests.contract.store.builders import EVERYTHING, found_texts, open_sqlite, write
from tests.unit.store.invariants import assert_consistent

# What SQL, FTS5 and the encoding of words have an opinion about.
ODD = (
    '"',
    "\\",
    "'",
    "c++",
    "a b",
    "%41;",
    "Größe",
    "文字",
    "😀",
    "\u2028",
    "\x00",
    "\t",
    "\n",
    "\ud800",
    "NULL",
    "[1,2]",
)
MANY = 3  # documents


def edition(number: int) -> list[DocumentWrite]:
    """Documents whose passages have an odd word each, and one of their edition."""
    words = [ChunkWords((odd, f"edition{number}")) for odd in ODD]
    texts = [f"passage {n}" for n in range(len(ODD))]
    return [replace(write(f"{n}.md", *texts), words=words) for n in range(MANY)]


def found(store: Store, word: str) -> int:
    """How many passages hold a word."""
    return len(store.search_words(WordQuery((word,)), limit=10_000, selection=EVERYTHING))


def test_old_words_are_gone_whatever_they_are(tmp_path: Path) -> None:
    """And the new ones are found."""
    path = tmp_path / "index.db"
    with open_sqlite(path) as store:
        store.write(edition(0))
        store.write(edition(1))
        assert (found(store, "edition0"), found(store, "edition1")) == (0, MANY * len(ODD))
        assert [found(store, odd) for odd in ODD] == [MANY] * len(ODD)
    assert_consistent(path)


def test_last_of_two_writes_of_a_path_stays(tmp_path: Path) -> None:
    """In one transaction."""
    path = tmp_path / "index.db"
    with open_sqlite(path) as store:
        store.write([write("a.md", "heron"), write("b.md", "reed"), write("a.md", "otter")])
        assert found_texts(store, "heron") == []
        assert found_texts(store, "otter") == ["otter"]
    assert_consistent(path)
