"""When vectors are too many to compare all: pgvector's HNSW index, and how hard a question must look in it."""

from __future__ import annotations

from typing import Any

from psycopg import sql

from gnomon.store.postgres.connections import Connections, Reader

# Comparing all takes 1.5 ms per thousand vectors, and no index to build (benchmarks/store).
EXACT_BELOW = 50_000
# Least share of the exact ten best that the index must find, over so many questions.
_LEAST_RECALL = 0.98
_QUESTIONS = 40
_EFFORTS = (100, 200, 400, 800)
# A graph that does not fit is built many times slower: 1.2 kB per vector of 384 dimensions.
_BUILD_MEMORY = "1GB"

_SAMPLE = "SELECT half::vector::text FROM {s}.vectors ORDER BY hashint8(id) LIMIT %s"
_BEST = "SELECT id FROM {s}.vectors ORDER BY half::halfvec({dim}) <=> %s::vector::halfvec({dim}){tie} LIMIT 10"


def index_vectors(connections: Connections, dim: int) -> None:
    """Index the vectors where they are not, without keeping anybody from reading or writing.

    Raises:
        StoreError: The server cannot, as where the role does not own the tables.
    """
    with connections.alone() as writer:
        if _is_whole(writer):
            return
        writer.connection.execute(f"SET maintenance_work_mem = '{_BUILD_MEMORY}'")
        writer.execute("DROP INDEX IF EXISTS {s}.vectors_near")  # of a build that was interrupted
        _build(writer, f"USING hnsw ((half::halfvec({int(dim)})) halfvec_cosine_ops)")
    effort = connections.read(lambda reader: _enough(reader, dim))
    connections.write(lambda writer: _remember(writer, effort))


def _build(writer: Reader, method: str) -> None:
    parts = writer.execute(
        "SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid"
        " WHERE i.inhparent = to_regclass(%s)",
        (f"{writer.schema}.vectors",),
    ).fetchall()
    if not parts:
        writer.execute(f"CREATE INDEX CONCURRENTLY vectors_near ON {{s}}.vectors {method}")
        return
    # A partitioned table is indexed part by part, since nothing else leaves its writers at work.
    writer.execute(f"CREATE INDEX vectors_near ON ONLY {{s}}.vectors {method}")
    for (part,) in parts:
        near = sql.Identifier(writer.schema, f"{part}_near").as_string()
        writer.execute(f"DROP INDEX IF EXISTS {near}")
        name, table = sql.Identifier(f"{part}_near").as_string(), sql.Identifier(writer.schema, part).as_string()
        writer.execute(f"CREATE INDEX CONCURRENTLY {name} ON {table} {method}")
        writer.execute(f"ALTER INDEX {{s}}.vectors_near ATTACH PARTITION {near}")


def _is_whole(writer: Reader) -> bool:
    row = writer.execute(
        "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", (f"{writer.schema}.vectors_near",)
    ).fetchone()
    return row is not None and bool(row[0])


def _enough(reader: Reader, dim: int) -> int:
    """The least effort that finds enough of the exact best."""
    questions = [row[0] for row in reader.execute(_SAMPLE, (_QUESTIONS,))]
    reader.execute("SET LOCAL enable_indexscan = off")
    wanted = [_ids(reader, dim, question, exact=True) for question in questions]
    reader.execute("SET LOCAL enable_indexscan = on")
    for effort in _EFFORTS:
        reader.execute(f"SET LOCAL hnsw.ef_search = {effort}")
        found = [_ids(reader, dim, question, exact=False) for question in questions]
        shared = sum(len(mine & theirs) for mine, theirs in zip(found, wanted, strict=True))
        if shared >= _LEAST_RECALL * sum(map(len, wanted)):
            return effort
    return _EFFORTS[-1]


def _ids(reader: Reader, dim: int, question: Any, *, exact: bool) -> set[int]:
    statement = _BEST.replace("{dim}", str(int(dim))).replace("{tie}", ", id" if exact else "")
    return {number for (number,) in reader.execute(statement, (question,))}


def _remember(writer: Reader, effort: int) -> None:
    writer.execute(
        "INSERT INTO {s}.meta VALUES ('ef_search', %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (str(effort),),
    )
