"""From the second question on words are scored in memory: what FTS5 would give, whatever is written meanwhile."""

from __future__ import annotations

import random
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from gnomon.errors import DamagedError
from gnomon.store import postings, words, words_arm
from gnomon.store.base import DocumentWrite, FieldWeights, Selection, Store
from gnomon.store.sqlite import SqliteStore
from gnomon.values import ChunkWords, WordQuery
from tests.contract.store.builders import EVERYTHING, FINGERPRINT, FOLDER, found_texts, open_sqlite, write

QUESTIONS = [
    WordQuery(("w3", "w7", "common")),
    WordQuery(("common",)),
    WordQuery(("w1", "often"), none_of=("w3",)),
    WordQuery(("common", "w5"), all_of=("often",)),
    WordQuery((), all_of=("common", "w2")),
    WordQuery(("nowhere", "w2")),
    WordQuery(("w2",), all_of=("nowhere",)),
]


def documents(first: int, count: int) -> list[DocumentWrite]:
    """Documents of ten chunks, words in all fields, of very different lengths."""
    rng = random.Random(first)
    made = []
    for number in range(first, first + count):
        texts = [
            f"common {'often ' * (at % 3)}{' '.join(f'w{rng.randrange(9)}' for _ in range(rng.choice((0, 3, 200))))}"
            for at in range(10)
        ]
        plain = write(f"w{number % 9}/f{number}.md", *texts)
        fields = [
            ChunkWords(each.body, ("w4", "w4"), ("w5",) * (at % 2), each.path) for at, each in enumerate(plain.words)
        ]
        made.append(DocumentWrite(plain.document, plain.chunks, fields))
    return made


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index of 200 chunks; what FTS5 says of them is complete."""
    monkeypatch.setattr(words, "_POSTINGS_OF_FIRST", 100_000)
    path = tmp_path / "index.db"
    with open_sqlite(path) as store:
        store.write(documents(0, 20))
    return path


@pytest.fixture
def asked(path: Path) -> Iterator[Store]:
    """A store that was asked before."""
    with open_sqlite(path) as store:
        for question in QUESTIONS:
            ask(store, question)
        yield store


def ask(
    store: Store, question: WordQuery, selection: Selection = EVERYTHING, limit: int = 25
) -> list[tuple[int, float]]:
    """(chunk id, bm25), best first."""
    return store.search_words(question, limit=limit, selection=selection)


def asked_first(path: Path, question: WordQuery, selection: Selection = EVERYTHING) -> list[tuple[int, float]]:
    """The same from a store whose first question it is: by FTS5."""
    with open_sqlite(path, writable=False) as store:
        return ask(store, question, selection)


def assert_alike(found: list[tuple[int, float]], expected: list[tuple[int, float]]) -> None:
    """The same chunks in the same order: scores are the same sums, so that equals stay equal."""
    assert [number for number, _ in found] == [number for number, _ in expected]
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], rel=1e-12)


@pytest.mark.parametrize("question", QUESTIONS)
def test_scores_and_order_are_those_of_the_first_question(path: Path, asked: Store, question: WordQuery) -> None:
    """Words of all fields, of rows with none to hundreds of words."""
    assert_alike(ask(asked, question), asked_first(path, question))


@pytest.mark.parametrize("selection", [Selection(only=frozenset({2, 5})), Selection(without=frozenset({1, 3}))])
def test_selection_holds_in_memory(path: Path, asked: Store, selection: Selection) -> None:
    """Documents that are filtered out do not come back."""
    assert_alike(ask(asked, QUESTIONS[0], selection), asked_first(path, QUESTIONS[0], selection))


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_was_written_since_is_found_and_what_went_is_not(path: Path, asked: Store, question: WordQuery) -> None:
    """New, changed and removed documents, by another process; new rows are scored with the old."""
    with open_sqlite(path) as writer:
        writer.write(documents(30, 3))
        writer.write([write("w1/f1.md", "often w3 changed")])
        writer.forget(FOLDER, ["w2/f2.md", "w3/f3.md"])
    assert_alike(ask(asked, question), asked_first(path, question))
    assert found_texts(asked, "changed") == ["often w3 changed"]


def test_index_that_was_empty_is_followed(tmp_path: Path) -> None:
    """A server may start before the first run."""
    path = tmp_path / "index.db"
    with open_sqlite(path) as store:
        assert [ask(store, QUESTIONS[0]) for _ in range(2)] == [[], []]
        store.write(documents(0, 2))
        assert_alike(ask(store, QUESTIONS[0]), asked_first(path, QUESTIONS[0]))


def test_all_is_read_anew_where_much_changed(path: Path, asked: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """New rows are scored by FTS5 only while they are few."""
    monkeypatch.setattr(postings, "_MOST_CHANGED", 15)
    asked.write(documents(40, 2))
    assert_alike(ask(asked, QUESTIONS[0]), asked_first(path, QUESTIONS[0]))
    monkeypatch.setattr(words.WordSearch, "run_above", None)
    assert_alike(ask(asked, QUESTIONS[0]), asked_first(path, QUESTIONS[0]))


def test_words_are_forgotten_where_they_are_too_many(path: Path, asked: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is bounded; the next question reads its words again."""
    monkeypatch.setattr(postings, "_MOST_HELD", 10)
    for question in QUESTIONS:
        assert_alike(ask(asked, question), asked_first(path, question))


def test_a_reader_of_an_older_moment_sees_its_own(path: Path, asked: Store) -> None:
    """Another thread's question has moved the memory on meanwhile."""
    expected = asked_first(path, QUESTIONS[0])
    with asked.snapshot():
        assert_alike(ask(asked, QUESTIONS[0]), expected)
        with open_sqlite(path) as writer:
            writer.write(documents(50, 2))
        other = threading.Thread(target=ask, args=(asked, QUESTIONS[0]))
        other.start()
        other.join()
        assert_alike(ask(asked, QUESTIONS[0]), expected)
    assert_alike(ask(asked, QUESTIONS[0]), asked_first(path, QUESTIONS[0]))


def test_index_made_anew_shares_nothing_with_the_old(path: Path, asked: Store) -> None:
    """Ids begin again at the first, and the reader may have slept through an index of another model."""
    with open_sqlite(path, replace_it=True, of=replace(FINGERPRINT, model="model-b")):
        pass
    with open_sqlite(path, replace_it=True) as writer:
        writer.write(documents(60, 12))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE meta SET value = 'a second later' WHERE key = 'created'")
    assert_alike(ask(asked, QUESTIONS[0]), asked_first(path, QUESTIONS[0]))


def test_other_weights_are_scored_anew(path: Path, asked: Store) -> None:
    """Tuning asks the same store with different weights."""
    assert isinstance(asked, SqliteStore)
    asked.field_weights = FieldWeights(body=1.0, symbols=0.0, headings=7.0, path=0.5)
    tuned = ask(asked, WordQuery(("w5", "w1")))
    with open_sqlite(path, writable=False) as fresh:
        assert isinstance(fresh, SqliteStore)
        fresh.field_weights = asked.field_weights
        assert_alike(tuned, ask(fresh, WordQuery(("w5", "w1"))))


@pytest.mark.parametrize("torn", [b"", b"\x80", b"\x01\x01\x01", b"\x01\x01\x01\x01\x80"])
def test_torn_lengths_are_damage(path: Path, torn: bytes) -> None:
    """Named with the path, not taken for lengths."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE words_docsize SET sz = ? WHERE id = (SELECT max(id) FROM words_docsize)", (torn,))
    with open_sqlite(path, writable=False) as store:
        ask(store, WordQuery(("nowhere",)))
        with pytest.raises(DamagedError, match=r"index\.db"):
            ask(store, QUESTIONS[0])


def test_large_corpora_stay_with_fts5(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There a first question about a common word would read too much."""
    monkeypatch.setattr(words_arm, "MAX_RESIDENT_CHUNKS", 100)
    monkeypatch.setattr(postings.Postings, "search", None)
    with open_sqlite(path, writable=False) as store:
        assert ask(store, QUESTIONS[0]) == ask(store, QUESTIONS[0]) != []
