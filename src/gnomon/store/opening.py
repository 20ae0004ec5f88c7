"""Brings a SQLite store to life: a new file, a known one, or one put in place of an index that cannot be used."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

from gnomon.errors import BusyError, MismatchError, StoreError
from gnomon.store.base import Fingerprint
from gnomon.store.connections import connect_reader, connect_writer, translated
from gnomon.store.damage import damaged
from gnomon.store.schema import APPLICATION_ID, create, refuse_other, reset, unmarshal

_MAGIC = b"SQLite format 3\x00"


def prepare_writing(path: Path, fingerprint: Fingerprint, *, replace: bool) -> None:
    """See that an index can be written; make it where there is none.

    Raises:
        MismatchError: It has another fingerprint and ``replace`` is off.
        StoreError: It is damaged and ``replace`` is off, or it cannot be written.
    """
    _make_private(path)
    try:
        _create_or_check(path, fingerprint)
        if replace:
            _refuse_damaged(path)
    except BusyError:
        raise
    except MismatchError:
        if not replace:
            raise
        _reset(path, fingerprint)
    except StoreError:
        if not (replace and _is_ours_or_no_database(path)):
            raise
        _discard(path)
        _make_private(path)
        _create_or_check(path, fingerprint)


def stored_fingerprint(path: Path) -> Fingerprint:
    """What an index says it was made by, whatever that is.

    Raises:
        StoreError: There is none, or it cannot be read.
    """
    with translated(path), contextlib.closing(connect_reader(path)) as connection:
        try:
            return unmarshal(connection)
        except ValueError as e:
            raise StoreError(damaged(path, e)) from e


def _refuse_damaged(path: Path) -> None:
    # Who asks for everything anew wants the damage gone that reading and writing would not meet.
    with translated(path), contextlib.closing(connect_writer(path)) as connection:
        if connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("integrity_check")
        connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")


def _make_private(path: Path) -> None:
    # The index holds the text of what was indexed: for its owner only. SQLite gives its log the same rights.
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as e:
        raise StoreError(f"the index {path} cannot be made: {e.strerror}") from e


def _create_or_check(path: Path, fingerprint: Fingerprint) -> None:
    with translated(path), contextlib.closing(connect_writer(path)) as connection:
        if not _is_empty(connection):
            refuse_other(path, connection, fingerprint)
            _note_extractor(connection, fingerprint)
            return
        connection.execute("BEGIN IMMEDIATE")
        if _is_empty(connection):  # else another process was first
            create(connection, fingerprint)
        connection.execute("COMMIT")
        refuse_other(path, connection, fingerprint)


def _is_empty(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_schema").fetchone() is None


def _note_extractor(connection: sqlite3.Connection, fingerprint: Fingerprint) -> None:
    if connection.execute("SELECT value FROM meta WHERE key = 'extractor'").fetchone() != (fingerprint.extractor,):
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('extractor', ?)", (fingerprint.extractor,))


def _reset(path: Path, fingerprint: Fingerprint) -> None:
    """Empty the index in one transaction, so that every reader sees the old one or the new one."""
    try:
        _refuse_damaged(path)
        with translated(path), contextlib.closing(connect_writer(path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            reset(connection, fingerprint)
            connection.execute("COMMIT")
            connection.executescript("PRAGMA incremental_vacuum")  # execute() would end it after one page
    except BusyError:
        raise
    except StoreError:
        _discard(path)
        _make_private(path)
        _create_or_check(path, fingerprint)


def _is_ours_or_no_database(path: Path) -> bool:
    """Whether a file that cannot be used may be thrown away: never one that is another program's database."""
    with path.open("rb") as file:
        header = file.read(100)
    if not header.startswith(_MAGIC):
        return True
    return int.from_bytes(header[68:72], "big") == APPLICATION_ID


def _discard(path: Path) -> None:
    # What is not even a database may be somebody's file under a mistaken name: it is put aside, once.
    with path.open("rb") as file:
        ours = file.read(len(_MAGIC)) == _MAGIC
    if ours:
        path.unlink()
    else:
        path.replace(path.with_name(f"{path.name}.damaged"))
    for ending in ("-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
