"""Brings a SQLite store to life: a new file, a known one, or one put in place of an index that cannot be used."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

from gnomon.errors import DamagedError, MismatchError, StoreError
from gnomon.store.base import Fingerprint
from gnomon.store.connections import connect_reader, connect_writer, translated
from gnomon.store.damage import DamagedRowError, damaged
from gnomon.store.schema import APPLICATION_ID, create, refuse_other, reset, unmarshal

_MAGIC = b"SQLite format 3\x00"


def prepare_writing(path: Path, fingerprint: Fingerprint, *, replace: bool) -> None:
    """See that an index can be written; make it where there is none.

    Raises:
        MismatchError: It has another fingerprint and ``replace`` is off.
        DamagedError: It is damaged and ``replace`` is off.
        StoreError: It cannot be written; an index that is there stays.
    """
    _make_private(path)
    try:
        _create_or_check(path, fingerprint)
        if replace:
            _refuse_damaged(path)
            _mend_words(path)
    except MismatchError:
        if not replace:
            raise
        _reset(path, fingerprint)
    except DamagedError:
        if not (replace and _is_ours_or_no_database(path)):
            raise
        put_new(path, fingerprint, keep=not _is_database(path))


def put_new(path: Path, fingerprint: Fingerprint, *, keep: bool) -> None:
    """Put an empty index in the place of one that cannot be used, which goes only when the new one is made.

    Args:
        path: Of the index.
        fingerprint: Of the new one.
        keep: Put the old file aside under ``kept_as(path)``.

    Raises:
        StoreError: There is no space or no right to make one; what was there stays.
    """
    new = path.with_name(f"{path.name}.new")
    try:
        _remove(new)
        _make_private(new)
        _create_or_check(new, fingerprint)
        if keep:
            path.replace(kept_as(path))
        _remove_log(path)  # before the new file stands there: a log would be put into it
        new.replace(path)
    except OSError as e:
        raise StoreError(f"the index {path} cannot be replaced: {e.strerror}") from e
    finally:
        with contextlib.suppress(OSError):
            _remove(new)


def kept_as(path: Path) -> Path:
    """Where an index that was replaced is kept."""
    return path.with_name(f"{path.name}.damaged")


def stored_fingerprint(path: Path) -> Fingerprint:
    """What an index says it was made by, whatever that is.

    Raises:
        StoreError: There is none, or it cannot be read.
    """
    with translated(path), contextlib.closing(connect_reader(path)) as connection:
        try:
            return unmarshal(connection)
        except ValueError as e:
            raise DamagedError(damaged(path, e)) from e


def _refuse_damaged(path: Path) -> None:
    # Who asks for everything anew wants the damage gone that reading and writing would not meet.
    with translated(path), contextlib.closing(connect_writer(path)) as connection:
        if connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
            raise DamagedRowError("integrity_check")


def _mend_words(path: Path) -> None:
    from gnomon.store.tidying import rebuild_words

    with translated(path), contextlib.closing(connect_writer(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        rebuild_words(connection)
        connection.execute("COMMIT")


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
    except DamagedError:
        put_new(path, fingerprint, keep=False)


def _is_ours_or_no_database(path: Path) -> bool:
    """Whether a file that cannot be used may be thrown away: never one that is another program's database."""
    with path.open("rb") as file:
        header = file.read(100)
    if not header.startswith(_MAGIC):
        return True
    return int.from_bytes(header[68:72], "big") == APPLICATION_ID


def _is_database(path: Path) -> bool:
    # What is not even a database may be somebody's file under a mistaken name.
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    _remove_log(path)


def _remove_log(path: Path) -> None:
    for ending in ("-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
