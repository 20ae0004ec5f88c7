"""The vectors arm: int8 pages scanned in full, the best of them scored again by their float16 rows.

The first question streams the pages, so that a one-shot process reads nothing twice; from the second on they stay in
memory and only pages that changed are read again. Of the exact rows those stay that were among the best once.
"""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.store.admission import admission
from gnomon.store.base import Selection
from gnomon.store.cosines import exact_cosines
from gnomon.store.damage import DamagedRowError
from gnomon.store.kernels import dots, nth_highest, quantize
from gnomon.store.pages import HEAD_BYTES, ROWS_PER_PAGE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.store.connections import Connections, Reader

# Rounding two unit vectors to steps of a size moves their cosine by sqrt(2 / 12) of a step (standard deviation; 0.0007
# at 384 dimensions). What is eight of these below the last of the best is not among the best by exact cosines. In steps
# of the query, as approximate scores are.
_ROUNDING = 8 * (2 / 12) ** 0.5
# Rows scored again at most, per hit asked for and at all: hundreds of passages may be alike.
_MOST_PER_HIT = 2
_MOST_AT_LEAST = 200
# Above this the pages are streamed for every question: five million chunks of 384 dimensions.
_MAX_RESIDENT_BYTES = 2 << 30
# Room for growth, so that a page more does not copy all of them. Untouched memory costs nothing.
_GROWTH = 1.5
# Exact rows kept: 50 MB at 384 dimensions.
_MAX_KEPT = 1 << 16
# Copying rows to scan fewer of them pays below this share.
_GATHER_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class _Scored:
    """Approximate cosines of rows, in steps of the query's scale; -inf where a row may not come back.

    Attributes:
        approximate: Of each row.
        owners: Chunk of each row.
        vectors: ``vectors.id`` of each row.
        places: Where each row is among the pages in memory; None where they were streamed.
    """

    approximate: NDArray[np.float32]
    owners: NDArray[np.int64]
    vectors: NDArray[np.int64]
    places: NDArray[np.int64] | None = None


def unit(vector: NDArray[np.float32], dim: int) -> NDArray[np.float32]:
    """A query at unit length; zeros stay zeros.

    Raises:
        ValueError: It has another length than the index, or is not finite.
    """
    query = np.asarray(vector, np.float32)
    if query.shape != (dim,) or not np.isfinite(query).all():
        raise ValueError(f"a finite vector of {dim} numbers is needed, not one of shape {query.shape}")
    norm = float(np.linalg.norm(query))
    return query / norm if norm else query


class VectorSearch:
    """Answers by cosine over one store. Thread-safe: one question at a time."""

    def __init__(self, connections: Connections, dim: int) -> None:
        self._connections = connections
        self._dim = dim
        self._lock = threading.Lock()
        self._asked = 0
        self._resident = _Resident(dim)
        self._identity = (0, 0)

    def search(self, vector: NDArray[np.float32], *, limit: int, selection: Selection) -> list[tuple[int, float]]:
        """(chunk id, cosine), best first, ties by id.

        Raises:
            ValueError: The vector does not fit the index.
        """
        query = unit(vector, self._dim)
        codes, _ = quantize(query[None, :])
        with self._lock, self._connections.reading() as reader:
            scored = self._scan(reader, codes[0], selection)
            best = _best(scored.approximate, limit)
            owners = scored.owners[best]
            if scored.places is None:
                halves = _halves(reader, scored.vectors[best], self._dim)
            else:
                halves = self._resident.halves(reader, scored.places[best])
        cosines = exact_cosines(query, halves)
        order = np.lexsort((owners, -cosines))[:limit]
        return list(zip(owners[order].tolist(), cosines[order].tolist(), strict=True))

    def cosines(self, vector: NDArray[np.float32], chunk_ids: Sequence[int]) -> dict[int, float]:
        """Cosine of each of these chunks that has a vector.

        Raises:
            ValueError: The vector does not fit the index.
        """
        query = unit(vector, self._dim)
        with self._lock, self._connections.reading() as reader:
            if self._identity == reader.identity and self._resident.generation == reader.generation:
                chunks, places = self._resident.places_of(chunk_ids)
                halves = self._resident.halves(reader, places)
            else:
                chunks, vectors = _vectors_of(reader, chunk_ids)
                halves = _halves(reader, vectors, self._dim)
        return dict(zip(chunks.tolist(), exact_cosines(query, halves).tolist(), strict=True))

    def stored(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float16]]:
        """Vectors kept under these keys; one that does not match its checksum counts as absent."""
        found: dict[bytes, NDArray[np.float16]] = {}
        with self._connections.reading() as reader:
            for key in keys:
                row = reader.connection.execute("SELECT crc, half FROM vectors WHERE key = ?", (key,)).fetchone()
                if row is not None and zlib.crc32(row[1]) == row[0] and len(row[1]) == 2 * self._dim:
                    found[key] = np.frombuffer(row[1], "<f2")
        return found

    def _scan(self, reader: Reader, codes: NDArray[np.int8], selection: Selection) -> _Scored:
        admitted = admission(selection)
        if self._identity != reader.identity:
            self._resident, self._identity = _Resident(self._dim), reader.identity
        self._asked += 1
        if self._asked == 1 or _page_bytes(reader, self._dim) > _MAX_RESIDENT_BYTES:
            return _stream(reader, codes, admitted)
        if not self._resident.refresh(reader):
            return _stream(reader, codes, admitted)
        return self._resident.scan(codes, admitted)


class _Resident:
    """Pages in memory, in step with one generation, with the exact rows that were asked for.

    Attributes:
        generation: What they are in step with.
    """

    def __init__(self, dim: int) -> None:
        self.generation = 0
        self._dim = dim
        self._loaded: dict[int, int] = {}  # page -> generation
        self._used = 0
        self._by_owner: NDArray[np.int64] | None = None
        self._halves = np.empty((0, dim), np.float16)
        self._kept = 0  # rows of these that are in use; ``_kept_at`` says which are whose
        self._allocate(0)

    def _allocate(self, rows: int) -> None:
        self._rows = np.empty((rows, self._dim), np.int8)
        self._scales = np.zeros(rows, np.float32)
        self._owners = np.zeros(rows, np.int64)
        self._vectors = np.zeros(rows, np.int64)
        self._kept_at = np.full(rows, -1, np.int32)

    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return self._rows, self._scales, self._owners, self._vectors, self._kept_at

    def refresh(self, reader: Reader) -> bool:
        """Read the pages that changed since the last time; False where the reader sees an older generation."""
        if reader.generation <= self.generation:
            return reader.generation == self.generation
        stored = dict(reader.connection.execute("SELECT page, generation FROM pages").fetchall())
        self._make_room((max(stored) + 1) * ROWS_PER_PAGE if stored else 0)
        for page in self._loaded.keys() - stored.keys():
            self._owners[page * ROWS_PER_PAGE : (page + 1) * ROWS_PER_PAGE] = 0
            del self._loaded[page]
        for page, generation in stored.items():
            if self._loaded.get(page) != generation:
                self._load(reader, page)
                self._loaded[page] = generation
        self.generation = reader.generation
        self._by_owner = None
        return True

    def _make_room(self, rows: int) -> None:
        if rows > len(self._owners):
            before = self._arrays()
            self._allocate(int(rows * _GROWTH))
            for new, old in zip(self._arrays(), before, strict=True):
                new[: self._used] = old[: self._used]
        self._used = rows

    def _load(self, reader: Reader, page: int) -> None:
        place = slice(page * ROWS_PER_PAGE, (page + 1) * ROWS_PER_PAGE)
        head = reader.connection.execute("SELECT head FROM pages WHERE page = ?", (page,)).fetchone()
        owners, vectors, scales = _unpack(page, head)
        known = (self._owners[place] == owners) & (self._vectors[place] == vectors) & (self._scales[place] == scales)
        if not (known | (owners == 0)).all():  # else rows went at most: most changed pages of a large index
            self._rows[place] = _page_rows(reader, page, self._dim)
        self._kept_at[place] = np.where(known, self._kept_at[place], -1)
        self._owners[place], self._vectors[place], self._scales[place] = owners, vectors, scales

    def scan(self, codes: NDArray[np.int8], admitted: Callable[[NDArray[np.int64]], NDArray[np.bool_]]) -> _Scored:
        """Approximate cosines of all rows, or of the admitted ones where they are few."""
        owners, vectors = self._owners[: self._used], self._vectors[: self._used]
        mask = admitted(owners)
        count = np.count_nonzero(mask)
        if count < _GATHER_SHARE * len(owners):
            places = np.flatnonzero(mask)
            approximate = dots(self._rows[places], codes) * self._scales[places]
            return _Scored(approximate, owners[places], vectors[places], places)
        approximate = dots(self._rows[: self._used], codes) * self._scales[: self._used]
        if count < len(owners):
            approximate[~mask] = -np.inf
        return _Scored(approximate, owners, vectors, np.arange(self._used))

    def places_of(self, chunk_ids: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Those of the chunks that have a vector, and where it is."""
        if self._by_owner is None:
            self._by_owner = np.argsort(self._owners[: self._used], kind="stable")
        wanted = np.array(chunk_ids, np.int64)
        at = np.searchsorted(self._owners[: self._used], wanted, sorter=self._by_owner)
        places = self._by_owner[np.minimum(at, self._used - 1)] if self._used else np.empty(0, np.int64)
        present = self._owners[places] == wanted if self._used else np.zeros(len(wanted), np.bool_)
        return wanted[present], places[present] if self._used else places

    def halves(self, reader: Reader, places: NDArray[np.int64]) -> NDArray[np.float16]:
        """The exact rows at these places; read once, then kept. The reader sees the same generation."""
        missing = places[self._kept_at[places] < 0]
        if self._kept + len(missing) > _MAX_KEPT:
            self._kept_at[:] = -1
            self._kept, missing = 0, places
        if len(missing):
            end = self._kept + len(missing)
            if end > len(self._halves):
                # Not one row for each of the pages' rows: memory comes in pieces of 2 MB, and few rows are asked for.
                self._halves = np.concatenate([self._halves, np.empty((end, self._dim), np.float16)])
            self._halves[self._kept : end] = _halves(reader, self._vectors[missing], self._dim)
            self._kept_at[missing] = np.arange(self._kept, end)
            self._kept = end
        return self._halves[self._kept_at[places]]


def _stream(
    reader: Reader, codes: NDArray[np.int8], admitted: Callable[[NDArray[np.int64]], NDArray[np.bool_]]
) -> _Scored:
    approximate, owners, vectors = [np.empty(0, np.float32)], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for page, head in reader.connection.execute("SELECT page, head FROM pages ORDER BY page"):
        page_owners, page_vectors, page_scales = _unpack(page, (head,))
        chosen = np.flatnonzero(admitted(page_owners))
        if len(chosen):
            scores = dots(_page_rows(reader, page, len(codes)), codes) * page_scales
            approximate.append(scores[chosen])
            owners.append(page_owners[chosen])
            vectors.append(page_vectors[chosen])
    return _Scored(np.concatenate(approximate), np.concatenate(owners), np.concatenate(vectors))


def _page_bytes(reader: Reader, dim: int) -> int:
    last = reader.connection.execute("SELECT max(page) FROM pages").fetchone()[0]
    return 0 if last is None else (last + 1) * ROWS_PER_PAGE * dim


def _page_rows(reader: Reader, page: int, dim: int) -> NDArray[np.int8]:
    row = reader.connection.execute("SELECT rows FROM page_rows WHERE page = ?", (page,)).fetchone()
    if row is None or len(row[0]) != ROWS_PER_PAGE * dim:
        raise DamagedRowError(f"vector page {page} is torn")
    return np.frombuffer(row[0], np.int8).reshape(ROWS_PER_PAGE, dim)


def _unpack(page: int, row: tuple[bytes] | None) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """Owners, vectors and scales of a page; see ``pages.Head``."""
    if row is None or len(row[0]) != HEAD_BYTES:
        raise DamagedRowError(f"vector page {page} is torn")
    numbers = np.frombuffer(row[0], "<i8", 2 * ROWS_PER_PAGE)
    scales = np.frombuffer(row[0], "<f4", ROWS_PER_PAGE, offset=numbers.nbytes)
    return numbers[:ROWS_PER_PAGE], numbers[ROWS_PER_PAGE:], scales


def _best(scores: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
    """Positions of what may be among the best by exact cosines; all that tie, so that ids can tell them apart."""
    least = nth_highest(scores, limit) - _ROUNDING if len(scores) > limit else -np.inf
    near = np.flatnonzero((scores >= least) & (scores > -np.inf))
    most = max(limit * _MOST_PER_HIT, _MOST_AT_LEAST)
    return near if len(near) <= most else near[scores[near] >= nth_highest(scores[near], most)]


def _vectors_of(reader: Reader, chunk_ids: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Those of the chunks that have a vector, and its ``vectors.id``."""
    rows = reader.connection.execute(
        "SELECT c.id, c.vector FROM json_each(?) AS j JOIN chunks AS c ON c.id = j.value WHERE c.slot IS NOT NULL",
        (json.dumps([int(number) for number in chunk_ids]),),
    ).fetchall()
    pairs = np.array(rows, np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _halves(reader: Reader, vectors: NDArray[np.int64], dim: int) -> NDArray[np.float16]:
    """Each stored vector; equal texts share one, which is read once.

    Raises:
        DamagedRowError: A vector is gone or does not match its checksum.
    """
    wanted, positions = np.unique(vectors, return_inverse=True)
    rows = reader.connection.execute(
        "SELECT id, crc, half FROM vectors WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json.dumps(wanted.tolist()),),
    ).fetchall()
    if len(rows) != len(wanted) or any(zlib.crc32(half) != crc for _, crc, half in rows):
        raise DamagedRowError("vectors are gone or do not match their checksums")
    halves = np.frombuffer(b"".join(half for _, _, half in rows), "<f2").reshape(len(rows), dim)
    return halves[positions]
