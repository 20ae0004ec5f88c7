"""What a failure of SQLite is called."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from gnomon.errors import BusyError
from gnomon.store.failures import named

fcntl = pytest.importorskip("fcntl", reason="Windows locks files everywhere")


def _error(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("as SQLite says it")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize("code", [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_IOERR_LOCK, sqlite3.SQLITE_IOERR_SHMLOCK])
def test_folder_without_locks_is_told_from_another_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """SQLite takes a network folder without locks for one that somebody holds, or for a disk at fault."""
    told = [named(tmp_path / "index.db", _error(code))]

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "lockf", refuse)
    told.append(named(tmp_path / "index.db", _error(code)))
    assert isinstance(told[0], BusyError) == (code == sqlite3.SQLITE_BUSY)
    assert ["GNOMON_INDEX_DIR" in str(each) for each in told] == [False, True]
    assert not isinstance(told[1], BusyError)
