"""Keeps a SQLite store small: cached vectors bounded, vector pages dense, the words index in one piece."""

from __future__ import annotations

import sqlite3
import time

from gnomon.store.pages import ROWS_PER_PAGE, PageWriter
from gnomon.store.schema import raise_generation

# Vectors that no chunk uses wait for a branch to come back: at most this long, and at most as many as are in use.
_MAX_IDLE_SECONDS = 30 * 24 * 3600
_MIN_KEPT = 1_000


# Pages of the words index written per step: 4 MB.
_PAGES_PER_MERGE = 1_000


def trim(connection: sqlite3.Connection, dim: int) -> None:
    """Drop surplus vectors and close up pages, inside the caller's transaction; what is found stays the same."""
    _trim_vectors(connection)
    pages, live = connection.execute("SELECT count(*), coalesce(sum(live), 0) FROM pages").fetchone()
    if pages > -(-live // ROWS_PER_PAGE):
        writer = PageWriter(connection, dim)
        writer.compact()
        writer.flush(raise_generation(connection))


def merge_words(connection: sqlite3.Connection, *, first: bool) -> bool:
    """One step towards a words index in one piece; returns whether another is needed.

    Not FTS5's "optimize": that is the same work in one transaction, whose log is as large as the index.

    Args:
        connection: In a write transaction.
        first: Whether this is the first step: it takes all pieces together, the others go on with it.
    """
    before = connection.total_changes
    pages = -_PAGES_PER_MERGE if first else _PAGES_PER_MERGE
    connection.execute("INSERT INTO words (words, rank) VALUES ('merge', ?)", (pages,))
    # Fewer than two changes: nothing was left to do (https://www.sqlite.org/fts5.html#the_merge_command).
    return connection.total_changes - before >= 2


def _trim_vectors(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM vectors WHERE uses = 0 AND idle_since < ?", (int(time.time()) - _MAX_IDLE_SECONDS,))
    used, idle = connection.execute("SELECT count(*) - sum(uses = 0), sum(uses = 0) FROM vectors").fetchone()
    surplus = (idle or 0) - max(used or 0, _MIN_KEPT)
    if surplus > 0:
        connection.execute(
            "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors WHERE uses = 0 ORDER BY idle_since LIMIT ?)",
            (surplus,),
        )
