"""What is read from the tables of one commit: documents, skips, chunks, and the texts that wait for a vector."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from gnomon.store.base import FileCounts, ManifestRow, StoredChunk, StoredDocument, text_key
from gnomon.store.lancedb.connections import Snapshot
from gnomon.store.lancedb.database import Table
from gnomon.store.lancedb.tables import among, among_ids, place_key
from gnomon.store.rows import (
    path_blob,
    read_chunk,
    read_counts,
    read_document,
    read_partial,
    read_skip,
)
from gnomon.store.schema import MAX_CHUNKS, ORDINAL_BITS, PARTIAL_MARK

_DOCUMENT = ("id", "folder", "path", "size_bytes", "mtime_ns", "ctime_ns", "sha256", "chunk_count", "head")
_SKIP = ("path", "reason", "size_bytes", "mtime_ns", "ctime_ns", "sha256", "extractor", "detail")
_MANIFEST = ("path", "size_bytes", "mtime_ns", "ctime_ns", "sha256", "extractor", "chunk_count")
_HEAD = ("id", "crc", "head")
_TEXT = ("id", "crc", "head", "embedded", "body")


def _rows(table: Table, condition: str, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    found = table.rows(condition, columns)
    return list(zip(*(found[name].to_pylist() for name in columns), strict=True))


class Reading:
    """Questions to one snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    @property
    def generation(self) -> int:
        """Of the commit."""
        return self._snapshot.head.generation

    def _files(self, condition: str, columns: Sequence[str]) -> list[tuple[Any, ...]]:
        return _rows(self._snapshot.table("files"), condition, columns)

    def folders(self) -> list[str]:
        """In alphabetical order."""
        return [os.fsdecode(blob) for blob in sorted(map(bytes.fromhex, self._snapshot.head.folders))]

    def manifest(self, folder: str) -> dict[str, ManifestRow]:
        """Every path stored for a folder root."""
        if path_blob(folder).hex() not in self._snapshot.head.folders:
            return {}
        here = f"folder = X'{path_blob(folder).hex()}'"
        rows = self._files(f"{here} AND reason = ''", _MANIFEST)
        manifest = {os.fsdecode(path): ManifestRow(*rest) for path, *rest in rows}
        manifest.update(map(read_skip, self._files(f"{here} AND reason != ''", _SKIP)))
        return manifest

    def file_counts(self) -> dict[str, FileCounts]:
        """Of each folder that has documents or skips, by its root; in alphabetical order."""
        files = Counter(self._files("", ("folder", "reason")))
        return read_counts((folder, reason, count) for (folder, reason), count in sorted(files.items()))

    def documents(self, ids: Collection[int]) -> dict[int, StoredDocument]:
        """Documents by id; those gone are left out."""
        rows = self._files(f"{among_ids('id', ids)} AND reason = ''", _DOCUMENT)
        return {row[0]: read_document(row) for row in rows}

    def unliving(self) -> tuple[StoredDocument, ...]:
        """By id."""
        return tuple(map(read_document, sorted(self._files("unliving = true", _DOCUMENT))))

    def partial(self) -> tuple[StoredDocument, ...]:
        """By id."""
        rows = self._files(f"contains(head, '{PARTIAL_MARK}') AND reason = ''", _DOCUMENT)
        return read_partial(sorted(rows))

    def find(self, folder: str, path: str) -> StoredDocument | None:
        """The document at a path."""
        try:
            place = place_key(folder, path)
        except UnicodeEncodeError:
            return None  # no file has such a name
        rows = self._files(f"{among('place', [place])} AND reason = ''", _DOCUMENT)
        return read_document(rows[0]) if rows else None

    def changed_documents(self, since: int) -> list[StoredDocument]:
        """Those written or touched after a generation."""
        return [read_document(row) for row in self._files(f"generation > {since} AND reason = ''", _DOCUMENT)]

    def document_ids(self) -> list[int]:
        """Of all documents, ascending."""
        return sorted(number for (number,) in self._files("reason = ''", ["id"]))

    def chunks(self, ids: Sequence[int], *, with_text: bool) -> list[StoredChunk]:
        """In the order asked for; those gone are left out."""
        columns = _TEXT if with_text else _HEAD
        rows = _rows(self._snapshot.table("chunks"), among_ids("id", ids), columns)
        found = {row[0]: read_chunk(row) for row in rows}
        return [found[number] for number in ids if number in found]

    def chunks_of(self, document_id: int) -> list[StoredChunk]:
        """All of a document, by ordinal."""
        first = document_id << ORDINAL_BITS
        condition = f"id >= {first} AND id < {first + MAX_CHUNKS}"
        rows = _rows(self._snapshot.table("chunks"), condition, _TEXT)
        return [read_chunk(row) for row in sorted(rows)]

    def pending(self, limit: int) -> list[tuple[bytes, str]]:
        """(key, embedded text) of texts without a vector, each once; newest documents first."""
        if not self._snapshot.head.counts.waiting:
            return []
        columns = ["mtime_ns", "id", "key"]
        rows = self._snapshot.table("waiting").rows("", columns)
        ordered = rows.sort_by([("mtime_ns", "descending"), ("id", "ascending")])
        chosen: dict[str, int] = {}
        for number, key in zip(ordered["id"].to_pylist(), ordered["key"].to_pylist(), strict=True):
            if len(chosen) >= limit:
                break
            chosen.setdefault(key, number)
        texts = (stored.chunk.embedded for stored in self.chunks(list(chosen.values()), with_text=True))
        return [(text_key(text), text) for text in texts]
