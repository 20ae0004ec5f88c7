"""The words arm from memory: where the words of questions occur, read once; scores are those of FTS5's ``bm25()``.

Scoring in SQL looks up the length of every row that it scores, which is most of its time. Here lengths are in memory,
and a word's rows with their counts are read when a question first has it, in a fifth of the time of scoring them.
Rows that were written since are few, and are scored by FTS5.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gnomon.store.admission import admission
from gnomon.store.base import FieldWeights, Selection
from gnomon.store.bm25 import idf, length_norm, saturated
from gnomon.store.damage import DamagedRowError
from gnomon.store.kernels import nth_highest
from gnomon.store.memory import FrequencyMemory
from gnomon.store.schema import ORDINAL_BITS, read_meta
from gnomon.store.terms import encode
from gnomon.store.words import WordSearch, by_score, count_rows, rarest_first
from gnomon.values import WordQuery

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.store.connections import Reader

# Rows written or removed since the words were read, before all is read anew: so many, or one of so many.
_MOST_CHANGED: Final = 2_500
_ROWS_PER_CHANGED: Final = 25
# Rows of all words in memory: 72 MB. An index of 50,000 chunks has 3 million.
_MOST_HELD: Final = 6_000_000

_FIELDS: Final = ("body", "symbols", "headings", "path")
# Occurrences as one number each: the row, and at which place of this list its field is named.
_NAMED = " ".join(_FIELDS)
_PLACES: Final = tuple(_NAMED.index(field) + 1 for field in _FIELDS)
_PLACE_BITS: Final = 5
# One row for all: SQLite then runs to the end without Python, and another thread works meanwhile.
_OCCURRENCES: Final = (
    f"SELECT group_concat((doc << {_PLACE_BITS}) + instr('{_NAMED}', col)) FROM temp.occurrences WHERE term = ?"  # noqa: S608
)


@dataclass(frozen=True, slots=True)
class _Held:
    """Rows of one word.

    Attributes:
        places: Among all rows, ascending.
        counts: How often each holds the word, by the weight of the fields.
    """

    places: NDArray[np.intp]
    counts: NDArray[np.float32]


_NOWHERE: Final = _Held(np.empty(0, np.intp), np.empty(0, np.float32))


@dataclass(frozen=True)  # no slots: what is made of the rows is kept beside them
class _Rows:
    """All rows of the words index as of one moment.

    Attributes:
        moment: Of the transaction that read them.
        created: When the index was made; one made anew gives the same ids to other chunks.
        ids: Chunk ids, ascending; those that were removed since the first reading stay.
        lengths: Words in all fields.
        alive: False where the chunk was removed.
        covered: Rows from here on were written since the first reading; no word in memory knows them.
    """

    moment: tuple[tuple[int, int], int]
    created: str
    ids: NDArray[np.int64]
    lengths: NDArray[np.float64]
    alive: NDArray[np.bool_]
    covered: int

    @cached_property
    def live(self) -> int:
        """How many were not removed."""
        return int(np.count_nonzero(self.alive))

    @cached_property
    def norms(self) -> NDArray[np.float64]:
        """What bm25 adds to the count of a word, for each row."""
        average = float(self.lengths[self.alive].mean()) if self.live else 1.0
        return length_norm(self.lengths, average)

    @cached_property
    def changed(self) -> int:
        """Rows that came or went since the first reading."""
        return 2 * len(self.ids) - self.covered - self.live


class Postings:
    """Where the words of one store's questions occur. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: _Rows | None = None
        self._held: dict[str, _Held] = {}
        self._held_rows = 0
        self._weights = FieldWeights()

    def search(
        self, reader: Reader, query: WordQuery, search: WordSearch, memory: FrequencyMemory
    ) -> list[tuple[int, float]] | None:
        """(chunk id, bm25), best first, ties by id; None where the reader sees an older moment than this memory.

        Args:
            reader: In a transaction.
            query: Words; with no ``any_of`` those of ``all_of`` score.
            search: The same question to FTS5: asked for what was written since.
            memory: Of how many chunks hold a word.
        """
        words = query.any_of or query.all_of
        with self._lock:
            rows = self._follow(reader, search.weights)
            if rows is None:
                return None
            held = self._hold(reader, rows, {*words, *query.all_of, *query.none_of})

        def count(missing: Iterable[str]) -> dict[str, int]:
            if rows.changed:
                return count_rows(reader.connection, missing)
            return {word: len(held[word].places) for word in missing}

        frequencies = memory.count(reader.moment, words, count)
        # In the order in which FTS5 is asked for them: sums are then the same to the last bit.
        scoring = rarest_first(frequencies, words)
        scores = np.zeros(rows.covered)
        for word in scoring:
            places, counts = held[word].places, held[word].counts.astype(np.float64)
            scores[places] += idf(frequencies[word], rows.live) * saturated(counts, rows.norms[places])
        scores[~_admitted(rows, query, held, search.selection)] = 0
        found = _best(rows.ids, scores, search.limit)
        if rows.covered < len(rows.ids):
            newest = int(rows.ids[rows.covered - 1]) if rows.covered else 0
            found += search.run_above(query, scoring, newest)
        return sorted(found, key=by_score)[: search.limit]

    def holding(self, reader: Reader, words: Collection[str], chunk_ids: Sequence[int]) -> dict[str, set[int]]:
        """Those of the chunks that hold each word; of words and chunks that are in memory, else nothing is said."""
        with self._lock:
            rows = self._rows
            if rows is None or rows.moment != reader.moment:
                return {}
            held = {word: self._held[word] for word in words if word in self._held}
        wanted = np.array(chunk_ids, np.int64)
        covered = rows.ids[: rows.covered]
        places = np.searchsorted(covered, wanted)
        if (places == len(covered)).any() or (covered[places] != wanted).any():
            return {}
        alive = rows.alive[places]
        return {word: set(wanted[alive & _among(places, each.places)].tolist()) for word, each in held.items()}

    def _forget(self) -> None:
        self._held, self._held_rows = {}, 0

    def _follow(self, reader: Reader, weights: FieldWeights) -> _Rows | None:
        rows = self._rows
        if rows is not None and rows.moment[0] == reader.identity and weights == self._weights:
            if reader.generation < rows.moment[1]:
                return None
            if reader.generation > rows.moment[1]:
                rows = _refreshed(rows, reader)
        else:
            rows = None
        if rows is None or rows.changed > max(_MOST_CHANGED, len(rows.ids) // _ROWS_PER_CHANGED):
            self._forget()
            rows, self._weights = _read_rows(reader), weights
        self._rows = rows
        return rows

    def _hold(self, reader: Reader, rows: _Rows, words: Collection[str]) -> dict[str, _Held]:
        if self._held_rows > _MOST_HELD:
            self._forget()
        for word in words:
            if word not in self._held:
                self._held[word] = _read_word(reader, rows, word, self._weights)
                self._held_rows += len(self._held[word].places)
        return {word: self._held[word] for word in words}


def _read_rows(reader: Reader) -> _Rows:
    ids, lengths = _read_lengths(reader, above=0)
    created = read_meta(reader.connection, "created")
    return _Rows(reader.moment, created, ids, lengths, np.ones(len(ids), np.bool_), covered=len(ids))


def _refreshed(rows: _Rows, reader: Reader) -> _Rows | None:
    """The same rows as of the reader's moment: ids are never used twice, and a changed document gets a new one."""
    if read_meta(reader.connection, "created") != rows.created:
        return None
    ids, lengths = _read_lengths(reader, above=int(rows.ids[-1]) if len(rows.ids) else 0)
    ids = np.concatenate([rows.ids, ids])
    (present,) = reader.connection.execute("SELECT json_group_array(id) FROM documents").fetchone()
    alive = np.isin(ids >> ORDINAL_BITS, np.array(json.loads(present), np.int64))
    return _Rows(reader.moment, rows.created, ids, np.concatenate([rows.lengths, lengths]), alive, rows.covered)


def _read_lengths(reader: Reader, *, above: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Ids of the rows above one, ascending, and how many words each holds in all fields."""
    select = "SELECT id, sz FROM words_docsize WHERE id > ? ORDER BY id"
    rows = reader.connection.execute(select, (above,)).fetchall()
    ids = np.fromiter((number for number, _ in rows), np.int64, len(rows))
    sizes = _read_varints(b"".join(size for _, size in rows))
    if len(sizes) != len(_FIELDS) * len(ids):
        raise DamagedRowError("lengths of the words index are torn")
    return ids, sizes.reshape(-1, len(_FIELDS)).sum(axis=1)


def _read_varints(data: bytes) -> NDArray[Any]:
    """Numbers in groups of seven bits, highest first, of which all but the last have the eighth bit set."""
    # https://www.sqlite.org/fileformat.html#varint: how FTS5 keeps the length of each field.
    groups = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(groups < 0x80)
    number = np.searchsorted(ends, np.arange(len(groups)))
    if len(groups) and (not len(ends) or ends[-1] != len(groups) - 1):
        raise DamagedRowError("lengths of the words index are torn")
    return np.bincount(number, (groups & 0x7F) * 128.0 ** (ends[number] - np.arange(len(groups))), len(ends))


def _read_word(reader: Reader, rows: _Rows, word: str, weights: FieldWeights) -> _Held:
    (listed,) = reader.occurrences().execute(_OCCURRENCES, (encode(word),)).fetchone()
    if not listed:
        return _NOWHERE
    occurrences = np.fromstring(listed, np.int64, sep=",")
    ids, starts = np.unique(occurrences >> _PLACE_BITS, return_index=True)
    by_place = np.zeros(1 << _PLACE_BITS, np.float32)
    by_place[list(_PLACES)] = [getattr(weights, field) for field in _FIELDS]
    counts = np.add.reduceat(by_place[occurrences & len(by_place) - 1], starts)
    covered = np.searchsorted(ids, rows.ids[rows.covered - 1], side="right") if rows.covered else 0
    return _Held(np.searchsorted(rows.ids, ids[:covered]), counts[:covered])


def _among(wanted: NDArray[np.intp], places: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which of some places are among others, which are ascending."""
    if not len(places):
        return np.zeros(len(wanted), np.bool_)
    held: NDArray[np.bool_] = places[np.minimum(np.searchsorted(places, wanted), len(places) - 1)] == wanted
    return held


def _admitted(rows: _Rows, query: WordQuery, held: Mapping[str, _Held], selection: Selection) -> NDArray[np.bool_]:
    """Which of the covered rows may come back."""
    mask = rows.alive[: rows.covered].copy()
    if selection != Selection():
        mask &= admission(selection)(rows.ids[: rows.covered])
    for word in query.all_of:
        with_word = np.zeros(rows.covered, np.bool_)
        with_word[held[word].places] = True
        mask &= with_word
    for word in query.none_of:
        mask[held[word].places] = False
    return mask


def _best(ids: NDArray[np.int64], scores: NDArray[np.float64], limit: int) -> list[tuple[int, float]]:
    """(id, score) of the highest scores above 0, those of lower ids among equals; in any order."""
    least = nth_highest(scores, limit) if len(scores) > limit else 0.0
    near = np.flatnonzero(scores >= least) if least > 0 else np.flatnonzero(scores)
    near = near[np.lexsort((near, -scores[near]))][:limit]
    # With the digits that SQLite gives: what is equal there is equal here.
    return [
        (number, float(f"{score:.15g}"))
        for number, score in zip(ids[near].tolist(), scores[near].tolist(), strict=True)
    ]
