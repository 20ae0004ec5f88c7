"""Connections of one SQLite store: a reader per thread at work, one writer, and one place where errors change names."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gnomon.errors import DamagedError, StoreError
from gnomon.store.base import Fingerprint, Selection
from gnomon.store.damage import DamagedRowError, damaged
from gnomon.store.failures import has_room, named
from gnomon.store.schema import ORDINAL_BITS, marshal, refuse_other

# Longest a writer waits for another one; merging the words of a million chunks takes about ten seconds.
BUSY_TIMEOUT_SECONDS = 30.0
# Longest that cutting back the log waits for readers; they only put it off.
_TIDY_TIMEOUT_MS = 1_000
# Pages a reader keeps: words of a query touch a few MB.
_READER_CACHE_KIB = 16_000
_WRITER_CACHE_KIB = 32_000
# The write-ahead log is put into the file when it is larger than this share of the file, and not before its writer
# closes: a change of 1 % of a million chunks makes a log of 4 %, and would wait a third longer. Between these sizes.
_LOG_SHARE = 1 / 16
_MIN_LOG_BYTES = 4 << 20
_MAX_LOG_BYTES = 256 << 20
_PAGE_BYTES = 4096
# Readers kept open between calls.
_MAX_IDLE = 4


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Give each failure of SQLite and of stored rows our name, the path, and what to do next."""
    try:
        yield
    except (DamagedRowError, UnicodeDecodeError) as e:  # the latter where damage stands in a text of SQLite's own
        raise DamagedError(damaged(path, e)) from e
    except sqlite3.Error as e:
        raise named(path, e) from e


class Reader:
    """One reading connection; used by one thread at a time.

    Attributes:
        generation: Of what the transaction at work sees.
        identity: Device and inode of the file; another file shares nothing with the one before.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.generation = 0
        self.identity = (0, 0)
        self._selection = Selection()
        self._has_occurrences = False
        # A callback per row beats a temporary table at every size: no set-up, whatever the number of documents.
        connection.create_function("admitted", 1, self._admitted)

    @property
    def moment(self) -> tuple[tuple[int, int], int]:
        """What the transaction at work sees: equal moments hold the same rows."""
        return self.identity, self.generation

    def occurrences(self) -> sqlite3.Connection:
        """The connection, with ``temp.occurrences``: a row for each word of each chunk; made where it is missing."""
        if not self._has_occurrences:
            # In memory beside the file; a reader may write nothing else.
            self.connection.execute("PRAGMA query_only = OFF")
            try:
                self.connection.execute("CREATE VIRTUAL TABLE temp.occurrences USING fts5vocab(main, words, instance)")
            finally:
                self.connection.execute("PRAGMA query_only = ON")
            self._has_occurrences = True
        return self.connection

    def select(self, selection: Selection) -> None:
        """Set what ``admitted(chunk id)`` answers in the statements that follow."""
        self._selection = selection

    def _admitted(self, chunk_id: int) -> bool:
        document = chunk_id >> ORDINAL_BITS
        only = self._selection.only
        return (only is None or document in only) and document not in self._selection.without


class _Snapshot(threading.local):
    """The reader whose transaction a thread stays in."""

    reader: Reader | None = None


class Connections:
    """Opens, lends and takes back the connections to one file.

    Thread-safe. Not to be carried over a ``fork``.
    """

    def __init__(self, path: Path, fingerprint: Fingerprint) -> None:
        self.path = path
        self._fingerprint = fingerprint
        self._expected = marshal(fingerprint)
        self._lock = threading.Lock()
        self._write_lock = threading.RLock()
        self._idle: list[Reader] = []
        self._writer: sqlite3.Connection | None = None
        self._identity = self._stat()
        self._closed = False
        self._snapshot = _Snapshot()

    def _stat(self) -> tuple[int, int]:
        try:
            stat = self.path.stat()
        except OSError as e:
            raise StoreError(f"there is no index at {self.path} ({e.strerror}); run: gnomon index") from e
        return stat.st_dev, stat.st_ino

    def check(self) -> None:
        """See that the index can be read.

        Raises:
            MismatchError: It has another fingerprint.
            StoreError: There is none, or it is damaged.
        """
        with translated(self.path):
            reader = self._borrow()
            try:
                refuse_other(self.path, reader.connection, self._fingerprint)
            finally:
                self._give_back(reader)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all that this thread reads meanwhile be of one generation; one transaction instead of many.

        Raises:
            StoreError: As for ``reading``.
        """
        if self._snapshot.reader is not None:
            yield
            return
        with self.reading() as reader:
            self._snapshot.reader = reader
            try:
                yield
            finally:
                self._snapshot.reader = None

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """Lend a reader inside a transaction: all it reads is of one generation.

        Raises:
            StoreError: The file is gone, damaged, or holds another index by now.
        """
        with translated(self.path):
            if self._snapshot.reader is not None:
                yield self._snapshot.reader
                return
            reader = self._borrow()
            try:
                reader.connection.execute("BEGIN")
                reader.generation = self._checked_generation(reader.connection)
                yield reader
            finally:
                self._give_back(reader)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Lend the writer inside a transaction; all or nothing of it is kept.

        Raises:
            BusyError: Another process wrote for too long.
            StoreError: See ``translated``; also where the file holds another index by now.
        """
        with translated(self.path), self._write_lock:
            connection = self._writing_connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                self._checked_generation(connection)
                yield connection
                bound_log(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def give_back_space(self) -> None:
        """Return free pages and the log to the file system; where another process reads, it happens later."""
        with translated(self.path), self._write_lock:
            connection = self._writing_connection()
            connection.executescript("PRAGMA incremental_vacuum")  # execute() would end it after one page
            connection.execute(f"PRAGMA busy_timeout = {_TIDY_TIMEOUT_MS}")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            connection.execute(f"PRAGMA busy_timeout = {int(BUSY_TIMEOUT_SECONDS * 1000)}")

    def _checked_generation(self, connection: sqlite3.Connection) -> int:
        rows = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('fingerprint', 'generation')"))
        if rows.get("fingerprint") != self._expected:
            refuse_other(self.path, connection, self._fingerprint)
        try:
            return int(rows["generation"])
        except (KeyError, ValueError) as e:
            raise DamagedRowError(f"generation: {e}") from e

    def _borrow(self) -> Reader:
        identity = self._stat()
        with self._lock:
            self._follow(identity)
            reader = self._idle.pop() if self._idle else None
        if reader is None:
            reader = Reader(connect_reader(self.path))
            reader.identity = identity
        return reader

    def _give_back(self, reader: Reader) -> None:
        reader.select(Selection())
        try:
            if reader.connection.in_transaction:
                reader.connection.execute("COMMIT")
        except sqlite3.Error:
            reader.connection.close()
            return
        with self._lock:
            current = reader.identity == self._identity
            if current and not self._closed and len(self._idle) < _MAX_IDLE:
                self._idle.append(reader)
                return
        reader.connection.close()

    def _writing_connection(self) -> sqlite3.Connection:
        identity = self._stat()
        with self._lock:
            self._follow(identity)
        if self._writer is None:
            self._writer = connect_writer(self.path)
        return self._writer

    def _follow(self, identity: tuple[int, int]) -> None:
        """Let go of connections to a file that is no longer the one at the path; the caller holds the lock."""
        if self._closed:
            raise StoreError(f"the index {self.path} is closed")
        if identity != self._identity:
            self._forget_connections()
            self._identity = identity

    def _forget_connections(self) -> None:
        for reader in self._idle:
            reader.connection.close()
        self._idle.clear()
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _put_away_log(self) -> None:
        # SQLite does so only where no other process has the file open, and a server has it for days.
        with suppress(sqlite3.Error, OSError):  # the log keeps what was committed
            if self._writer is not None and Path(f"{self.path}-wal").stat().st_size > _MIN_LOG_BYTES:
                self._writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def close(self) -> None:
        """Close what is idle; what is lent closes when it comes back."""
        with self._write_lock, self._lock:
            self._closed = True
            self._put_away_log()
            self._forget_connections()


def connect_writer(path: Path) -> sqlite3.Connection:
    """Open for reading and writing; the file is made where it is missing."""
    connection = _connect(path, "mode=rwc")
    try:
        if not path.stat().st_size:
            # Only for a new file: on an old one this waits for whoever writes.
            connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        _use_log(path, connection)
        # A power cut may take the last transactions, never the file's order: SQLite syncs the log before it is put
        # into the file, and the file before the log starts anew. What is lost is indexed by the next run.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA journal_size_limit = {_MIN_LOG_BYTES}")
        connection.execute(f"PRAGMA cache_size = -{_WRITER_CACHE_KIB}")
    except BaseException:
        connection.close()
        raise
    return connection


def bound_log(connection: sqlite3.Connection) -> None:
    """Say how large the log may become, by the size of the file now."""
    file_bytes = connection.execute("PRAGMA page_count").fetchone()[0] * _PAGE_BYTES
    most = min(max(_MIN_LOG_BYTES, int(file_bytes * _LOG_SHARE)), _MAX_LOG_BYTES)
    connection.execute(f"PRAGMA wal_autocheckpoint = {most // _PAGE_BYTES}")


def _use_log(path: Path, connection: sqlite3.Connection) -> None:
    # Changing the mode does not wait for other processes as statements do, so waiting is done here; it happens only
    # when several make the same new file at once.
    deadline = time.monotonic() + BUSY_TIMEOUT_SECONDS
    while True:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as e:
            busy = e.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not busy or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            break
    if mode != "wal":
        raise StoreError(
            f"{path} is in a folder where processes cannot share memory (a network folder?), so that readers and a "
            "writer would disturb each other; set GNOMON_INDEX_DIR to a local folder"
        )


def connect_reader(path: Path) -> sqlite3.Connection:
    """Open for reading only; also where neither file nor folder can be written.

    Raises:
        sqlite3.Error: It cannot be read.
    """
    try:
        return _ready_reader(_connect(path, "mode=ro"))
    except sqlite3.OperationalError:
        # Without rights or space to make the log's index beside the file SQLite only reads what it is told will not
        # change. That is so where no log is left; otherwise the last transactions would be missing.
        log = Path(f"{path}-wal")
        can_be_made = os.access(path.parent, os.W_OK) and has_room(path.parent)
        if can_be_made or (log.exists() and log.stat().st_size):
            raise
        return _ready_reader(_connect(path, "immutable=1"))


def _ready_reader(connection: sqlite3.Connection) -> sqlite3.Connection:
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute(f"PRAGMA cache_size = -{_READER_CACHE_KIB}")
        connection.execute("SELECT 1 FROM sqlite_schema").fetchone()  # opens the file for good
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    if path.exists() and not path.is_file():  # to open a pipe would wait for ever
        raise StoreError(f"{path} is no file, so that it holds no index; move it away, then run: gnomon index")
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{mode}",
        uri=True,
        timeout=BUSY_TIMEOUT_SECONDS,
        isolation_level=None,  # transactions are begun by name
        check_same_thread=False,  # lent to one thread at a time
        cached_statements=128,
    )
    # The file may come from elsewhere: nothing in its schema may call functions with side effects, and torn pages are
    # noticed when they are read.
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection
