"""When vectors are too many to compare all: an index of parts, and how many of them a question must look into."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from lancedb.index import IvfRq

from gnomon.store.cosines import exact_cosines
from gnomon.store.lancedb.database import Table
from gnomon.store.lancedb.tables import halves_of
from gnomon.store.lancedb.vectors import REFINE

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Comparing all takes 1 ms of a processor per thousand vectors, and no index to build (benchmarks/store).
EXACT_BELOW = 50_000
# Least share of the exact ten best that the index must find, over so many questions.
_LEAST_RECALL = 0.98
_QUESTIONS = 40
_BEST = 10
_FIRST_PROBES = 20


def index_vectors(table: Table, count: int) -> int:
    """Index the vectors, and look how many parts of the index a question needs.

    Args:
        table: ``vectors``, at its newest version.
        count: Its rows.

    Returns:
        Parts to look into: all of them where nothing less finds enough.
    """
    parts = max(1, round(math.sqrt(count)))
    table.index("vector", IvfRq(distance_type="cosine", num_partitions=parts), name="vector_idx")
    table.compact()
    questions = _some_vectors(table)
    wanted = [_ids(table, question) for question in questions]
    probes = _FIRST_PROBES
    while probes < parts:
        found = [_ids(table, question, nprobes=probes, refine_factor=REFINE) for question in questions]
        shared = sum(len(mine & theirs) for mine, theirs in zip(found, wanted, strict=True))
        if shared >= _LEAST_RECALL * sum(map(len, wanted)):
            return probes
        probes *= 2
    return parts


def _some_vectors(table: Table) -> list[NDArray[np.float32]]:
    """Questions like those that will come: stored vectors, moved a little."""
    drawn = np.random.default_rng(0)
    ids = table.rows("", ["id"])["id"].to_numpy()
    chosen = drawn.choice(ids, min(_QUESTIONS, len(ids)), replace=False)
    rows = halves_of(table.rows(f"id IN ({', '.join(map(str, chosen.tolist()))})", ["vector"])).astype(np.float32)
    moved = rows + drawn.normal(size=rows.shape).astype(np.float32) * 0.5 / np.float32(math.sqrt(rows.shape[1]))
    return [row / np.linalg.norm(row) for row in moved]


def _ids(table: Table, question: NDArray[np.float32], **probes: int) -> set[int]:
    rows = table.nearest(question, "", ["id", "vector"], 5 * _BEST, **probes)
    order = np.argsort(-exact_cosines(question, halves_of(rows)))[:_BEST]
    return set(rows["id"].to_numpy()[order].tolist())
