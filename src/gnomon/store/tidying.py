"""Keeps a SQLite store small: cached vectors bounded, vector pages dense, the words index in one piece."""

from __future__ import annotations

import sqlite3
import time

from gnomon.store.pages import ROWS_PER_PAGE, PageWriter
from gnomon.store.schema import raise_generation, read_meta

# Vectors that no chunk uses wait for a branch or a folder to come back: at most this long.
_MAX_IDLE_SECONDS = 30 * 24 * 3600
# All vectors together are at most this often as many as were in use at once during that time: half of everything may
# differ on another branch, and a folder that was removed and is added again finds its vectors.
_MAX_VECTORS_PER_USED = 1.5
_PEAK = "vectorsPeak"  # count and Unix seconds
# Pages of the words index written per step: 4 MB.
_PAGES_PER_MERGE = 1_000


def bound_vectors(connection: sqlite3.Connection, *, received: bool) -> None:
    """Drop vectors that no chunk uses where there are too many; those unused longest first.

    Args:
        connection: In a write transaction.
        received: Vectors came for texts that are not here yet, as from another clone: they count as used.
    """
    used = connection.execute("SELECT coalesce(sum(live), 0) FROM pages").fetchone()[0]
    idle = connection.execute("SELECT count(*) FROM vectors WHERE uses = 0").fetchone()[0]
    now = int(time.time())
    peak, since = (int(part) for part in (read_meta(connection, _PEAK) or f"0 {now}").split())
    highest = used + idle if received else used
    if highest >= peak or not 0 <= now - since <= _MAX_IDLE_SECONDS:
        peak = highest
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_PEAK, f"{peak} {now}"))
    surplus = min(idle, used + idle - int(_MAX_VECTORS_PER_USED * peak))
    if surplus > 0:
        connection.execute(
            "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors WHERE uses = 0 ORDER BY idle_since, id LIMIT ?)",
            (surplus,),
        )


def trim(connection: sqlite3.Connection, dim: int) -> None:
    """Drop surplus vectors and close up pages, inside the caller's transaction; what is found stays the same."""
    connection.execute("DELETE FROM vectors WHERE uses = 0 AND idle_since < ?", (int(time.time()) - _MAX_IDLE_SECONDS,))
    bound_vectors(connection, received=False)
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
