"""OLE compound files ([MS-CFB]), the container of Office and Outlook before 2007: a small file system in a file."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from gnomon.errors import DocumentError
from gnomon.values import SkipReason

SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SPECIAL = 0xFFFFFFFA  # sector numbers from here on are marks
_STREAM, _ROOT = 2, 5
_MINI_BYTES = 64
_ENTRY_BYTES = 128
_MOST_ENTRIES = 50_000


class Compound:
    """Streams by path, "Folder/Stream"; names are compared without case."""

    def __init__(self, content: bytes) -> None:
        """Read the tables.

        Raises:
            DocumentError: Not a compound file, or a broken one.
        """
        if not content.startswith(SIGNATURE):
            raise DocumentError(SkipReason.DAMAGED, "not a compound file")
        self._content = content
        try:
            self._read_tables()
        except (struct.error, IndexError) as e:
            raise DocumentError(SkipReason.DAMAGED, "the compound file is broken") from e

    def _read_tables(self) -> None:
        (shift,) = struct.unpack_from("<H", self._content, 30)
        if shift not in {9, 12}:
            raise DocumentError(SkipReason.DAMAGED, "the compound file is broken")
        self._sector_bytes = 1 << shift
        (first_directory,) = struct.unpack_from("<I", self._content, 48)
        self._mini_limit, first_mini_table = struct.unpack_from("<II", self._content, 56)
        first_fat, fat_sectors = struct.unpack_from("<II", self._content, 68)
        self._table = self._numbers(self._fat_sectors(first_fat, fat_sectors))
        directory = self._chain(first_directory)
        self._mini_table = self._numbers(self._sectors(first_mini_table))
        start, size = struct.unpack_from("<II", directory, 116)
        self._mini = self._chain(start)[:size]
        # A path that stands twice is a broken file; the first counts.
        self._streams: dict[str, tuple[int, int]] = {}
        for path, place in self._walk(directory):
            self._streams.setdefault(path.lower(), place)

    def __contains__(self, path: str) -> bool:
        return path.lower() in self._streams

    def paths(self) -> list[str]:
        """Paths of all streams, in lower case."""
        return list(self._streams)

    def stream(self, path: str) -> bytes:
        """The bytes of a stream, b"" where there is none."""
        start, size = self._streams.get(path.lower(), (_SPECIAL, 0))
        if size >= self._mini_limit:
            return self._chain(start)[:size]
        pieces = []
        for _ in range(size // _MINI_BYTES + 1):
            if start >= len(self._mini_table):
                break
            pieces.append(self._mini[start * _MINI_BYTES : (start + 1) * _MINI_BYTES])
            start = self._mini_table[start]
        return b"".join(pieces)[:size]

    def _fat_sectors(self, first: int, count: int) -> list[int]:
        """Sectors of the allocation table: 109 in the header, more in a chain of their own."""
        found = [n for n in struct.unpack_from("<109I", self._content, 76) if n < _SPECIAL]
        per_sector = self._sector_bytes // 4
        for _ in range(min(count, len(self._content) // self._sector_bytes)):
            if first >= _SPECIAL:
                break
            *numbers, first = struct.unpack_from(f"<{per_sector}I", self._sector(first))
            found += [n for n in numbers if n < _SPECIAL]
        return found

    def _sector(self, number: int) -> bytes:
        at = (number + 1) * self._sector_bytes
        return self._content[at : at + self._sector_bytes]

    def _numbers(self, sectors: list[int]) -> list[int]:
        most = len(self._content) // self._sector_bytes + 1
        data = b"".join(map(self._sector, sectors[:most]))
        return list(struct.unpack_from(f"<{len(data) // 4}I", data))

    def _sectors(self, start: int) -> list[int]:
        found: list[int] = []
        seen: set[int] = set()
        while start < len(self._table) and start not in seen:
            seen.add(start)
            found.append(start)
            start = self._table[start]
        return found

    def _chain(self, start: int) -> bytes:
        return b"".join(map(self._sector, self._sectors(start)))

    def _walk(self, directory: bytes) -> Iterator[tuple[str, tuple[int, int]]]:
        """Streams with their paths; entries are a tree of siblings in each folder."""
        (first,) = struct.unpack_from("<I", directory, 76)
        waiting = [(first, "")]
        seen: set[int] = set()
        while waiting and len(seen) < _MOST_ENTRIES:
            number, folder = waiting.pop()
            at = number * _ENTRY_BYTES
            if number in seen or at + _ENTRY_BYTES > len(directory):
                continue
            seen.add(number)
            length, kind = struct.unpack_from("<HB", directory, at + 64)
            left, right, inner = struct.unpack_from("<III", directory, at + 68)
            path = folder + directory[at : at + max(0, min(length, 64) - 2)].decode("utf-16-le", "replace")
            waiting += [(right, folder), (left, folder), (inner, f"{path}/")]
            if kind == _STREAM:
                yield path, struct.unpack_from("<II", directory, at + 116)
