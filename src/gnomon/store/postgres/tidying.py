"""Keeps a corpus small and quick: dead rows given back, words added up, cached vectors bounded, an index when large."""

from __future__ import annotations

import time

from psycopg import errors

from gnomon.store.postgres.approximate import EXACT_BELOW, index_vectors
from gnomon.store.postgres.connections import Connections, Reader
from gnomon.store.postgres.place import BUSY_TIMEOUT_SECONDS

# As in the default store; see ``gnomon.store.tidying``.
_MAX_IDLE_SECONDS = 30 * 24 * 3600
_MAX_VECTORS_PER_USED = 1.5
# Dead rows that are worth writing tables anew, as a share of the chunks there are. Readers wait meanwhile.
_MAX_REMOVED_SHARE = 0.25
_REWRITE_LOCK_TIMEOUT = "500ms"

# ``frequencies`` is added up when it has this many rows per word.
_MAX_ROWS_PER_WORD = 4

_TABLES = ("documents", "skips", "chunks", "texts", "vectors", "waiting", "kept", "frequencies", "vocabulary", "state")


def tidy(connections: Connections, *, thorough: bool) -> None:
    """Tidy a corpus.

    Args:
        connections: Of the store.
        thorough: Whether tables are written anew where much of them is dead, for which readers wait, and vectors that
            are many get an approximate index.
    """
    connections.write(_trim)
    state = connections.read(lambda reader: reader.state)
    rewrite = thorough and state.removed > _MAX_REMOVED_SHARE * state.chunks
    if thorough and state.vectors >= EXACT_BELOW:
        index_vectors(connections, state.stored_fingerprint.dim)
    with connections.alone() as writer:
        rewritten = [_vacuum(writer, table, rewrite=rewrite) for table in _TABLES]
    connections.write(lambda writer: _done(writer, rewritten=all(rewritten)))


def _vacuum(writer: Reader, table: str, *, rewrite: bool) -> bool:
    """Give back the room of dead rows; returns whether the table was written anew."""
    if rewrite:
        writer.connection.execute(f"SET lock_timeout = '{_REWRITE_LOCK_TIMEOUT}'")
        try:
            writer.execute(f"VACUUM (FULL, ANALYZE) {{s}}.{table}")
        except errors.LockNotAvailable:
            rewrite = False  # a long question is being answered; those after it should not wait for it too
        finally:
            writer.connection.execute(f"SET lock_timeout = '{BUSY_TIMEOUT_SECONDS}s'")
    if not rewrite:
        writer.execute(f"VACUUM (ANALYZE) {{s}}.{table}")
    return rewrite


def _done(writer: Reader, *, rewritten: bool) -> None:
    writer.execute("UPDATE {s}.state SET commits = 0")
    if rewritten:
        writer.execute("UPDATE {s}.state SET removed = 0")


def _trim(writer: Reader) -> None:
    state = writer.state
    now = int(time.time())
    old = writer.execute("DELETE FROM {s}.kept WHERE idle_since < %s", (now - _MAX_IDLE_SECONDS,)).rowcount
    surplus = state.vectors + state.kept - old - int(_MAX_VECTORS_PER_USED * state.peak)
    if surplus > 0:
        old += writer.execute(
            "DELETE FROM {s}.kept WHERE key IN (SELECT key FROM {s}.kept ORDER BY idle_since, key LIMIT %s)", (surplus,)
        ).rowcount
    writer.execute("UPDATE {s}.state SET kept = kept - %s", (old,))
    if not 0 <= now - state.peak_since <= _MAX_IDLE_SECONDS:
        writer.execute("UPDATE {s}.state SET peak = vectors, peak_since = %s", (now,))
    rows = writer.execute(
        "SELECT (SELECT count(*) FROM {s}.frequencies) > %s * (SELECT count(*) FROM {s}.vocabulary)",
        (_MAX_ROWS_PER_WORD,),
    ).fetchone()
    if rows and rows[0]:
        _add_up(writer)
    writer.execute("DELETE FROM {s}.leases WHERE expires < now()")


def _add_up(writer: Reader) -> None:
    writer.execute(
        "WITH gone AS (DELETE FROM {s}.frequencies RETURNING word, chunks)"
        " INSERT INTO {s}.frequencies SELECT word, sum(chunks) FROM gone GROUP BY word HAVING sum(chunks) <> 0"
        " ORDER BY word"
    )
