"""Connections to one corpus: lent to a thread at a time, inside a transaction; and where errors change names."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import psycopg
from psycopg import errors

from gnomon.errors import BusyError, StoreError
from gnomon.store.base import Fingerprint, StoredDocument
from gnomon.store.bm25 import weights_mark
from gnomon.store.damage import DamagedRowError
from gnomon.store.postgres.place import Place, learn_half
from gnomon.store.postgres.schema import VERSION
from gnomon.store.postgres.state import STATE, State, read_state, refuse_other
from gnomon.store.schema import marshal

Result = TypeVar("Result")

# A lost connection is raised as an error; psycopg also logs it, which Python would print.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

# Connections kept open between calls.
_MAX_IDLE = 4
# How long a writer tries to reach a server that went away, as when it is restarted.
_PATIENCE_SECONDS = 30.0


@contextmanager
def translated(place: Place) -> Iterator[None]:
    """Give each failure of the server and of stored rows our name, the corpus, and what to do next."""
    try:
        yield
    except DamagedRowError as e:
        raise StoreError(f"{place.name} is damaged ({e}); rebuild it: gnomon index --force") from e
    except psycopg.Error as e:
        raise _named(place, e) from e


_MISSING = (errors.UndefinedTable, errors.InvalidSchemaName, errors.UndefinedColumn, errors.InvalidCatalogName)
_BUSY = (errors.LockNotAvailable, errors.SerializationFailure, errors.DeadlockDetected, errors.UniqueViolation)
_FULL = (errors.DiskFull, errors.OutOfMemory, errors.ConfigurationLimitExceeded)
_REPLICA = (errors.ReadOnlySqlTransaction,)


def _named(place: Place, error: psycopg.Error) -> StoreError:
    text = " ".join(str(error).split())[:300]
    if isinstance(error, _MISSING):
        return StoreError(f"there is no index at {place.name} ({text}); run: gnomon index")
    if isinstance(error, _BUSY):
        return BusyError(f"another process is writing to {place.name}; try again when it is done")
    if isinstance(error, _FULL):
        return StoreError(f"the server has no room for {place.name} ({text}); what was stored before is whole")
    if isinstance(error, _REPLICA):
        return StoreError(f"{place.name} is on a server for reading only (a replica?); write to its primary: {text}")
    if isinstance(error, errors.InsufficientPrivilege):
        return StoreError(f"you have no right to do this in {place.name} ({text}); ask its owner")
    if isinstance(error, psycopg.OperationalError):
        return StoreError(f"the PostgreSQL server of {place.name} does not answer ({text}); check PGHOST and PGSERVICE")
    return StoreError(f"{place.name}: {text}")


@dataclass(slots=True)
class Remembered:
    """What was read in a transaction and may be asked for again in it.

    Attributes:
        documents: By id.
        words: By token: its number, and how many chunks hold it; None where it is unknown.
        size_bytes: Of all tables, once somebody asked.
    """

    documents: dict[int, StoredDocument] = field(default_factory=dict)
    words: dict[str, tuple[int, int] | None] = field(default_factory=dict)
    size_bytes: int | None = None


class Reader:
    """One connection inside a transaction.

    Attributes:
        half_oid: Number of pgvector's float16 type; of the writer only.
        numbers: Of words, as far as the writer has met them.
        remembered: Of this transaction.
    """

    def __init__(self, connection: psycopg.Connection[Any], schema: str) -> None:
        self.connection = connection
        self.schema = schema
        self.half_oid = 0
        self.numbers: dict[str, int] = {}
        self.remembered = Remembered()
        self._state: State | Callable[[], State]

    def begin(self, statement: str, check: Callable[[State], State]) -> None:
        """Begin a transaction, and ask for the state; it is waited for where it is needed first."""
        self.remembered = Remembered()
        self.connection.execute(statement.encode())
        asked = self.execute(STATE)
        self._state = lambda: check(read_state(asked.fetchone()))

    @property
    def state(self) -> State:
        """As of the transaction.

        Raises:
            MismatchError: The corpus is another program's.
        """
        if callable(self._state):
            self._state = self._state()
        return self._state

    @state.setter
    def state(self, state: State) -> None:
        self._state = state

    def execute(self, statement: str, values: Any = None, *, binary: bool = False) -> psycopg.Cursor[Any]:
        """Run a statement, with ``{s}`` for the corpus's schema."""
        cursor = self.connection.cursor(binary=binary)
        return cursor.execute(statement.replace("{s}", self.schema).encode(), values)


class _Pinned(threading.local):
    """The reader whose transaction a thread stays in."""

    reader: Reader | None = None


class Connections:
    """Opens, lends and takes back connections. Thread-safe; not to be carried over a ``fork``."""

    def __init__(self, place: Place, fingerprint: Fingerprint) -> None:
        self.place = place
        self.fingerprint = fingerprint
        self._expected = marshal(fingerprint)
        self._lock = threading.Lock()
        self._write_lock = threading.RLock()
        self._idle: list[Reader] = []
        self._writer: Reader | None = None
        self._pinned = _Pinned()
        self._closed = False

    # -- reading ----------------------------------------------------------------------------------------------------
    def read(self, ask: Callable[[Reader], Result]) -> Result:
        """Ask a question of one moment; once more where the connection was lost.

        Raises:
            StoreError: The server does not answer, or holds no such index.
        """
        if self._pinned.reader is not None:
            with translated(self.place):
                return ask(self._pinned.reader)
        for attempt in (0, 1):
            with translated(self.place):
                try:
                    with self._reading() as reader:
                        return ask(reader)
                except psycopg.OperationalError:
                    if attempt:
                        raise
        raise AssertionError

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all that this thread reads meanwhile be of one moment."""
        if self._pinned.reader is not None:
            yield
            return
        with translated(self.place), self._reading() as reader:
            self._pinned.reader = reader
            try:
                yield
            finally:
                self._pinned.reader = None

    @contextmanager
    def _reading(self) -> Iterator[Reader]:
        reader = self._borrow()
        try:
            # Statements go out together until an answer is needed, so that most questions cost one round trip.
            with reader.connection.pipeline():
                reader.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", self._checked)
                try:
                    yield reader
                except (psycopg.Error, DamagedRowError) as e:
                    if not isinstance(e, psycopg.OperationalError):
                        with suppress(psycopg.Error, DamagedRowError):
                            _ = reader.state  # what went wrong may come of its being another program's index
                    raise
                _ = reader.state
                reader.connection.execute("COMMIT")
        except BaseException:
            reader.connection.close()
            raise
        self._give_back(reader)

    def _checked(self, state: State) -> State:
        if state.fingerprint != self._expected or state.weights != weights_mark() or state.tables > VERSION:
            refuse_other(self.place, state, self.fingerprint)
        return state

    def _borrow(self) -> Reader:
        with self._lock:
            self._require_open()
            if self._idle:
                return self._idle.pop()
        return Reader(self.place.connect(reading=True), self.place.schema)

    def _give_back(self, reader: Reader) -> None:
        with self._lock:
            if not self._closed and len(self._idle) < _MAX_IDLE:
                self._idle.append(reader)
                return
        reader.connection.close()

    def _require_open(self) -> None:
        if self._closed:
            raise StoreError(f"the index {self.place.name} is closed")

    # -- writing ----------------------------------------------------------------------------------------------------
    def write(self, change: Callable[[Reader], Result]) -> Result:
        """Carry out a change in one transaction, after other writers; again where the server went away meanwhile.

        Every change gives the same index when it is carried out twice, so that a commit whose answer was lost does
        no harm.

        Raises:
            BusyError: Another process wrote for too long.
            StoreError: The server does not answer, or holds no such index.
        """
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            with translated(self.place), self._write_lock:
                self._require_open()
                try:
                    return self._write_once(change)
                except psycopg.OperationalError as e:
                    lost = self._writer is None or self._writer.connection.closed
                    if isinstance(e, _BUSY) or not lost or time.monotonic() > deadline:
                        raise
            time.sleep(0.2)

    def _write_once(self, change: Callable[[Reader], Result]) -> Result:
        writer = self._writing_reader()
        try:
            writer.connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
            # The row is locked by changing it: later statements see what the writer before us committed.
            writer.execute("UPDATE {s}.state SET commits = commits + 1")
            writer.state = self._checked(read_state(writer.execute(STATE).fetchone()))
            result = change(writer)
            writer.connection.execute("COMMIT")
        except BaseException:
            with suppress(psycopg.Error):
                writer.connection.execute("ROLLBACK")
            raise
        return result

    def _writing_reader(self) -> Reader:
        if self._writer is None or self._writer.connection.closed:
            connection = self.place.connect(reading=False)
            try:
                half_oid = learn_half(connection)
            except BaseException:
                connection.close()
                raise
            self._writer = Reader(connection, self.place.schema)
            self._writer.half_oid = half_oid
        return self._writer

    @contextmanager
    def alone(self) -> Iterator[Reader]:
        """The writing connection outside a transaction, for what cannot be in one."""
        with translated(self.place), self._write_lock:
            self._require_open()
            yield self._writing_reader()

    def close(self) -> None:
        """Close what is idle; what is lent closes when it comes back."""
        with self._write_lock, self._lock:
            self._closed = True
            for reader in (*self._idle, *([self._writer] if self._writer else ())):
                reader.connection.close()
            self._idle.clear()
            self._writer = None
