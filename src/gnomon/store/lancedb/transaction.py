"""One commit to a LanceDB index: tables change first, the head is set last; what is not in the head never was."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from gnomon.errors import BusyError
from gnomon.store.lancedb.database import Database, Table, together
from gnomon.store.lancedb.head import Head

# Commits after which the writer compacts tables: a new version names every fragment that there is, so many small ones
# would make each commit slower and the versions larger than the data.
COMMITS_PER_TIDYING = 200
# Chunks that no index knows yet are searched one by one (7 µs each for words), so they are indexed in time; in
# proportion to the whole, because compaction writes all of it again.
_MIN_CHUNKS_PER_TIDYING = 8_192
_SHARE_PER_TIDYING = 0.1


class Transaction:
    """All changes of one commit, carried out together at its end. Not thread-safe.

    Attributes:
        head: The commit before.
    """

    def __init__(self, database: Database, head: Head) -> None:
        self.head = head
        self._database = database
        self._tables: dict[str, Table] = {}
        self._reached: dict[str, int] = {}  # versions of these tables; to ask for one costs half a millisecond
        self._deletions: defaultdict[str, list[str]] = defaultdict(list)
        self._additions: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
        self._appended_chunks = 0

    def table(self, name: str) -> Table:
        """A table as of the commit before, whatever this transaction is going to change."""
        if name not in self._tables:
            physical, version = self.head.versions[name]
            table = self._database.newest(physical)
            if table.version() != version:
                # Another process was killed before it set the head.
                table.restore(version)
                version = table.version()
            self._tables[name], self._reached[name] = table, version
        return self._tables[name]

    def append(self, name: str, columns: Mapping[str, Any]) -> None:
        """Add rows, given by column, after what is to be removed."""
        rows = len(next(iter(columns.values())))
        if rows:
            self._additions[name].append(columns)
            self._appended_chunks += rows if name == "chunks" else 0

    def delete(self, name: str, condition: str) -> None:
        """Remove the rows of the commit before that meet a condition."""
        if condition != "false":
            self._deletions[name].append(f"({condition})")

    def flush(self, schemas: Mapping[str, pa.Schema]) -> dict[str, tuple[str, int]]:
        """Carry out what was collected; where each table stands then."""
        works, expected = {}, {}
        for name in {**self._deletions, **self._additions}:
            added = [pa.table(columns, schema=schemas[name]) for columns in self._additions[name]]
            rows = pa.concat_tables(added) if added else None
            works[name] = self.table(name).change(" OR ".join(self._deletions[name]), rows)
            # One version of what is removed and one of what is added.
            expected[name] = self._reached[name] + bool(self._deletions[name]) + bool(added)
        self._deletions.clear()
        self._additions.clear()
        reached = dict(zip(works, together(list(works.values())), strict=True))
        # In a bucket a writer whose lease ran out may wake up and write: LanceDB then puts its rows below ours.
        if reached != expected:
            raise BusyError("another process wrote to the same index at the same time; try again")
        self._reached |= reached
        return self._named(self._reached)

    def weight(self) -> int:
        """How many commits this one counts for where tidying is due after a number of them."""
        enough = max(_MIN_CHUNKS_PER_TIDYING, int(self.head.counts.chunks * _SHARE_PER_TIDYING))
        return 1 + COMMITS_PER_TIDYING * self._appended_chunks // enough

    def versions(self) -> dict[str, tuple[str, int]]:
        """Where each table stands after it was compacted."""
        return self._named({name: table.version() for name, table in self._tables.items()})

    def _named(self, reached: Mapping[str, int]) -> dict[str, tuple[str, int]]:
        versions = self.head.versions
        return dict(versions) | {name: (versions[name][0], version) for name, version in reached.items()}
