"""The vectors arm: pgvector finds candidates over float16, whose cosines it computes again with the whole query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gnomon.store.base import Selection
from gnomon.store.postgres.connections import Reader
from gnomon.store.postgres.words import admitted
from gnomon.store.schema import ORDINAL_BITS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Candidates per hit and at least: rounding the query to float16 changes their order a little.
_CANDIDATES_PER_HIT = 2
_MIN_CANDIDATES = 100
# The approximate index is asked for so many at least; pgvector allows 1,000.
_MAX_EF_SEARCH = 1_000

_COSINE = "CASE WHEN d = 'NaN' THEN 0 ELSE 1 - d END"
_NEAREST = f"""
SELECT id, {_COSINE} FROM (
    SELECT id, half::vector <=> %(query)s::vector AS d FROM (
        SELECT id, half FROM {{s}}.vectors WHERE true{{conditions}}
        ORDER BY {{order}} LIMIT %(candidates)s
    ) AS near
) AS exact ORDER BY 2 DESC, id LIMIT %(limit)s
"""  # noqa: S608 - constants


def search_vectors(
    reader: Reader, query: NDArray[np.float32], *, limit: int, selection: Selection
) -> list[tuple[int, float]]:
    """(chunk id, cosine), best first, ties by id.

    Args:
        reader: In a transaction.
        query: Of unit length.
        limit: Hits wanted, >= 1.
        selection: Documents that may come back.
    """
    dim = len(query)
    candidates = max(limit * _CANDIDATES_PER_HIT, _MIN_CANDIDATES)
    values: dict[str, Any] = {"query": written(query), "candidates": candidates, "limit": limit}
    conditions = admitted("document", selection, values)
    if effort := reader.state.effort:
        reader.execute(f"SET LOCAL hnsw.ef_search = {min(max(candidates, effort), _MAX_EF_SEARCH)}")
        reader.execute("SET LOCAL hnsw.iterative_scan = relaxed_order")
        order = f"half::halfvec({dim}) <=> %(query)s::vector::halfvec({dim})"
    else:
        order = f"half <=> %(query)s::vector::halfvec({dim}), id"
    statement = _NEAREST.replace("{conditions}", conditions).replace("{order}", order)
    return [(int(number), float(cosine)) for number, cosine in reader.execute(statement, values)]


def cosines_of(reader: Reader, query: NDArray[np.float32], chunk_ids: Sequence[int]) -> dict[int, float]:
    """Cosine of each of these chunks that has a vector."""
    ids = [int(number) for number in chunk_ids]
    if not ids:
        return {}
    rows = reader.execute(
        f"SELECT id, {_COSINE} FROM (SELECT id, half::vector <=> %(query)s::vector AS d FROM {{s}}.vectors"  # noqa: S608
        " WHERE document = ANY(%(documents)s) AND id = ANY(%(ids)s)) AS exact",
        {"query": written(query), "ids": ids, "documents": sorted({number >> ORDINAL_BITS for number in ids})},
    )
    return {int(number): float(cosine) for number, cosine in rows}


def written(vector: NDArray[np.float32]) -> str:
    """A vector as pgvector reads it, every digit of it."""
    return "[" + ",".join(f"{number:.9g}" for number in vector.tolist()) + "]"


def stored_vectors(reader: Reader, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float16]]:
    """Vectors kept under these keys; those without one are absent."""
    import numpy as np

    rows = reader.execute(
        "SELECT DISTINCT ON (key) key, half FROM (SELECT key, half FROM {s}.vectors WHERE key = ANY(%(keys)s)"
        " UNION ALL SELECT key, half FROM {s}.kept WHERE key = ANY(%(keys)s)) AS stored",
        {"keys": list(keys)},
        binary=True,
    )
    # As pgvector sends it: dimension and a zero, two bytes each, then the numbers.
    return {bytes(key): np.frombuffer(half, ">f2", offset=4).astype(np.float16) for key, half in rows}
