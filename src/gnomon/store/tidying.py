"""Keeps a SQLite store small: cached vectors bounded, vector pages dense, the words index in one piece."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress

from gnomon.errors import StoreError
from gnomon.store.pages import ROWS_PER_PAGE, PageWriter
from gnomon.store.rows import INSERT_WORDS, unpack_words
from gnomon.store.schema import ORDINAL_BITS, raise_generation, read_meta

# Vectors that no chunk uses wait for a branch or a folder to come back: at most this long.
_MAX_IDLE_SECONDS = 30 * 24 * 3600
# All vectors together are at most this often as many as were in use at once during that time: half of everything may
# differ on another branch, and a folder that was removed and is added again finds its vectors.
_MAX_VECTORS_PER_USED = 1.5
_PEAK = "vectorsPeak"  # count and Unix seconds
# Pages of the words index written per step: 4 MB.
_PAGES_PER_MERGE = 1_000
# A writer that closes makes one step, and one more for so many rows that it added or removed, which are about 170
# pages: up to six times what it wrote, as FTS5 would have done meanwhile.
_ROWS_PER_MERGE = 1_000
# Pieces from which a commit puts them together after all: 64 cost a search 1 to 5 ms at a million passages.
_MOST_PIECES = 64

# Begins a transaction, which ends with the block.
Writing = Callable[[], AbstractContextManager[sqlite3.Connection]]


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


def put_off_merges(connection: sqlite3.Connection) -> None:
    """Let a transaction add to the words index and leave the merging to ``merge_pieces``, where that is not so yet."""
    # Both are kept in the file. FTS5 itself merges within each transaction, a third of the time it takes.
    if connection.execute("SELECT v FROM words_config WHERE k = 'automerge'").fetchone() != (0,):
        connection.execute("INSERT INTO words (words, rank) VALUES ('automerge', 0)")
        connection.execute("INSERT INTO words (words, rank) VALUES ('crisismerge', ?)", (_MOST_PIECES,))


def merge_pieces(writing: Writing, rows: int) -> None:
    """Put pieces together after a writer added and removed so many rows; what fails or is left the next writer does."""
    with suppress(StoreError):  # all pieces are searched
        for _ in range(merges_due(rows)):
            with writing() as connection:
                if not _merge(connection, _PAGES_PER_MERGE):
                    break


def merges_due(rows: int) -> int:
    """Steps that a writer of so many rows makes at most."""
    return 1 + rows // _ROWS_PER_MERGE


def merge_all(writing: Writing) -> None:
    """Make one piece of all, in steps, so that another writer waits for one of them only."""
    # Not FTS5's "optimize": that is the same work in one transaction, whose log is as large as the index. Below 0: all
    # pieces together, with which the other steps go on.
    pages = -_PAGES_PER_MERGE
    more = True
    while more:
        with writing() as connection:
            more = _merge(connection, pages)
        pages = _PAGES_PER_MERGE


def _merge(connection: sqlite3.Connection, pages: int) -> bool:
    """One step; returns whether another is needed."""
    before = connection.total_changes
    connection.execute("INSERT INTO words (words, rank) VALUES ('merge', ?)", (pages,))
    # Fewer than two changes: nothing was left to do (https://www.sqlite.org/fts5.html#the_merge_command).
    return connection.total_changes - before >= 2


def rebuild_words(connection: sqlite3.Connection) -> None:
    """Fill the words index anew, inside the caller's transaction: a bit flipped in it passes FTS5's own check.

    Raises:
        DamagedRowError: What it was filled with is not whole.
    """
    put_off_merges(connection)
    connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
    for number, blob in connection.execute("SELECT document, words FROM document_words ORDER BY document"):
        base = number << ORDINAL_BITS
        connection.executemany(INSERT_WORDS, [(base + ordinal, *fields) for ordinal, fields in unpack_words(blob)])
