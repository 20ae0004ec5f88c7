"""What is read from the tables of one moment: documents, skips, chunks, and the texts that wait for a vector."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from gnomon.store.base import FileCounts, ManifestRow, StoredChunk, StoredDocument, text_key
from gnomon.store.postgres.connections import Reader
from gnomon.store.rows import (
    path_blob,
    read_chunk,
    read_counts,
    read_document,
    read_partial,
    read_skip,
)
from gnomon.store.schema import ORDINAL_BITS, PARTIAL_MARK

_DOCUMENTS = (
    "SELECT id, folder, path, size_bytes, mtime_ns, ctime_ns, sha256, chunk_count, head FROM {s}.documents WHERE "
)
_TEXT = "id, crc, head, embedded, body"
_HEAD = "id, crc, head"


def folders(reader: Reader) -> list[str]:
    """In alphabetical order."""
    rows = reader.execute("SELECT folder FROM {s}.documents UNION SELECT folder FROM {s}.skips ORDER BY 1")
    return [os.fsdecode(folder) for (folder,) in rows]


def manifest(reader: Reader, folder: str) -> dict[str, ManifestRow]:
    """Every path stored for a folder root."""
    where = (path_blob(folder),)
    documents = reader.execute(
        "SELECT path, size_bytes, mtime_ns, ctime_ns, sha256, extractor, chunk_count"
        " FROM {s}.documents WHERE folder = %s",
        where,
    )
    found = {os.fsdecode(path): ManifestRow(*rest) for path, *rest in documents}
    skips = reader.execute(
        "SELECT path, reason, size_bytes, mtime_ns, ctime_ns, sha256, extractor, detail"
        " FROM {s}.skips WHERE folder = %s",
        where,
    )
    found.update(read_skip(row) for row in skips)
    return found


def file_counts(reader: Reader) -> dict[str, FileCounts]:
    """Of each folder that has documents or skips, by its root; in alphabetical order."""
    return read_counts(
        reader.execute(
            "SELECT folder, '', count(*) FROM {s}.documents GROUP BY folder"
            " UNION ALL SELECT folder, reason, count(*) FROM {s}.skips GROUP BY folder, reason ORDER BY 1, 2"
        )
    )


def documents_by_id(reader: Reader, ids: Collection[int]) -> dict[int, StoredDocument]:
    """Those gone are left out."""
    memory = reader.remembered.documents
    missing = [number for number in ids if number not in memory]
    if missing:
        rows = reader.execute(_DOCUMENTS + "id = ANY(%s)", (missing,))
        memory.update((row[0], read_document(row)) for row in rows)
    return {number: memory[number] for number in ids if number in memory}


def unliving(reader: Reader) -> tuple[StoredDocument, ...]:
    """By id."""
    return tuple(read_document(row) for row in reader.execute(_DOCUMENTS + "unliving ORDER BY id"))


def partial(reader: Reader) -> tuple[StoredDocument, ...]:
    """By id."""
    return read_partial(reader.execute(_DOCUMENTS + "strpos(head, %s) > 0 ORDER BY id", (PARTIAL_MARK,)))


def find(reader: Reader, folder: str, path: str) -> StoredDocument | None:
    """The document at a path."""
    try:
        where = (path_blob(folder), path_blob(path))
    except UnicodeEncodeError:
        return None  # no file has such a name
    for stored in reader.remembered.documents.values():
        if stored.document.path == path and stored.document.folder == folder:
            return stored
    row = reader.execute(_DOCUMENTS + "folder = %s AND path = %s", where).fetchone()
    return read_document(row) if row else None


def chunks(reader: Reader, ids: Sequence[int], *, with_text: bool) -> list[StoredChunk]:
    """In the order asked for; those gone are left out."""
    columns = _TEXT if with_text else _HEAD
    rows = reader.execute(
        f"SELECT {columns} FROM {{s}}.texts WHERE document = ANY(%s) AND id = ANY(%s)",  # noqa: S608 - constants
        (sorted({number >> ORDINAL_BITS for number in ids}), list(ids)),
    )
    found = {row[0]: read_chunk(row) for row in rows}
    return [found[number] for number in ids if number in found]


def document_chunks(reader: Reader, document_id: int) -> list[StoredChunk]:
    """All of a document, by ordinal."""
    rows = reader.execute(f"SELECT {_TEXT} FROM {{s}}.texts WHERE document = %s ORDER BY id", (document_id,))  # noqa: S608
    return [read_chunk(row) for row in rows]


def changed_documents(reader: Reader, since: int) -> list[StoredDocument]:
    """Those written or touched after a generation."""
    return [read_document(row) for row in reader.execute(_DOCUMENTS + "generation > %s", (since,))]


def document_ids(reader: Reader) -> list[int]:
    """Of all documents, ascending."""
    return [number for (number,) in reader.execute("SELECT id FROM {s}.documents ORDER BY id")]


def pending(reader: Reader, limit: int) -> list[tuple[bytes, str]]:
    """(key, embedded text) of texts without a vector, each once; newest documents first."""
    chosen: dict[bytes, int] = {}
    asked = 2 * limit
    while True:
        rows = reader.execute(
            "SELECT key, id FROM {s}.waiting ORDER BY mtime_ns DESC, id LIMIT %s", (asked,)
        ).fetchall()
        for key, number in rows:
            chosen.setdefault(bytes(key), number)
        if len(chosen) >= limit or len(rows) < asked:
            break
        asked *= 4  # many copies of few texts
    numbers = list(chosen.values())[:limit]
    texts = (stored.chunk.embedded for stored in chunks(reader, numbers, with_text=True))
    return [(text_key(text), text) for text in texts]


def size_bytes(reader: Reader) -> int:
    """Of all tables of the corpus, with their indexes."""
    if reader.remembered.size_bytes is None:
        row = reader.execute(
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class AS c"
            " JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relkind IN ('r', 'p', 'm')",
            (reader.schema,),
        ).fetchone()
        reader.remembered.size_bytes = int(row[0]) if row else 0
    return reader.remembered.size_bytes
