"""Rows of documents that come into a SQLite store: all that is made of them before the index is asked anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gnomon.store.base import DocumentWrite, text_key
from gnomon.store.rows import pack_words, text_row, words_columns
from gnomon.store.schema import ORDINAL_BITS

# Id of a chunk and what FTS5 reads for it: body, symbols, headings, path.
WordsRow = tuple[int, str, str, str, str]


@dataclass(frozen=True, slots=True)
class NewRows:
    """For each table a list, by id.

    Attributes:
        chunks: Id and key.
        texts: See ``rows.text_row``.
        words: For FTS5.
        document_words: Id of the document, and ``rows.pack_words``.
    """

    chunks: list[tuple[int, bytes]]
    texts: list[tuple[int, int, str, bytes, bytes | None]]
    words: list[WordsRow]
    document_words: list[tuple[int, bytes]]


def new_rows(writes: Mapping[int, DocumentWrite]) -> NewRows:
    """Rows of documents by their ids, which ascend."""
    rows = NewRows([], [], [], [])
    for number, write in writes.items():
        base = number << ORDINAL_BITS
        columns = []
        for chunk, words in zip(write.chunks, write.words, strict=True):
            fields = words_columns(words)
            columns.append((chunk.ordinal, fields))
            rows.words.append((base + chunk.ordinal, *fields))
            rows.chunks.append((base + chunk.ordinal, text_key(chunk.embedded)))
            rows.texts.append(text_row(base + chunk.ordinal, chunk))
        rows.document_words.append((number, pack_words(columns)))
    return rows
