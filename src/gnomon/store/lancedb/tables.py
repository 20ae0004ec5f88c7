"""Tables of the LanceDB store: columns, indexes, and how ids and keys are written in a filter."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pyarrow as pa
from lancedb.index import FTS, BTree

from gnomon.store.lancedb.database import Database, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Runs of ids this long become a range; shorter ones are listed.
_MIN_RUN = 4
# Ids, keys or places in one condition: a longer one costs more to read than two statements.
_PER_CONDITION = 2_000

Item = TypeVar("Item")


def schemas(dim: int) -> dict[str, pa.Schema]:
    """Columns of each table.

    ``files`` holds documents and skips (``reason`` not ""); ``waiting`` the chunks without a vector; ``kept`` vectors
    that no chunk has at present; ``frequencies`` changes of the number of chunks with a word, to be added up.
    """
    vector = pa.list_(pa.float16(), dim)
    return {
        "files": _schema(
            id=pa.int64(),
            place=pa.string(),
            folder=pa.binary(),
            path=pa.binary(),
            size_bytes=pa.int64(),
            mtime_ns=pa.int64(),
            ctime_ns=pa.int64(),
            sha256=pa.string(),
            extractor=pa.string(),
            chunk_count=pa.int64(),
            unliving=pa.bool_(),
            generation=pa.int64(),
            head=pa.string(),
            reason=pa.string(),
            detail=pa.binary(),
        ),
        "chunks": _schema(
            id=pa.int64(),
            document=pa.int64(),
            crc=pa.int64(),
            head=pa.string(),
            body=pa.binary(),
            embedded=pa.binary(),
            words=pa.string(),
            length=pa.int32(),
        ),
        "vectors": _schema(id=pa.int64(), document=pa.int64(), key=pa.string(), vector=vector),
        "waiting": _schema(id=pa.int64(), document=pa.int64(), mtime_ns=pa.int64(), key=pa.string()),
        "kept": _schema(key=pa.string(), idle_since=pa.int64(), vector=vector),
        "frequencies": _schema(word=pa.string(), chunks=pa.int64()),
    }


INDEXES: dict[str, tuple[str, ...]] = {
    "files": ("id", "place"),
    "chunks": ("id", "document"),
    "vectors": ("id", "document", "key"),
    "waiting": ("key",),
    "kept": ("key",),
    "frequencies": ("word",),
}


def _schema(**columns: pa.DataType) -> pa.Schema:
    return pa.schema([pa.field(name, kind) for name, kind in columns.items()])


def make_table(database: Database, name: str, physical: str, dim: int) -> Table:
    """An empty table with its indexes."""
    table = database.create(physical, schemas(dim)[name])
    make_indexes(table, name)
    return table


def make_indexes(table: Table, name: str) -> None:
    """The indexes of a table, from scratch."""
    for column in INDEXES[name]:
        table.index(column, BTree())
    if name == "chunks":
        table.index("words", _whole_words())


def _whole_words() -> FTS:
    """Words come analyzed, with blanks between: nothing is folded, cut, stemmed or left out again."""
    return FTS(
        with_position=False,
        base_tokenizer="whitespace",
        max_token_length=None,
        lower_case=False,
        stem=False,
        remove_stop_words=False,
        ascii_folding=False,
    )


def place_key(folder: str, path: str) -> str:
    """Where a file is, as 32 hex digits.

    Raises:
        UnicodeEncodeError: It holds surrogates that no file name decodes to.
    """
    return hashlib.blake2b(os.fsencode(folder) + b"\0" + os.fsencode(path), digest_size=16).hexdigest()


def in_parts(items: Collection[Item]) -> Iterator[list[Item]]:
    """Not more at a time than fit into one condition."""
    listed = list(items)
    for start in range(0, len(listed), _PER_CONDITION):
        yield listed[start : start + _PER_CONDITION]


def among_ids(column: str, ids: Iterable[int]) -> str:
    """Condition that a column is one of these ids; neighbours are written as a range."""
    numbers = sorted(set(ids))
    single: list[int] = []
    parts: list[str] = []
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        if len(run) < _MIN_RUN:
            single += run
        else:
            parts.append(f"({column} >= {run[0]} AND {column} <= {run[-1]})")
    if single or not parts:
        parts.append(f"{column} IN ({', '.join(map(str, single))})" if single else "false")
    return " OR ".join(parts) if len(parts) == 1 else f"({' OR '.join(parts)})"


def among(column: str, values: Iterable[str]) -> str:
    """Condition that a column is one of these strings."""
    quoted = ", ".join("'{}'".format(value.replace("'", "''")) for value in values)
    return f"{column} IN ({quoted})" if quoted else "false"


def halves_of(table: pa.Table) -> NDArray[np.float16]:
    """The column ``vector``, shape (rows, dim)."""
    column = table["vector"].combine_chunks()
    flat = column.flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat.reshape(table.num_rows, column.type.list_size), np.float16)
