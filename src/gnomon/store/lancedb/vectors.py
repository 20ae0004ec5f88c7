"""The vectors arm: LanceDB finds candidates, whose cosines are computed again over the stored float16."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gnomon.store.base import Selection
from gnomon.store.cosines import exact_cosines
from gnomon.store.lancedb.connections import Snapshot
from gnomon.store.lancedb.selection import admitted
from gnomon.store.lancedb.tables import among, among_ids, halves_of, in_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Candidates per hit and at least; more are asked for while the last of them ties with the last hit.
_CANDIDATES_PER_HIT = 2
_MIN_CANDIDATES = 100
# Rows that the approximate index compares exactly per row asked for; see docs/decisions/0080-three-stores.md.
REFINE = 4
# Two distances this near count as equal: float32 over float16.
_TIE = 1e-5


def search_vectors(
    snapshot: Snapshot, query: NDArray[np.float32], *, limit: int, selection: Selection
) -> list[tuple[int, float]]:
    """(chunk id, cosine), best first, ties by id.

    Args:
        snapshot: To be searched.
        query: Of unit length.
        limit: Hits wanted, >= 1.
        selection: Documents that may come back.
    """
    total = snapshot.head.counts.vectors
    condition = admitted(snapshot, selection) if total else "false"
    if condition == "false":
        return []
    wanted = max(limit * _CANDIDATES_PER_HIT, _MIN_CANDIDATES)
    while True:
        ids, cosines = _nearest(snapshot, query, wanted, condition)
        order = np.lexsort((ids, -cosines))[:limit]
        enough = len(ids) < wanted or wanted >= total
        if enough or cosines[order[-1]] - float(cosines.min()) > _TIE:
            return [(int(ids[i]), float(cosines[i])) for i in order]
        wanted *= 4


def _nearest(
    snapshot: Snapshot, query: NDArray[np.float32], count: int, condition: str
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    probes = {"nprobes": snapshot.head.probes, "refine_factor": REFINE} if snapshot.head.probes else {}
    rows = snapshot.table("vectors").nearest(query, condition, ["id", "vector"], count, **probes)
    return rows["id"].to_numpy(), exact_cosines(query, halves_of(rows))


def cosines_of(snapshot: Snapshot, query: NDArray[np.float32], chunk_ids: Sequence[int]) -> dict[int, float]:
    """Cosine of each of these chunks that has a vector."""
    if not chunk_ids or not snapshot.head.counts.vectors:
        return {}
    rows = snapshot.table("vectors").rows(among_ids("id", map(int, chunk_ids)), ["id", "vector"])
    if not rows.num_rows:
        return {}
    return dict(zip(rows["id"].to_pylist(), exact_cosines(query, halves_of(rows)).tolist(), strict=True))


def stored_vectors(snapshot: Snapshot, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float16]]:
    """Vectors kept under these keys; those without one are absent."""
    found: dict[bytes, NDArray[np.float16]] = {}
    for name in ("vectors", "kept"):
        for some in in_parts(keys):
            rows = snapshot.table(name).rows(among("key", [key.hex() for key in some]), ["key", "vector"])
            found |= zip(map(bytes.fromhex, rows["key"].to_pylist()), halves_of(rows), strict=True)
    return found
