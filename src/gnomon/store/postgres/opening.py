"""Brings a corpus to life in a database: a new one, a known one, one of older tables, or one put in its place."""

from __future__ import annotations

import time
from typing import Any

import psycopg
from psycopg import errors

from gnomon.errors import MismatchError
from gnomon.store.base import Fingerprint
from gnomon.store.bm25 import weights_mark
from gnomon.store.postgres.connections import Reader, translated
from gnomon.store.postgres.place import Place, learn_half
from gnomon.store.postgres.schema import CONTENT, MIGRATIONS, VERSION
from gnomon.store.postgres.state import STATE, State, read_state, refuse_other
from gnomon.store.schema import marshal


def prepare(place: Place, fingerprint: Fingerprint, *, replace: bool) -> None:
    """See that a corpus can be written; make it, and bring its tables up to date, where that is needed.

    Raises:
        MismatchError: It has another fingerprint and ``replace`` is off.
        StoreError: The server does not answer, or does not let us write.
    """
    with translated(place):
        connection = place.connect(reading=False)
        try:
            reader = Reader(connection, place.schema)
            with connection.transaction():
                # Of several that open the same corpus at once one makes it.
                reader.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (place.schema,))
                _prepare(place, reader, fingerprint, replace=replace)
        finally:
            connection.close()


def is_made(place: Place) -> bool:
    """Whether a corpus was made.

    Raises:
        StoreError: The server does not answer.
    """
    with translated(place), place.connect(reading=True) as connection:
        return _version(Reader(connection, place.schema)) > 0


def _prepare(place: Place, reader: Reader, fingerprint: Fingerprint, *, replace: bool) -> None:
    known = _version(reader)
    if known < VERSION:
        _migrate(reader, known)
    if known == 0:
        _first_state(reader, fingerprint, generation=1, last_document=0)
        return
    state = read_state(reader.execute(f"{STATE} FOR UPDATE").fetchone())
    try:
        refuse_other(place, state, fingerprint)
    except MismatchError:
        if not replace:
            raise
        _reset(reader, state, fingerprint)
    else:
        if state.extractor != fingerprint.extractor:
            reader.execute("UPDATE {s}.state SET extractor = %s", (fingerprint.extractor,))


def _version(reader: Reader) -> int:
    """Of the tables, 0 where there are none."""
    found = reader.execute("SELECT to_regclass(%s)", (f"{reader.schema}.meta",)).fetchone()
    if found is None or found[0] is None:
        return 0
    row = reader.execute("SELECT value FROM {s}.meta WHERE key = 'tables'").fetchone()
    return int(row[0]) if row else 0


def _migrate(reader: Reader, known: int) -> None:
    _require_pgvector(reader.connection)
    row = reader.execute(
        "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = 'vector'"
    ).fetchone()
    if known == 0:
        reader.execute("CREATE SCHEMA IF NOT EXISTS {s}")
    for version in range(known + 1, VERSION + 1):
        reader.execute(MIGRATIONS[version].replace("{v}", str(row[0]) if row else "public"))
    reader.execute(
        "INSERT INTO {s}.meta VALUES ('tables', %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (str(VERSION),),
    )


def _require_pgvector(connection: psycopg.Connection[Any]) -> None:
    try:
        with connection.transaction():
            # Of several corpora that are made at once in a new database one makes it.
            connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('gnomon pgvector', 0))")
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except (errors.InsufficientPrivilege, errors.UndefinedFile, errors.FeatureNotSupported):
        pass  # said plainly by the next line, where it is missing
    learn_half(connection)


def _first_state(reader: Reader, fingerprint: Fingerprint, *, generation: int, last_document: int) -> None:
    reader.execute(
        "INSERT INTO {s}.state (generation, last_document, fingerprint, weights, extractor)"
        " VALUES (%s, %s, %s, %s, %s)",
        (generation, last_document, marshal(fingerprint), weights_mark(), fingerprint.extractor),
    )


def _reset(reader: Reader, old: State, fingerprint: Fingerprint) -> None:
    """Empty the corpus in one transaction; every reader sees the old one or the new one. Vectors stay if they fit."""
    reader.execute("DROP INDEX IF EXISTS {s}.vectors_near")
    stored = old.stored_fingerprint
    kept = 0
    if all(getattr(stored, name) == getattr(fingerprint, name) for name in ("schema", "model", "dim")):
        now = int(time.time())
        reader.execute(
            "INSERT INTO {s}.kept SELECT DISTINCT ON (key) key, %s, half FROM {s}.vectors ON CONFLICT DO NOTHING",
            (now,),
        )
        reader.execute("UPDATE {s}.kept SET idle_since = %s", (now,))
        row = reader.execute("SELECT count(*) FROM {s}.kept").fetchone()
        kept = int(row[0]) if row else 0
    else:
        reader.execute("DELETE FROM {s}.kept")
    for table in CONTENT:
        # Not TRUNCATE: it would wait for readers, and readers with an older snapshot would find nothing.
        reader.execute(f"DELETE FROM {{s}}.{table}")  # noqa: S608 - constants
    reader.execute("DELETE FROM {s}.meta WHERE key LIKE 'user.%%'", ())
    reader.execute("DELETE FROM {s}.state")
    # Generation and ids go on rising, so that readers who remember the old index see that it changed.
    _first_state(reader, fingerprint, generation=old.generation + 1, last_document=old.last_document)
    reader.execute("UPDATE {s}.state SET kept = %s, peak = %s, peak_since = %s", (kept, kept, int(time.time())))
