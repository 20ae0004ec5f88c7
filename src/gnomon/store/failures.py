"""What a failure of SQLite is called, with the path and what to do next: want of space is never damage."""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

from gnomon.errors import BusyError, DamagedError, StoreError
from gnomon.store.damage import damaged

# What SQLite takes for the index of a log, at least: https://www.sqlite.org/walformat.html#the_wal_index_file_format
_LOG_INDEX_BYTES = 32_768
# Of SQLITE_IOERR, those that are met where a file cannot grow: https://www.sqlite.org/rescode.html
_GROWING = {
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_SHMMAP,
    sqlite3.SQLITE_IOERR_SHMOPEN,
    sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_FSYNC,
}
# Of SQLITE_IOERR, those of file systems that take no locks; where the reason is ENOLCK, SQLite calls it busy.
_LOCKING = {
    sqlite3.SQLITE_IOERR_LOCK,
    sqlite3.SQLITE_IOERR_RDLOCK,
    sqlite3.SQLITE_IOERR_CHECKRESERVEDLOCK,
    sqlite3.SQLITE_IOERR_SHMLOCK,
}
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP})
# What SQLite says, as an error of no kind, where the tables in the file are not those that were made.
_TORN = ("no such", "vtable constructor failed", "unsupported file format", "malformed")
_NO_INDEX = sqlite3.SQLITE_READONLY_ROLLBACK


def named(path: Path, error: sqlite3.Error) -> StoreError:
    """The error of the store for one of SQLite; ``DamagedError`` only where the file itself is at fault."""
    # The low byte is the kind, the rest its variety: https://www.sqlite.org/rescode.html
    variety = getattr(error, "sqlite_errorcode", None) or 0
    code = variety & 0xFF
    if (code == sqlite3.SQLITE_BUSY or variety in _LOCKING) and not _takes_locks(path.parent):
        return StoreError(
            f"the folder of {path} takes no locks (a network folder?), so that nobody can tell whether another process "
            "is writing; set GNOMON_INDEX_DIR to a local one"
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
        return BusyError(f"another process is writing to {path}; try again when it is done")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return DamagedError(damaged(path, error))
    if code == sqlite3.SQLITE_FULL or (code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and _is_full(path)):
        return _no_space(path)
    if variety in _GROWING and _is_limited():
        return _no_space(path, " (a limit on the size of files is set: ulimit -f)")
    if variety == _NO_INDEX:
        return StoreError(f"there is no index at {path} (a run was killed while it was made); run: gnomon index")
    return _of_rights_or_statement(path, error, code)


def _of_rights_or_statement(path: Path, error: sqlite3.Error, code: int) -> StoreError:
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return StoreError(f"{path} cannot be written ({error}); check the rights of the file and its folder")
    if code == sqlite3.SQLITE_CANTOPEN:
        return StoreError(f"{path} cannot be opened ({error}); check the rights of the file and its folder")
    if code == sqlite3.SQLITE_IOERR:
        return StoreError(f"{path} cannot be read or written ({error}); check the disk")
    if "no such module" in str(error):
        return StoreError(
            "this Python's SQLite is built without FTS5; use another Python build (python.org, uv, conda)"
        )
    if code == sqlite3.SQLITE_CONSTRAINT or (code == sqlite3.SQLITE_ERROR and any(s in str(error) for s in _TORN)):
        return DamagedError(damaged(path, error))
    return StoreError(f"{path}: {error}")


def _no_space(path: Path, why: str = "") -> StoreError:
    return StoreError(
        f"no space left for {path}{why}; what was stored before is whole: free space, then run: gnomon index"
    )


def has_room(folder: Path) -> bool:
    """Whether a folder has space for the smallest file that SQLite must make beside an index."""
    if not hasattr(os, "statvfs"):
        return True
    there = os.statvfs(folder)
    return there.f_bavail * there.f_frsize >= _LOG_INDEX_BYTES


def _takes_locks(folder: Path) -> bool:
    """Whether files of a folder can be locked; asked of a new one, for closing one of SQLite's would drop its locks."""
    import tempfile

    try:
        import fcntl
    except ImportError:
        return True  # Windows locks files everywhere
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as e:
        return e.errno not in _NO_LOCKS
    return True


def _is_full(path: Path) -> bool:
    try:
        return not has_room(path.parent)
    except OSError:
        return False


def _is_limited() -> bool:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return False
    return resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY
