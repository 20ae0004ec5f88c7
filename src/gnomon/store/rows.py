"""Values to columns and back. All text is stored as bytes or ASCII JSON, so that lone surrogates survive."""

from __future__ import annotations

import json
import os
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from gnomon.store.base import FileCounts, ManifestRow, SkipWrite, StoredChunk, StoredDocument
from gnomon.store.damage import DamagedRowError
from gnomon.store.schema import MAX_CHUNKS, ORDINAL_BITS
from gnomon.store.terms import encode_all
from gnomon.values import PARTLY, Anchor, Chunk, ChunkWords, Document, Skip, SkipReason, Span, Status

# Between chunks and between fields of ``document_words``; encoded words hold neither.
_CHUNK_END, _FIELD_END = "\n", "\t"
# What ``json.loads`` does after two searches for white space, which nobody wrote.
_decode = json.JSONDecoder().raw_decode
# ``json.dumps`` with separators makes an encoder for each call.
_encode = json.JSONEncoder(separators=(",", ":")).encode

_WORDS_LEVEL = 3  # 172 bytes per chunk of code for 730 of words, 8 µs; level 6: 155 and 14

DOCUMENT_COLUMNS = "d.id, f.root, d.path, d.size_bytes, d.mtime_ns, d.ctime_ns, d.sha256, d.chunk_count, d.head"
FROM_DOCUMENTS = f"SELECT {DOCUMENT_COLUMNS} FROM documents AS d JOIN folders AS f ON f.id = d.folder"  # noqa: S608
TEXT_COLUMNS = "t.id, t.crc, t.head, t.embedded, t.body"
HEAD_COLUMNS = "t.id, t.crc, t.head"
INSERT_WORDS = "INSERT INTO words (rowid, body, symbols, headings, path) VALUES (?, ?, ?, ?, ?)"


def to_blob(text: str) -> bytes:
    """UTF-8, with lone surrogates as they are."""
    return text.encode("utf-8", "surrogatepass")


def from_blob(blob: bytes) -> str:
    """Inverse of ``to_blob``."""
    return blob.decode("utf-8", "surrogatepass")


def path_blob(path: str) -> bytes:
    """The bytes of a path on disk.

    Raises:
        UnicodeEncodeError: It holds surrogates that no file name decodes to.
    """
    return os.fsencode(path)


def is_unliving(document: Document) -> bool:
    """Whether the document says anything of its life but "living"."""
    told = document.expires or document.successors or document.supersedes
    return document.status is not Status.LIVING or bool(told)


def document_head(document: Document) -> str:
    """JSON of what is only read back, trailing defaults left out."""
    return _compact(
        [
            document.kind,
            document.language,
            document.title,
            document.status.value,
            document.date,
            document.expires,
            document.successors,
            document.status_line,
            [(anchor.offset, anchor.label) for anchor in document.anchors],
            document.warnings,
            document.redactions,
            document.supersedes,
        ]
    )


def read_document(row: Sequence[Any]) -> StoredDocument:
    """Inverse, of ``DOCUMENT_COLUMNS``.

    Raises:
        DamagedRowError: The row is not what was written.
    """
    number, root, path, size_bytes, mtime_ns, ctime_ns, sha256, chunk_count, head = row
    try:
        fields = _expand(head, ("prose", "", "", "living", "", "", (), 0, (), (), 0, ()))
        document = Document(
            folder=os.fsdecode(root),
            path=os.fsdecode(path),
            size_bytes=size_bytes,
            mtime_ns=mtime_ns,
            ctime_ns=ctime_ns,
            sha256=sha256,
            kind=fields[0],
            language=fields[1],
            title=fields[2],
            status=Status(fields[3]),
            date=fields[4],
            expires=fields[5],
            successors=tuple(fields[6]),
            status_line=fields[7],
            anchors=tuple(Anchor(offset, label) for offset, label in fields[8]),
            warnings=tuple(fields[9]),
            redactions=fields[10],
            supersedes=tuple(fields[11]),
        )
    except (ValueError, TypeError) as e:
        raise DamagedRowError(f"document {number}: {e}") from e
    return StoredDocument(number, document, chunk_count)


def read_partial(rows: Iterable[Sequence[Any]]) -> tuple[StoredDocument, ...]:
    """Those of some rows of ``DOCUMENT_COLUMNS`` whose warnings say that the text is not the whole of the document."""
    documents = map(read_document, rows)
    return tuple(each for each in documents if any(told.startswith(PARTLY) for told in each.document.warnings))


def chunk_head(chunk: Chunk) -> str:
    """JSON of a chunk without its texts, trailing defaults left out."""
    return _compact(
        [
            chunk.span.start,
            chunk.span.end,
            chunk.start_line,
            chunk.end_line,
            chunk.breadcrumb,
            chunk.symbols,
            chunk.signature,
            chunk.context,
            int(chunk.deprecated),
        ]
    )


def text_row(number: int, chunk: Chunk) -> tuple[int, int, str, bytes, bytes | None]:
    """A row of ``texts``: id, crc, head, body, embedded."""
    head, body = chunk_head(chunk), to_blob(chunk.text)
    embedded = to_blob(chunk.embed_text) if chunk.embed_text else None
    return number, _crc(head, embedded, body), head, body, embedded


def read_chunk(row: Sequence[Any]) -> StoredChunk:
    """Inverse, of ``TEXT_COLUMNS`` or ``HEAD_COLUMNS``; texts are compared with their checksum.

    Raises:
        DamagedRowError: The row is not what was written.
    """
    number, crc, head = row[:3]
    embedded, body = row[3:] if len(row) > 3 else (None, b"")
    try:
        if len(row) > 3 and _crc(head, embedded, body) != crc:
            raise DamagedRowError(f"text of chunk {number} does not match its checksum")
        fields = _expand(head, (0, 0, 0, 0, (), (), "", "", 0))
        chunk = Chunk(
            ordinal=number & (MAX_CHUNKS - 1),
            span=Span(fields[0], fields[1]),
            start_line=fields[2],
            end_line=fields[3],
            text=from_blob(body),
            breadcrumb=tuple(fields[4]),
            symbols=tuple(fields[5]),
            signature=fields[6],
            context=fields[7],
            embed_text=from_blob(embedded) if embedded else "",
            deprecated=bool(fields[8]),
        )
    except (ValueError, TypeError, AttributeError) as e:
        raise DamagedRowError(f"chunk {number}: {e}") from e
    return StoredChunk(number, number >> ORDINAL_BITS, chunk)


def _crc(head: str, embedded: bytes | None, body: bytes) -> int:
    return zlib.crc32(body, zlib.crc32(embedded or b"", zlib.crc32(head.encode())))


def words_columns(words: ChunkWords) -> tuple[str, str, str, str]:
    """What FTS5 reads for one chunk: body, symbols, headings, path."""
    return encode_all(words.body), encode_all(words.symbols), encode_all(words.headings), encode_all(words.path)


def pack_words(chunks: Iterable[tuple[int, tuple[str, str, str, str]]]) -> bytes:
    """The words of a document's chunks, each with its ordinal."""
    lines = (_FIELD_END.join((str(ordinal), *columns)) for ordinal, columns in chunks)
    return zlib.compress(_CHUNK_END.join(lines).encode(), _WORDS_LEVEL)


def unpack_words(blob: bytes) -> list[tuple[int, tuple[str, str, str, str]]]:
    """Inverse of ``pack_words``.

    Raises:
        DamagedRowError: The blob is not what was written.
    """
    try:
        text = zlib.decompress(blob).decode()
        chunks = []
        for line in text.split(_CHUNK_END) if text else ():
            ordinal, body, symbols, headings, path = line.split(_FIELD_END)
            chunks.append((int(ordinal), (body, symbols, headings, path)))
    except (zlib.error, ValueError) as e:
        raise DamagedRowError(f"words of a document: {e}") from e
    return chunks


def skip_row(folder: int, write: SkipWrite, extractor: str) -> tuple[object, ...]:
    """A row of ``skips``."""
    return (
        folder,
        path_blob(write.skip.path),
        write.skip.reason.value,
        write.size_bytes,
        write.mtime_ns,
        write.ctime_ns,
        write.sha256,
        extractor,
        to_blob(write.skip.detail),
    )


def read_skip(row: Sequence[Any]) -> tuple[str, ManifestRow]:
    """(path, manifest row) of path, reason, size, mtime, ctime, sha256, extractor, detail.

    Raises:
        DamagedRowError: The row is not what was written.
    """
    raw, reason, size_bytes, mtime_ns, ctime_ns, sha256, extractor, detail = row
    path = os.fsdecode(raw)
    try:
        skip = Skip(path, SkipReason(reason), from_blob(detail))
    except ValueError as e:
        raise DamagedRowError(f"skip: {e}") from e
    return path, ManifestRow(size_bytes, mtime_ns, ctime_ns, sha256, extractor, 0, skip)


def read_counts(rows: Iterable[tuple[bytes, str, int]]) -> dict[str, FileCounts]:
    """By root, of its bytes, a reason and how many files were skipped for it; "" stands for those that were not."""
    skips: dict[str, dict[str, int]] = {}
    documents: Counter[str] = Counter()
    for raw, reason, count in rows:
        root = os.fsdecode(raw)
        of_root = skips.setdefault(root, {})
        if reason:
            of_root[reason] = count
        else:
            documents[root] = count
    return {root: FileCounts(documents[root], of_root) for root, of_root in skips.items()}


def _compact(fields: list[Any]) -> str:
    while fields and not fields[-1]:
        fields.pop()
    return _encode(fields)


def _expand(text: str, defaults: tuple[Any, ...]) -> list[Any]:
    fields, end = _decode(text)
    if end != len(text) or not isinstance(fields, list) or len(fields) > len(defaults):
        raise ValueError("not a row of this schema")
    return [*fields, *defaults[len(fields) :]]
