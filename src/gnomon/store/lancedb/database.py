"""The one module that speaks to LanceDB: tables with blocking methods, over the library's asynchronous interface.

The library's own blocking interface asks for the schema before every question (2 ms of 5); this one does not.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Coroutine, Mapping, Sequence
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

import lancedb

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.query import FullTextQuery

Result = TypeVar("Result")

# Times a table is compacted at most until nothing is left to do; merging the pieces of an index takes two.
_ROUNDS = 8


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True, name="gnomon-lancedb").start()
    return loop


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Wait for something of the library; any thread may."""
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()


async def _awaited(work: Awaitable[Result]) -> Result:
    return await work


class Table:
    """One table, or one version of it."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def version(self) -> int:
        """The newest, or the one it stays at."""
        return int(run(self._table.version()))

    def restore(self, version: int) -> None:
        """Make an older version the newest one again."""

        async def work() -> None:
            await self._table.checkout(version)
            await self._table.restore()

        run(work())

    def rows(self, condition: str, columns: Sequence[str]) -> pa.Table:
        """Rows that meet a condition ("" for all), in no order."""
        query = self._table.query().select(list(columns))
        found: pa.Table = run((query.where(condition) if condition else query).to_arrow())
        return found

    def count(self, condition: str) -> int:
        """How many rows meet a condition."""
        return int(run(self._table.count_rows(condition)))

    def best_by_words(self, words: FullTextQuery, condition: str, columns: Sequence[str], limit: int) -> pa.Table:
        """Rows that match, best first as LanceDB sees it; those that do not meet the condition take no place."""
        query = self._table.query().nearest_to_text(words).select([*columns, "_score"]).limit(limit)
        found: pa.Table = run((query.where(condition) if condition else query).to_arrow())
        return found

    def nearest(self, vector: Any, condition: str, columns: Sequence[str], limit: int, **probes: int) -> pa.Table:
        """Rows by cosine, nearest first; those that do not meet the condition take no place.

        Args:
            vector: Float32, shape (dim,).
            condition: "" for none.
            columns: Wanted.
            limit: Rows wanted.
            probes: ``nprobes`` and ``refine_factor`` of an approximate index; without them all rows are compared.
        """
        query = self._table.query().nearest_to(vector).column("vector").distance_type("cosine")
        for name, value in probes.items():
            query = getattr(query, name)(value)
        query = (query if probes else query.bypass_vector_index()).select([*columns, "_distance"]).limit(limit)
        found: pa.Table = run((query.where(condition) if condition else query).to_arrow())
        return found

    def change(self, delete: str, rows: pa.Table | None) -> Coroutine[Any, Any, int]:
        """Remove rows that meet a condition ("" for none), then add some; to be run by ``together``.

        Returns:
            The version that came of it; one of both must be there.
        """

        async def work() -> int:
            done: Any = await self._table.delete(delete) if delete else None
            if rows is not None:
                done = await self._table.add(rows)
            return int(done.version)

        return work()

    def update(self, condition: str, values: Mapping[str, Any]) -> int:
        """Change rows that meet a condition; returns how many. Of two at once one sees what the other did."""
        return int(run(self._table.update(values, where=condition)).rows_updated)

    def index(self, column: str, config: Any, *, name: str | None = None) -> None:
        """Make an index over a column."""
        run(self._table.create_index(column, config=config, replace=True, name=name))

    def compact(self) -> bool:
        """Write small pieces together and bring indexes up to date until no new version comes of it.

        Returns:
            Whether it came to rest, so that ``remove_old_versions`` removes nothing that is in force.
        """
        for _ in range(_ROUNDS):
            before = self.version()
            self._optimize(timedelta(days=36_500), unverified=False)
            if self.version() == before:
                return True
        return False

    def remove_old_versions(self, older_than: timedelta) -> None:
        """Give back the space of versions of that age, of a table that is at rest."""
        # Zero would be taken as well, with a warning meant for those who have other writers.
        self._optimize(max(older_than, timedelta(milliseconds=1)), unverified=True)

    def _optimize(self, older_than: timedelta, *, unverified: bool) -> None:
        run(self._table.optimize(cleanup_older_than=older_than, delete_unverified=unverified))

    def size_bytes(self) -> int:
        """Of the version in force: rows and indexes."""
        rows = run(self._table.stats())["total_bytes"]
        return int(rows) + sum(int(index.size_bytes or 0) for index in run(_awaited(self._table.list_indices())))


class Database:
    """The tables at one place. A read looks for the newest version each time."""

    def __init__(self, uri: str) -> None:
        self._database: Any = run(_awaited(lancedb.connect_async(uri, read_consistency_interval=timedelta(0))))
        self._newest: dict[str, Table] = {}

    def find(self, name: str) -> Table | None:
        """A table, or None where there is none of that name."""
        try:
            return self.open(name)
        except ValueError as e:
            if "not found" in str(e):
                return None
            raise

    def open(self, name: str) -> Table:
        """A table that there is, at its newest version."""
        return Table(run(_awaited(self._database.open_table(name))))

    def open_at(self, name: str, version: int) -> Table:
        """A table that stays at a version."""

        async def work() -> Any:
            table = await self._database.open_table(name)
            await table.checkout(version)
            return table

        return Table(run(work()))

    def newest(self, name: str) -> Table:
        """The same object each time, for the one that writes."""
        if name not in self._newest:
            self._newest[name] = self.open(name)
        return self._newest[name]

    def create(self, name: str, schema: pa.Schema, rows: pa.Table | None = None) -> Table:
        """A table that there was not."""
        return Table(run(_awaited(self._database.create_table(name, rows, schema=schema))))

    def drop(self, name: str) -> None:
        """Remove a table with all its versions."""
        self._newest.pop(name, None)
        run(_awaited(self._database.drop_table(name)))


def together(works: Sequence[Coroutine[Any, Any, Result]]) -> list[Result]:
    """Wait for several changes, each of another table, that run side by side; what they return, in their order.

    One that fails does not end the others, so nothing is written any more when this raises.
    """

    async def all_of_them() -> list[Result | BaseException]:
        return await asyncio.gather(*works, return_exceptions=True)

    results = run(all_of_them()) if works else []
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return cast("list[Result]", results)
