"""Readers of one LanceDB index: which versions belong together, and where errors change names."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from gnomon.errors import DamagedError, GnomonError, MismatchError, StoreError
from gnomon.store import SCHEMA_VERSION
from gnomon.store.base import Fingerprint
from gnomon.store.bm25 import weights_mark
from gnomon.store.damage import DamagedRowError, damaged
from gnomon.store.lancedb.database import Database, Table
from gnomon.store.lancedb.failures import named
from gnomon.store.lancedb.head import Head
from gnomon.store.lancedb.place import Place
from gnomon.store.schema import differences, marshal

Result = TypeVar("Result")

# A reader whose versions were tidied away under it asks again this often.
_TRIES = 6


@contextmanager
def translated(place: Place) -> Iterator[None]:
    """Give each failure of the library and of stored rows our name, the place, and what to do next."""
    try:
        yield
    except GnomonError:
        raise
    except DamagedRowError as e:
        raise DamagedError(damaged(place.name, e)) from e
    except (RuntimeError, ValueError, OSError) as e:
        raise named(place.name, e, in_bucket=place.folder is None) from e


class Snapshot:
    """The tables of one commit, opened as they are asked for; used by many threads.

    Attributes:
        head: What the commit says of itself.
    """

    def __init__(self, database: Database, head: Head) -> None:
        self.head = head
        self._database = database
        self._tables: dict[str, Table] = {}
        self._lock = threading.Lock()

    def table(self, name: str) -> Table:
        """A table as of this commit."""
        with self._lock:
            if name not in self._tables:
                self._tables[name] = self._database.open_at(*self.head.versions[name])
            return self._tables[name]


class _Pinned(threading.local):
    """The snapshot that a thread stays with."""

    snapshot: Snapshot | None = None


class Connections:
    """Finds the commit that is in force. Thread-safe; not to be carried over a ``fork``."""

    def __init__(self, place: Place, fingerprint: Fingerprint) -> None:
        self.place = place
        self.fingerprint = fingerprint
        self._lock = threading.Lock()
        self._snapshot: tuple[object, Snapshot] | None = None  # mark of the head
        self._pinned = _Pinned()
        self._closed = False

    def read(self, ask: Callable[[Snapshot], Result]) -> Result:
        """Ask a question of one commit; again of the next one where its files were tidied away meanwhile.

        Raises:
            StoreError: The index is gone, damaged, closed, or of another fingerprint by now.
        """
        for attempt in range(_TRIES):
            with translated(self.place):
                snapshot = self._pinned.snapshot or self.current()
                try:
                    return ask(snapshot)
                except (RuntimeError, ValueError, OSError) as e:
                    if isinstance(e, GnomonError) or attempt == _TRIES - 1 or not self._moved_on(snapshot):
                        raise
        raise AssertionError

    def _moved_on(self, snapshot: Snapshot) -> bool:
        """Whether there is a newer commit than this one; a writer publishes it before it tidies."""
        pinned = self._pinned.snapshot is snapshot
        newest = self.current()
        if newest.head.serial == snapshot.head.serial:
            return False
        if pinned:
            self._pinned.snapshot = newest
        return True

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all that this thread reads meanwhile be of one commit."""
        if self._pinned.snapshot is not None:
            yield
            return
        with self.place.heads.reading():
            with translated(self.place):
                self._pinned.snapshot = self.current()
            try:
                yield
            finally:
                self._pinned.snapshot = None

    def current(self) -> Snapshot:
        """The commit in force, checked to be of our fingerprint.

        Raises:
            StoreError: See ``read``.
        """
        with self._lock:
            if self._closed:
                raise StoreError(f"the index {self.place.name} is closed")
            mark = self.place.heads.mark()
            if mark is None:
                raise StoreError(f"there is no index at {self.place.name}; run: gnomon index")
            if self._snapshot is None or self._snapshot[0] != mark:
                head = self.place.heads.read()
                refuse_other(self.place, head, self.fingerprint)
                self._snapshot = (mark, Snapshot(self.place.database, head))
            return self._snapshot[1]

    def close(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._closed = True
            self._snapshot = None


def refuse_other(place: Place, head: Head, fingerprint: Fingerprint) -> None:
    """Compare what an index says of itself with the program.

    Raises:
        MismatchError: They differ; the text names each difference and the command that mends it.
    """
    if head.fingerprint == marshal(fingerprint) and head.weights == weights_mark():
        return
    stored: dict[str, Any] = json.loads(head.fingerprint)
    if stored["schema"] > SCHEMA_VERSION:
        raise MismatchError(
            f"{place.name} was written by a newer gnomon (schema {stored['schema']}, this one knows {SCHEMA_VERSION}): "
            "update gnomon, or rebuild the index: gnomon index --force"
        )
    told = differences(head.stored_fingerprint, fingerprint) or f"weights ({head.weights}, now {weights_mark()})"
    raise MismatchError(
        f"{place.name} was written with another {told}; rebuild the index: gnomon index --force",
        of_model=head.stored_fingerprint.model != fingerprint.model,
    )
