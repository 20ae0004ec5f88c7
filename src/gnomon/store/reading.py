"""Reading that spans rows: the manifest, the documents that changed, and the waiting texts."""

from __future__ import annotations

import os
import sqlite3

from gnomon.store.base import FileCounts, ManifestRow, StoredDocument, text_key
from gnomon.store.rows import (
    FROM_DOCUMENTS,
    TEXT_COLUMNS,
    path_blob,
    read_chunk,
    read_counts,
    read_document,
    read_partial,
    read_skip,
)
from gnomon.store.schema import MAX_CHUNKS, ORDINAL_BITS, PARTIAL_MARK


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


def file_counts(connection: sqlite3.Connection) -> dict[str, FileCounts]:
    """Of each folder that has documents or skips, by its root."""
    return read_counts(
        connection.execute(
            "SELECT f.root, '', count(*) FROM folders AS f JOIN documents AS d ON d.folder = f.id GROUP BY f.id"
            " UNION ALL"
            " SELECT f.root, s.reason, count(*) FROM folders AS f JOIN skips AS s ON s.folder = f.id"
            " GROUP BY f.id, s.reason ORDER BY 1, 2"
        )
    )


def partial_documents(connection: sqlite3.Connection) -> tuple[StoredDocument, ...]:
    """Those read in part, by id."""
    # A literal, not a parameter: that is how SQLite knows the index for it.
    rows = connection.execute(f"{FROM_DOCUMENTS} WHERE instr(d.head, '{PARTIAL_MARK}') > 0 ORDER BY d.id")
    return read_partial(rows)


def changed_documents(connection: sqlite3.Connection, since: int) -> list[StoredDocument]:
    """Those written or touched after a generation."""
    rows = connection.execute(f"{FROM_DOCUMENTS} WHERE d.generation > ?", (since,))
    return [read_document(row) for row in rows]


def document_ids(connection: sqlite3.Connection) -> list[int]:
    """Of all documents, ascending."""
    return [number for (number,) in connection.execute("SELECT id FROM documents ORDER BY id")]


def chunk_count(connection: sqlite3.Connection) -> int:
    """Of all documents together."""
    return int(connection.execute("SELECT coalesce(sum(chunk_count), 0) FROM documents").fetchone()[0])


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
