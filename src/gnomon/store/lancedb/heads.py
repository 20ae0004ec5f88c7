"""Where the head is kept and how writers take turns: a file and a lock on this machine, a row with a lease in a bucket.

Both are replaced in one step, so that a reader sees the commit before or the commit after.
"""

from __future__ import annotations

import os
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import timedelta
from pathlib import Path
from typing import Protocol

import filelock
import pyarrow as pa

from gnomon.errors import BusyError, StoreError
from gnomon.store.damage import DamagedRowError
from gnomon.store.lancedb.database import Database, Table
from gnomon.store.lancedb.failures import CROWDED
from gnomon.store.lancedb.head import Head

# Longest a writer waits for another one, as in the default store.
BUSY_TIMEOUT_SECONDS = 30.0
HEAD_FILE, LOCK_FILE, READERS_FILE, HEAD_TABLE = "head.json", "write.lock", "readers.lock", "head"
# Old versions stay this long for readers that are in the middle of a question (later ones ask again), and this long
# where somebody holds a snapshot.
RETENTION, LONG_RETENTION = timedelta(seconds=60), timedelta(hours=1)
# A writer in a bucket that says nothing for so long is taken for dead; renewed with every commit.
LEASE_SECONDS = 120
# Longest another one waits, so that it takes the turn of one that died.
BUCKET_TIMEOUT_SECONDS = LEASE_SECONDS + 10.0
_POLL_SECONDS = 0.1
_TRIES = 6

_SCHEMA = pa.schema(
    [
        pa.field("serial", pa.int64(), nullable=False),
        pa.field("owner", pa.string(), nullable=False),  # token of the writer at work, "" where there is none
        pa.field("expires", pa.int64(), nullable=False),  # Unix seconds
        pa.field("state", pa.string(), nullable=False),  # JSON
    ]
)


class Heads(Protocol):
    """The head of one index."""

    def mark(self) -> object:
        """Something that differs after each commit, cheap enough for every question; None where there is no index."""
        ...

    def read(self) -> Head:
        """The head in force.

        Raises:
            DamagedRowError: It is not what was written.
        """
        ...

    def turn(self) -> AbstractContextManager[None]:
        """The right to write; see ``HeadFile.turn``."""
        ...

    def publish(self, before: Head | None, head: Head) -> None:
        """Put a head in force in place of the one before; None makes the first.

        Raises:
            BusyError: Another process was faster; nothing changed.
        """
        ...

    def reading(self) -> AbstractContextManager[None]:
        """Let a commit stay readable while its reader is at work."""
        ...

    def retention(self, wanted: timedelta) -> timedelta:
        """How long old versions must stay, where ``wanted`` is how long they would."""
        ...

    def tidy(self, older_than: timedelta) -> None:
        """Remove what older heads left behind."""
        ...


class HeadFile:
    """A file beside the tables."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / HEAD_FILE

    def mark(self) -> object:
        """See ``Heads``."""
        try:
            stat = self._file.stat()
        except FileNotFoundError:
            return None
        return stat.st_dev, stat.st_ino, stat.st_mtime_ns

    def read(self) -> Head:
        """See ``Heads``."""
        try:
            return Head.from_json(self._file.read_text("utf-8"))
        except ValueError as e:
            raise DamagedRowError(e) from e

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the right to write; it dies with its process.

        Raises:
            BusyError: Another process wrote for too long.
            StoreError: The folder cannot be written.
        """
        lock = filelock.FileLock(self._folder / LOCK_FILE, timeout=BUSY_TIMEOUT_SECONDS)
        try:
            lock.acquire(poll_interval=0.01)
        except filelock.Timeout as e:
            raise BusyError(f"another process is writing to {self._folder}; try again when it is done") from e
        except OSError as e:
            raise StoreError(f"{self._folder} cannot be written ({e.strerror}); check the rights of the folder") from e
        try:
            yield
        finally:
            lock.release()

    def publish(self, before: Head | None, head: Head) -> None:  # noqa: ARG002 - the lock is proof enough
        """See ``Heads``."""
        new = self._file.with_suffix(".new")
        descriptor = os.open(new, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - of a descriptor
            file.write(head.to_json())
            file.flush()
            os.fsync(descriptor)
        new.replace(self._file)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See ``Heads``: a lock that many share and that dies with its process."""
        descriptor = self._open_readers()
        try:
            yield
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def _open_readers(self) -> int | None:
        """The lock file, held together with others; None where the folder cannot be written or has no such locks."""
        try:
            import fcntl

            descriptor = os.open(self._folder / READERS_FILE, os.O_CREAT | os.O_RDWR, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        except (ImportError, OSError):
            return None
        return descriptor

    def retention(self, wanted: timedelta) -> timedelta:
        """See ``Heads``; a snapshot that is held elsewhere is not tidied away."""
        try:
            import fcntl

            with (self._folder / READERS_FILE).open("ab") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (ImportError, OSError):
            return max(wanted, LONG_RETENTION)
        return wanted

    def tidy(self, older_than: timedelta) -> None:
        """See ``Heads``; nothing is left behind."""


class HeadTable:
    """A row of a table of its own, changed only under conditions that hold."""

    def __init__(self, database: Database, name: str) -> None:
        self._database = database
        self._name = name
        self._table: Table | None = None
        self._lock = threading.Lock()
        self._token = uuid.uuid4().hex

    def _open(self) -> Table | None:
        if self._table is None:
            self._table = self._database.find(HEAD_TABLE)
        return self._table

    def mark(self) -> object:
        """See ``Heads``."""
        table = self._open()
        return table.version() if table else None

    def read(self) -> Head:
        """See ``Heads``."""
        table = self._database.open(HEAD_TABLE)
        for attempt in range(_TRIES):
            try:
                (state,) = table.rows("", ["state"])["state"].to_pylist()
                return Head.from_json(state)
            except ValueError as e:
                raise DamagedRowError(e) from e
            except (RuntimeError, OSError):
                if attempt == _TRIES - 1:
                    raise
                time.sleep(_POLL_SECONDS)  # the version that was read is tidied away: another is there
        raise AssertionError

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the right to write for ``LEASE_SECONDS``.

        Raises:
            BusyError: Another process, or another thread of this one, wrote for too long.
        """
        deadline = time.monotonic() + BUCKET_TIMEOUT_SECONDS
        if not self._lock.acquire(timeout=BUCKET_TIMEOUT_SECONDS):
            raise self._busy()
        try:
            table = self._open()
            if table is None:
                yield  # of two that make the same index one finds the table there
                return
            while not self._take(table):
                if time.monotonic() > deadline:
                    raise self._busy()
                time.sleep(_POLL_SECONDS)
            try:
                yield
            finally:
                # A bucket that is full or away keeps the lease: it runs out, and is ours to take again before.
                with suppress(RuntimeError, ValueError, OSError):
                    table.update(f"owner = '{self._token}'", {"owner": "", "expires": 0})
        finally:
            self._lock.release()

    def _take(self, table: Table) -> bool:
        now = int(time.time())
        free = f"owner = '' OR owner = '{self._token}' OR expires < {now}"
        # An update of no row is a commit all the same, and commits of those who wait get in the way of the one at work.
        if not table.count(free):
            return False
        try:
            return table.update(free, {"owner": self._token, "expires": now + LEASE_SECONDS}) == 1
        except RuntimeError as e:
            if CROWDED in str(e):
                return False
            raise

    def _busy(self) -> BusyError:
        return BusyError(f"another process is writing to {self._name}; try again when it is done")

    def publish(self, before: Head | None, head: Head) -> None:
        """See ``Heads``."""
        if before is None:
            row = {"serial": [head.serial], "owner": [""], "expires": [0], "state": [head.to_json()]}
            self._database.create(HEAD_TABLE, _SCHEMA, pa.table(row, schema=_SCHEMA))
            return
        table = self._open()
        values = {"serial": head.serial, "state": head.to_json(), "expires": int(time.time()) + LEASE_SECONDS}
        condition = f"serial = {before.serial} AND owner = '{self._token}'"
        if table is None or table.update(condition, values) != 1:
            raise BusyError(f"another process changed {self._name} at the same time; try again")

    def reading(self) -> AbstractContextManager[None]:
        """See ``Heads``; nobody else is told."""
        return nullcontext()

    def retention(self, wanted: timedelta) -> timedelta:
        """See ``Heads``; nobody knows who reads a bucket."""
        return max(wanted, RETENTION)

    def tidy(self, older_than: timedelta) -> None:
        """See ``Heads``."""
        table = self._open()
        if table and table.compact():
            table.remove_old_versions(older_than)
