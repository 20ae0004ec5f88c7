"""The words arm: how a query is answered by FTS5 without scoring every posting."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from gnomon.store.base import FieldWeights, Selection
from gnomon.store.connections import Reader
from gnomon.store.schema import ORDINAL_BITS
from gnomon.store.terms import all_of, any_of, encode
from gnomon.values import WordQuery

# Above this FTS5 scores a bounded number of rows for each question; up to it all rows of a word are read into memory
# when it is first asked for. A word of every second chunk of this many takes 35 ms to read.
MAX_RESIDENT_CHUNKS = 250_000
# Rows scored in full before common words are only looked up in rows that rarer ones found: bm25() costs 1 µs a row,
# looking up 0.05 to 0.1. Where words are scored in memory from the second question on, the first may take as long as a
# model takes to load, so that it finds what the others find. In larger corpora one row in forty keeps 98 % of the exact
# ten best at 300,000 chunks and 96 % at a million, in a third to a seventh of the time; see
# docs/decisions/0010-sqlite-store.md.
_POSTINGS_OF_FIRST = 40_000
_MAX_POSTINGS = 15_000
_CHUNKS_PER_POSTING = 40
# Rows that rarer words should find before common ones may be left out, and of which half must pass the selection.
_ENOUGH_ROWS = 200

_SCORED = "SELECT rowid, -bm25(words, {weights}) AS score FROM words WHERE words MATCH :match{conditions}"
# One row for all: SQLite then runs to the end without Python, and another thread works meanwhile.
_BEST = f"SELECT json_group_array(json_array(rowid, score)) FROM ({_SCORED} ORDER BY score DESC, rowid LIMIT :limit)"  # noqa: S608


def count_rows(connection: sqlite3.Connection, words: Iterable[str]) -> dict[str, int]:
    """Number of chunks that hold each word in any field."""
    select = "SELECT doc FROM vocabulary WHERE term = ?"
    counts = {}
    for word in words:
        row = connection.execute(select, (encode(word),)).fetchone() if word else None
        counts[word] = int(row[0]) if row else 0
    return counts


def rows_with(connection: sqlite3.Connection, word: str, chunk_ids: Sequence[int]) -> set[int]:
    """Those of the chunks that hold a word in any field."""
    if not word:
        return set()
    select = "SELECT rowid FROM words WHERE words MATCH ? AND rowid IN (SELECT value FROM json_each(?))"
    return {number for (number,) in connection.execute(select, (any_of([word]), json.dumps(list(chunk_ids))))}


def postings_budget(chunks: int) -> int:
    """Rows to be scored in full in a corpus of that many chunks."""
    return _POSTINGS_OF_FIRST if chunks <= MAX_RESIDENT_CHUNKS else min(chunks // _CHUNKS_PER_POSTING, _MAX_POSTINGS)


def rarest_first(frequencies: Mapping[str, int], words: Iterable[str]) -> list[str]:
    """Those of the words that have rows, by how many."""
    return sorted((word for word in words if frequencies[word]), key=lambda word: (frequencies[word], word))


def split(frequencies: Mapping[str, int], *, enough: int, budget: int) -> tuple[list[str], list[str]]:
    """Part words into those whose rows are all scored and those too common for that.

    Rarest first, up to the budget, but at least until there are ``enough``. A row that holds only the
    common ones is worth less than what rarer words find, so it is not looked for.

    Args:
        frequencies: Rows per word; words without rows are left out of both parts.
        enough: Rows wanted.
        budget: Rows that may be scored in full.
    """
    rare: list[str] = []
    rows = 0
    present = rarest_first(frequencies, frequencies)
    for position, word in enumerate(present):
        if rare and rows >= enough and rows + frequencies[word] > budget:
            return rare, present[position:]
        rare.append(word)
        rows += frequencies[word]
    return rare, []


class WordSearch:
    """One question to the words arm, inside one transaction.

    Args:
        reader: Its connection, with the selection not yet set.
        weights: Of the fields.
        limit: Rows wanted, >= 1.
        selection: Documents that may come back.

    Attributes:
        weights, limit, selection: As given.
    """

    def __init__(self, reader: Reader, *, weights: FieldWeights, limit: int, selection: Selection) -> None:
        self.weights = weights
        self.limit = limit
        self.selection = selection
        self._reader = reader
        self._weighted = ", ".join(
            str(float(w)) for w in (weights.body, weights.symbols, weights.headings, weights.path)
        )

    def run(self, query: WordQuery, frequencies: Mapping[str, int], *, chunks: int) -> list[tuple[int, float]]:
        """(chunk id, bm25), best first, ties by id.

        Args:
            query: Words; with no ``any_of`` those of ``all_of`` score.
            frequencies: Rows of each word of the query.
            chunks: Rows in all.
        """
        scoring = query.any_of or query.all_of
        if any(not frequencies[word] for word in query.all_of):
            return []
        self._reader.select(self.selection)
        enough = min(self.limit, _ENOUGH_ROWS)
        present = {word: frequencies[word] for word in scoring}
        rare, common = split(present, enough=enough, budget=postings_budget(chunks))
        if not rare:
            return []
        if query.all_of:
            # Few rows hold all of them; which of the scoring words is rare does not matter then.
            return self._best(any_of([*rare, *common]), query)
        if not common:
            return self._best(any_of(rare), query)
        # Each row once: scores are those of the whole query, for all rows that hold a rare word.
        found = self._best(f"({any_of(rare)} AND {any_of(common)})", query)
        found += self._best(f"({any_of(rare)} NOT {any_of(common)})", query)
        if 2 * len(found) < enough:
            # The selection, or words to be left out, took what the rare words found.
            return self._best(any_of([*rare, *common]), query)
        return sorted(found, key=by_score)[: self.limit]

    def run_above(self, query: WordQuery, scoring: Sequence[str], last: int) -> list[tuple[int, float]]:
        """The same for rows above a chunk id only, each of which is scored by the words given."""
        self._reader.select(self.selection)
        return self._best(any_of(scoring), query, above=last) if scoring else []

    def _best(self, expression: str, query: WordQuery, *, above: int = 0) -> list[tuple[int, float]]:
        if query.none_of:
            expression = f"({expression} NOT {any_of(query.none_of)})"
        conditions, values = self._conditions(query, above)
        statement = _BEST.format(weights=self._weighted, conditions=conditions)
        values = {"match": expression, "limit": self.limit, **values}
        (found,) = self._reader.connection.execute(statement, values).fetchone()
        return sorted(((int(number), float(score)) for number, score in json.loads(found)), key=by_score)

    def _conditions(self, query: WordQuery, above: int) -> tuple[str, dict[str, object]]:
        conditions, values = "", dict[str, object]()
        if query.all_of:
            # A condition of its own: inside the expression the words would score twice. "+" keeps SQLite from asking
            # the index once per row.
            conditions += " AND +rowid IN (SELECT rowid FROM words WHERE words MATCH :all_of)"
            values["all_of"] = all_of(query.all_of)
        if above:
            conditions += " AND rowid > :above"
            values["above"] = above
        only = self.selection.only
        if only is not None:
            # FTS5 skips to the range, and the documents of a folder have ids near each other.
            conditions += " AND rowid BETWEEN :first AND :last"
            values["first"] = min(only) << ORDINAL_BITS
            values["last"] = ((max(only) + 1) << ORDINAL_BITS) - 1
        if only is not None or self.selection.without:
            conditions += " AND admitted(rowid)"
        return conditions, values


def by_score(hit: tuple[int, float]) -> tuple[float, int]:
    """Sorts hits: best first, ties by id."""
    return -hit[1], hit[0]
