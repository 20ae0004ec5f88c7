"""Tables of the SQLite store, and what the file says of itself: its schema, its fingerprint, its generation."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path

from gnomon.errors import DamagedError, MismatchError, StoreError
from gnomon.store import SCHEMA_VERSION
from gnomon.store.base import Fingerprint
from gnomon.store.damage import damaged
from gnomon.values import PARTLY

# "gnom" in ASCII, in the header of the file: `file index.db` shows it, and another program's database is left alone.
APPLICATION_ID = 0x676E6F6D

# A chunk's id is its document's id and its ordinal, so that a filter over documents costs a shift, not a join, and
# an id never comes back with another text: a document written again gets a new id.
ORDINAL_BITS = 20
MAX_CHUNKS = 1 << ORDINAL_BITS

# In the head of each document that was read in part, and of hardly any other.
PARTIAL_MARK = f'"{PARTLY}'

# Every printable ASCII character belongs to a word; see ``terms.encode``.
_TOKEN_CHARACTERS = "".join(chr(code) for code in range(0x21, 0x7F) if not chr(code).isalnum())
_TOKENIZER = "ascii tokenchars '{}'".format(_TOKEN_CHARACTERS.replace("'", "''")).replace('"', '""')

_TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE folders (id INTEGER PRIMARY KEY, root BLOB NOT NULL UNIQUE);

CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    folder INTEGER NOT NULL,
    path BLOB NOT NULL,
    size_bytes INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    extractor TEXT NOT NULL,
    chunk_count INTEGER NOT NULL,
    missing INTEGER NOT NULL,    -- chunks without a vector
    unliving INTEGER NOT NULL,   -- 1: status, expiry or successors say something
    generation INTEGER NOT NULL, -- of the last change to this row
    head TEXT NOT NULL           -- JSON of all that is only read back
);
CREATE UNIQUE INDEX documents_path ON documents (folder, path);
-- With what is counted, so that counting does not walk over the rows.
CREATE INDEX documents_generation ON documents (generation, chunk_count, missing);
CREATE INDEX documents_missing ON documents (mtime_ns DESC, missing) WHERE missing > 0;
CREATE INDEX documents_unliving ON documents (id) WHERE unliving = 1;
CREATE INDEX documents_partial ON documents (id) WHERE instr(head, '{PARTIAL_MARK}') > 0;

CREATE TABLE skips (
    folder INTEGER NOT NULL,
    path BLOB NOT NULL,
    reason TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    extractor TEXT NOT NULL,
    detail BLOB NOT NULL,
    PRIMARY KEY (folder, path)
) WITHOUT ROWID;

-- Narrow, so that joins and counts do not walk over text.
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    vector INTEGER, -- vectors.id, with slot or not at all
    slot INTEGER    -- page * rows per page + row
);
CREATE INDEX chunks_waiting ON chunks (key) WHERE slot IS NULL;

CREATE TABLE texts (
    id INTEGER PRIMARY KEY,
    crc INTEGER NOT NULL, -- of head, body and embedded: no flipped bit is ever shown as text
    head TEXT NOT NULL,   -- JSON
    body BLOB NOT NULL,   -- UTF-8
    embedded BLOB         -- UTF-8, where the embedder reads something else
);

-- The words of a document as they went into the index, because FTS5 without content needs them to delete.
CREATE TABLE document_words (document INTEGER PRIMARY KEY, words BLOB NOT NULL);

CREATE VIRTUAL TABLE words USING fts5(body, symbols, headings, path, content='', tokenize="{_TOKENIZER}");
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);

CREATE TABLE pages (
    page INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL,
    live INTEGER NOT NULL,
    head BLOB NOT NULL -- see pages.Head
);
CREATE TABLE page_rows (page INTEGER PRIMARY KEY, rows BLOB NOT NULL);
"""

# Kept when an index is replaced by one of the same model.
_VECTORS = """
CREATE TABLE vectors (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    uses INTEGER NOT NULL,       -- live chunks with this text
    idle_since INTEGER NOT NULL, -- Unix seconds at which uses fell to 0
    crc INTEGER NOT NULL,
    half BLOB NOT NULL           -- float16
);
CREATE INDEX vectors_idle ON vectors (idle_since) WHERE uses = 0;
"""


def create(connection: sqlite3.Connection, fingerprint: Fingerprint) -> None:
    """Make the tables and say what they are, inside the caller's transaction."""
    _run(connection, _TABLES)
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'vectors'").fetchone():
        _run(connection, _VECTORS)
    meta = {
        "fingerprint": marshal(fingerprint),
        "extractor": fingerprint.extractor,
        "generation": "1",
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def reset(connection: sqlite3.Connection, fingerprint: Fingerprint) -> None:
    """Empty the index inside the caller's transaction; vectors stay where the model is the same."""
    generation, stored = 0, None
    try:
        generation = read_generation(connection)
        stored = unmarshal(connection)
    except (sqlite3.OperationalError, StoreError, ValueError):
        pass  # an older or torn description: nothing to keep
    keep = stored is not None and _vectors_stay(stored, fingerprint)
    _drop_all(connection, keep={"vectors", "vectors_idle"} if keep else set())
    create(connection, fingerprint)
    # Goes on rising, so that readers who remember the old index see that it changed.
    connection.execute("UPDATE meta SET value = ? WHERE key = 'generation'", (str(generation + 1),))
    if keep:
        connection.execute("UPDATE vectors SET uses = 0, idle_since = ? WHERE uses > 0", (int(time.time()),))


def _vectors_stay(stored: Fingerprint, fingerprint: Fingerprint) -> bool:
    same_model = (stored.model, stored.dim) == (fingerprint.model, fingerprint.dim)
    return same_model and stored.schema == fingerprint.schema


def _drop_all(connection: sqlite3.Connection, keep: set[str]) -> None:
    # Virtual tables first: their shadow tables go with them.
    select = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    for virtual_only in (" AND sql LIKE 'CREATE VIRTUAL%' ORDER BY name = 'words'", ""):
        for (name,) in connection.execute(select + virtual_only).fetchall():
            if name not in keep:
                connection.execute(f'DROP TABLE IF EXISTS "{name}"')


def _run(connection: sqlite3.Connection, statements: str) -> None:
    # Not executescript: that commits the transaction it finds.
    for statement in statements.split(";\n"):
        if statement.strip():
            connection.execute(statement)


def marshal(fingerprint: Fingerprint) -> str:
    """All of a fingerprint that must agree, as it stands in the file."""
    return json.dumps(
        {
            "schema": fingerprint.schema,
            "model": fingerprint.model,
            "dim": fingerprint.dim,
            "analyzer": fingerprint.analyzer,
            "chunker": fingerprint.chunker,
        }
    )


def unmarshal(connection: sqlite3.Connection) -> Fingerprint:
    """The fingerprint as stored.

    Raises:
        ValueError: It is absent or torn.
    """
    fields = json.loads(read_meta(connection, "fingerprint") or "{}")
    try:
        return Fingerprint(**fields, extractor=read_meta(connection, "extractor"))
    except TypeError as e:
        raise ValueError(f"fingerprint: {e}") from e


def read_meta(connection: sqlite3.Connection, key: str) -> str:
    """A small string, "" where absent."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return str(row[0]) if row else ""


def read_generation(connection: sqlite3.Connection) -> int:
    """Of the last committed change, 0 where none is recorded."""
    return int(read_meta(connection, "generation") or 0)


def raise_generation(connection: sqlite3.Connection) -> int:
    """Count one more change, inside the caller's transaction."""
    row = connection.execute(
        "UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'generation' RETURNING value"
    ).fetchone()
    return int(row[0])


def refuse_other(path: Path, connection: sqlite3.Connection, fingerprint: Fingerprint) -> None:
    """Compare the file's description with the program's.

    Raises:
        MismatchError: They differ; the text names each difference and the command that mends it.
        StoreError: The file holds no index, or another program's.
    """
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION_ID:
        if version == 0 and not connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
            raise StoreError(f"there is no index at {path} (empty file); run: gnomon index")
        raise StoreError(f"{path} is the database of another program; name another place for the index")
    if version > SCHEMA_VERSION:
        raise MismatchError(
            f"{path} was written by a newer gnomon (schema {version}, this one knows {SCHEMA_VERSION}): "
            "update gnomon, or rebuild the index: gnomon index --force"
        )
    try:
        stored = unmarshal(connection)
    except ValueError as e:
        raise DamagedError(damaged(path, e)) from e
    if told := differences(stored, fingerprint):
        raise MismatchError(
            f"{path} was written with another {told}; rebuild the index: gnomon index --force",
            of_model=stored.model != fingerprint.model,
        )


def differences(stored: Fingerprint, wanted: Fingerprint) -> str:
    """What must agree and does not, each with its old and its new value; "" where all does."""
    names = ("schema", "model", "dim", "analyzer", "chunker")
    pairs = [(name, getattr(stored, name), getattr(wanted, name)) for name in names]
    return ", ".join(f"{name} ({old}, now {new})" for name, old, new in pairs if old != new)
