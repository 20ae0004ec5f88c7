"""Vector pages as they are written: which row belongs to which chunk, rows taken, freed and moved together.

Nothing here needs numpy: removing documents from an index must not load it.
"""

from __future__ import annotations

import sqlite3
import sys
from array import array
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from gnomon.store.damage import DamagedRowError

# 256 rows of 384 bytes are 98 KB: a change rewrites little, and a scan still makes few calls. Pages of 1,024 scan
# no faster; see benchmarks/store.
ROWS_PER_PAGE: Final = 256
# A page is filled up only from this many free rows on, so that a change all over an index writes few pages: a percent
# of a million chunks leaves ten rows free in each of a thousand pages, and fills 40 new ones.
_ROOM: Final = ROWS_PER_PAGE // 8

_OWNERS_END = ROWS_PER_PAGE * 8
_VECTORS_END = _OWNERS_END + ROWS_PER_PAGE * 8
HEAD_BYTES = _VECTORS_END + ROWS_PER_PAGE * 4


@dataclass(slots=True)
class Head:
    """What a page says of its rows, little-endian on disk.

    Attributes:
        owners: Chunk id of each row, 0 where the row is free.
        vectors: ``vectors.id`` of each row.
        scales: Of ``kernels.quantize``.
    """

    owners: array[int]
    vectors: array[int]
    scales: array[float]

    @classmethod
    def empty(cls) -> Head:
        """A page with all rows free."""
        return cls.unpack(bytes(HEAD_BYTES))

    @classmethod
    def unpack(cls, blob: bytes) -> Head:
        """Inverse of ``pack``."""
        head = cls(array("q"), array("q"), array("f"))
        head.owners.frombytes(blob[:_OWNERS_END])
        head.vectors.frombytes(blob[_OWNERS_END:_VECTORS_END])
        head.scales.frombytes(blob[_VECTORS_END:])
        head._swap()
        return head

    def pack(self) -> bytes:
        """Owners, vectors, scales, one after the other."""
        self._swap()
        blob = self.owners.tobytes() + self.vectors.tobytes() + self.scales.tobytes()
        self._swap()
        return blob

    def _swap(self) -> None:
        if sys.byteorder == "big":
            for column in (self.owners, self.vectors, self.scales):
                column.byteswap()


@dataclass(frozen=True, slots=True)
class PageRow:
    """One row to be written.

    Attributes:
        owner: Chunk id.
        vector: ``vectors.id``.
        scale: See ``Head``.
        data: int8, ``dim`` bytes.
    """

    owner: int
    vector: int
    scale: float
    data: bytes


@dataclass(slots=True)
class _Page:
    head: Head
    is_new: bool
    rows: dict[int, bytes] = field(default_factory=dict)
    taken: int = 0  # rows before this one are not free

    @property
    def live(self) -> int:
        return ROWS_PER_PAGE - self.head.owners.count(0)


class PageWriter:
    """Collects the changes of one transaction and writes each page once. Not thread-safe."""

    def __init__(self, connection: sqlite3.Connection, dim: int) -> None:
        self._connection = connection
        self._dim = dim
        self._pages: dict[int, _Page] = {}
        self._room: list[int] | None = None  # numbers of pages with free rows, highest first
        self._numbers: set[int] = set()

    def free(self, slot: int) -> None:
        """Give a row back."""
        page = self._load(slot // ROWS_PER_PAGE)
        index = slot % ROWS_PER_PAGE
        page.head.owners[index] = 0
        page.rows.pop(index, None)
        page.taken = min(page.taken, index)
        if self._room is not None and slot // ROWS_PER_PAGE not in self._room and page.live <= ROWS_PER_PAGE - _ROOM:
            self._room.append(slot // ROWS_PER_PAGE)

    def add(self, row: PageRow) -> int:
        """Place a row in the lowest page with room, in the last one or in a new one; returns its slot."""
        number = self._page_with_room()
        page = self._load(number)
        index = page.taken
        page.head.owners[index] = row.owner
        page.head.vectors[index] = row.vector
        page.head.scales[index] = row.scale
        page.rows[index] = row.data
        return number * ROWS_PER_PAGE + index

    def flush(self, generation: int) -> None:
        """Write what changed; pages without a live row go."""
        for number, page in self._pages.items():
            live = page.live
            if not live:
                self._connection.execute("DELETE FROM pages WHERE page = ?", (number,))
                self._connection.execute("DELETE FROM page_rows WHERE page = ?", (number,))
                continue
            if page.is_new:
                empty = ROWS_PER_PAGE * self._dim
                self._connection.execute("INSERT INTO page_rows VALUES (?, zeroblob(?))", (number, empty))
            self._connection.execute(
                "INSERT OR REPLACE INTO pages (page, generation, live, head) VALUES (?, ?, ?, ?)",
                (number, generation, live, page.head.pack()),
            )
            self._write_rows(number, page.rows)
        self._pages.clear()
        self._room = None

    def _write_rows(self, number: int, rows: dict[int, bytes]) -> None:
        if not rows:
            return
        with self._connection.blobopen("page_rows", "rows", number) as blob:
            for start, data in _runs(rows):
                blob.seek(start * self._dim)
                blob.write(data)

    def compact(self) -> None:
        """Move rows of the last pages into free rows of the first, so that the last pages go."""
        counts = dict(self._connection.execute("SELECT page, live FROM pages"))
        needed = -(-sum(counts.values()) // ROWS_PER_PAGE)
        self._room = self._pages_with_room(at_least=1)
        for number in sorted(counts, reverse=True)[: len(counts) - needed]:
            self._room = [page for page in self._room if page < number]
            self._move_out(number)

    def _move_out(self, number: int) -> None:
        head = self._load(number).head
        stored = self._connection.execute("SELECT rows FROM page_rows WHERE page = ?", (number,)).fetchone()
        for index, owner in enumerate(head.owners):
            if owner:
                data = stored[0][index * self._dim : (index + 1) * self._dim]
                slot = self.add(PageRow(owner, head.vectors[index], head.scales[index], data))
                self._connection.execute("UPDATE chunks SET slot = ? WHERE id = ?", (slot, owner))
                head.owners[index] = 0

    def _page_with_room(self) -> int:
        if self._room is None:
            self._room = self._pages_with_room(at_least=_ROOM)
        while self._room:
            page = self._load(self._room[-1])
            with suppress(ValueError):  # it is full
                page.taken = page.head.owners.index(0, page.taken)
                return self._room[-1]
            self._room.pop()
        number = next(n for n in range(len(self._numbers) + 1) if n not in self._numbers)
        self._numbers.add(number)
        self._pages[number] = _Page(Head.empty(), is_new=True)
        self._room.append(number)
        return number

    def _pages_with_room(self, *, at_least: int) -> list[int]:
        """Numbers of pages with so many free rows, and of the last page if it has any; highest first."""
        live = dict(self._connection.execute("SELECT page, live FROM pages").fetchall())
        live |= {number: page.live for number, page in self._pages.items()}
        self._numbers = set(live)
        last = max(live, default=0)
        return sorted((n for n in live if live[n] <= ROWS_PER_PAGE - (1 if n == last else at_least)), reverse=True)

    def _load(self, number: int) -> _Page:
        page = self._pages.get(number)
        if page is None:
            row = self._connection.execute("SELECT head FROM pages WHERE page = ?", (number,)).fetchone()
            if row is None or len(row[0]) != HEAD_BYTES:
                raise DamagedRowError(f"vector page {number} is torn")
            page = self._pages[number] = _Page(Head.unpack(row[0]), is_new=False)
        return page


def _runs(rows: dict[int, bytes]) -> list[tuple[int, bytes]]:
    """(first row, data) of each stretch of neighbouring rows."""
    starts: dict[int, list[bytes]] = defaultdict(list)
    first = previous = -2
    for index in sorted(rows):
        if index != previous + 1:
            first = index
        starts[first].append(rows[index])
        previous = index
    return [(start, b"".join(data)) for start, data in starts.items()]
