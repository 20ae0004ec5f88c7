"""BM25 as SQLite's FTS5 computes it, for what is scored by ourselves: every backend ranks alike."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, TypeVar

from gnomon.store.base import FieldWeights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# https://www.sqlite.org/fts5.html#the_bm25_function
_K1, _B = 1.2, 0.75
_LEAST_IDF = 1e-6

Number = TypeVar("Number", float, "NDArray[np.float64]")


def field_weights() -> dict[str, int]:
    """Weight of each field of ``ChunkWords``, for backends that keep counts with the weights in them."""
    return {field: round(weight) for field, weight in asdict(FieldWeights()).items()}


def weights_mark() -> str:
    """The weights as an index keeps them: one with others in its counts is refused."""
    return "-".join(f"{weight:g}" for weight in asdict(FieldWeights()).values())


def idf(chunks_with: int, chunks: int) -> float:
    """Weight of a word: falls with the number of chunks that hold it, and is never quite 0."""
    return max(_LEAST_IDF, math.log((chunks - chunks_with + 0.5) / (chunks_with + 0.5)))


def length_norm(length: Number, average: float) -> Number:
    """What is added to the counts of words in chunks of some length, in words as the average of all chunks is."""
    return _K1 * (1 - _B + _B * length / average)


def saturated(count: Number, norm: Number) -> Number:
    """What a word that occurs so often is worth, as a multiple of its ``idf``; below 2.2 however often.

    >>> round(saturated(1.0, length_norm(50.0, 50.0)), 3)
    1.0
    """
    return count * (_K1 + 1) / (count + norm)


def bm25(occurrences: Iterable[tuple[str, float]], relative_length: float, weights: Mapping[str, float]) -> float:
    """Score of one chunk.

    Args:
        occurrences: (word, how often it occurs, by the weight of its fields) for words of the query.
        relative_length: Words of the chunk, by their average number over all chunks.
        weights: ``idf`` of each word of the query.

    >>> round(bm25([("a", 1.0)], 1.0, {"a": 2.0}), 3)
    2.0
    """
    norm = length_norm(relative_length, 1.0)
    return sum(weights[word] * saturated(count, norm) for word, count in occurrences)
