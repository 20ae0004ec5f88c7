"""Reading that spans rows: the manifest, the waiting texts, and what is remembered between generations."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from gnomon.store.base import ManifestRow, StoredDocument, text_key
from gnomon.store.connections import Reader
from gnomon.store.rows import FROM_DOCUMENTS, TEXT_COLUMNS, path_blob, read_chunk, read_document, read_skip
from gnomon.store.schema import MAX_CHUNKS, ORDINAL_BITS
from gnomon.store.words import count_rows

# Words whose frequency is remembered within one generation: a few MB.
_MAX_FREQUENCIES = 50_000


def read_manifest(connection: sqlite3.Connection, folder: str) -> dict[str, ManifestRow]:
    """Every path stored for a folder root.

    Raises:
        DamagedRowError: A row is not what was written.
    """
    row = connection.execute("SELECT id FROM folders WHERE root = ?", (path_blob(folder),)).fetchone()
    if row is None:
        return {}
    documents = connection.execute(
        "SELECT path, size_bytes, mtime_ns, ctime_ns, sha256, extractor, chunk_count FROM documents WHERE folder = ?",
        row,
    )
    manifest = {os.fsdecode(path): ManifestRow(*rest) for path, *rest in documents}
    skips = connection.execute(
        "SELECT path, reason, size_bytes, mtime_ns, ctime_ns, sha256, extractor, detail FROM skips WHERE folder = ?",
        row,
    )
    manifest.update(read_skip(skip) for skip in skips)
    return manifest


def pending(connection: sqlite3.Connection, limit: int) -> list[tuple[bytes, str]]:
    """(key, embedded text) of texts without a vector, each once; newest documents first.

    Raises:
        DamagedRowError: A text does not match its checksum.
    """
    found: dict[bytes, str] = {}
    documents = connection.execute("SELECT id FROM documents WHERE missing > 0 ORDER BY mtime_ns DESC")
    for (number,) in documents:
        base = number << ORDINAL_BITS
        rows = connection.execute(
            f"SELECT {TEXT_COLUMNS} FROM chunks AS c JOIN texts AS t ON t.id = c.id"  # noqa: S608 - a constant
            " WHERE c.id BETWEEN ? AND ? AND c.slot IS NULL ORDER BY c.id",
            (base, base + MAX_CHUNKS - 1),
        )
        for row in rows:
            if len(found) >= limit:
                return list(found.items())
            embedded = read_chunk(row).chunk.embedded
            found.setdefault(text_key(embedded), embedded)
    return list(found.items())


class DocumentMemory:
    """All documents, read anew only where they changed. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._generation = 0
        self._identity = (0, 0)
        self._by_id: dict[int, StoredDocument] = {}
        self._all: tuple[StoredDocument, ...] = ()

    def all(self, reader: Reader) -> Sequence[StoredDocument]:
        """By id, as of the reader's generation."""
        with self._lock:
            if reader.identity != self._identity or reader.generation < self._generation:
                # A reader that began before another thread's is rare enough to read all again.
                self._identity, self._generation, self._by_id = reader.identity, 0, {}
            if reader.generation != self._generation:
                self._refresh(reader)
            return self._all

    def _refresh(self, reader: Reader) -> None:
        by_id = dict(self._by_id)
        changed = reader.connection.execute(
            f"{FROM_DOCUMENTS} WHERE d.generation > ?",
            (self._generation,),
        )
        by_id.update((row[0], read_document(row)) for row in changed)
        present = [number for (number,) in reader.connection.execute("SELECT id FROM documents ORDER BY id")]
        self._by_id = {number: by_id[number] for number in present}
        self._all = tuple(self._by_id.values())
        self._generation = reader.generation


Row = TypeVar("Row")


class RowMemory(Generic[Row]):
    """Rows by id, remembered within one generation: questions in a row meet the same ones. Thread-safe."""

    def __init__(self, most: int) -> None:
        self._lock = threading.Lock()
        self._most = most
        self._moment = ((0, 0), 0)
        self._rows: dict[int, Row] = {}

    def read(
        self, reader: Reader, numbers: Iterable[int], fetch: Callable[[list[int]], dict[int, Row]]
    ) -> dict[int, Row]:
        """These rows as of the reader's generation; those not remembered are fetched together, absent ones left out."""
        wanted = list(numbers)
        moment = (reader.identity, reader.generation)
        with self._lock:
            if moment != self._moment or len(self._rows) > self._most:
                self._moment, self._rows = moment, {}
            known = {number: self._rows[number] for number in wanted if number in self._rows}
        missing = [number for number in wanted if number not in known]
        if missing:
            fetched = fetch(missing)
            with self._lock:
                if moment == self._moment:
                    self._rows.update(fetched)
            known |= fetched
        return known


class FrequencyMemory:
    """How many chunks hold a word, and how many there are, counted once per generation. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._moment = ((0, 0), 0)
        self._counts: dict[str, int] = {}
        self._chunks: int | None = None

    def count(self, reader: Reader, words: Iterable[str]) -> dict[str, int]:
        """Rows of each word as of the reader's generation."""
        wanted = list(dict.fromkeys(words))
        moment = (reader.identity, reader.generation)
        with self._lock:
            self._turn_to(moment)
            known = {word: self._counts[word] for word in wanted if word in self._counts}
        counted = count_rows(reader.connection, [word for word in wanted if word not in known])
        with self._lock:
            if moment == self._moment:
                self._counts.update(counted)
        return known | counted

    def chunks(self, reader: Reader) -> int:
        """All chunks as of the reader's generation."""
        moment = (reader.identity, reader.generation)
        with self._lock:
            self._turn_to(moment)
            if self._chunks is not None:
                return self._chunks
        total = reader.connection.execute("SELECT coalesce(sum(chunk_count), 0) FROM documents").fetchone()[0]
        with self._lock:
            if moment == self._moment:
                self._chunks = total
        return int(total)

    def _turn_to(self, moment: tuple[tuple[int, int], int]) -> None:
        if moment != self._moment or len(self._counts) > _MAX_FREQUENCIES:
            self._moment, self._counts, self._chunks = moment, {}, None
