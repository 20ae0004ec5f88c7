"""Takes turns with other writers, publishes what they commit, and tidies up after them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from gnomon.store.lancedb.connections import Connections, refuse_other, translated
from gnomon.store.lancedb.head import Head
from gnomon.store.lancedb.heads import RETENTION
from gnomon.store.lancedb.tidying import compact
from gnomon.store.lancedb.transaction import COMMITS_PER_TIDYING, Transaction


class Writer:
    """The writing side of one open store; its threads and other processes take turns."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._place = connections.place

    @contextmanager
    def commit(self) -> Iterator[tuple[Transaction, list[Head]]]:
        """A transaction, and a list to put the next head into; with the list left empty nothing is published.

        Raises:
            BusyError: Another process wrote for too long.
            StoreError: See ``Connections.read``.
        """
        with translated(self._place):
            self._connections.current()  # says so where there is none, or another one
            with self._place.heads.turn():
                transaction = self._begin()
                following: list[Head] = []
                yield transaction, following
                if following:
                    self._place.heads.publish(transaction.head, following[0])
                    if following[0].commits >= COMMITS_PER_TIDYING:
                        self._tidy(RETENTION, thorough=False)

    def tidy(self) -> None:
        """Compact all tables, index what is not indexed, and give back the space of old versions at once."""
        with translated(self._place):
            self._connections.current()
            with self._place.heads.turn():
                self._tidy(timedelta(0), thorough=True)

    def _begin(self) -> Transaction:
        head = self._place.heads.read()
        refuse_other(self._place, head, self._connections.fingerprint)
        return Transaction(self._place.database, head)

    def _tidy(self, older_than: timedelta, *, thorough: bool) -> None:
        transaction = self._begin()
        following, at_rest = compact(transaction, thorough=thorough)
        self._place.heads.publish(transaction.head, following)
        older_than = self._place.heads.retention(older_than)
        # What no head names any more: the versions in force are the newest of each table.
        for name in at_rest:
            transaction.table(name).remove_old_versions(older_than)
        self._place.heads.tidy(older_than)
