"""Exact cosines over stored float16, of what was found as candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def exact_cosines(query: NDArray[np.float32], halves: NDArray[np.float16]) -> NDArray[np.float32]:
    """Cosine of each row with a query of unit length; 0 for rows of zeros.

    Args:
        query: Shape (dim,).
        halves: Shape (n, dim).
    """
    if not len(halves):
        return np.empty(0, np.float32)
    floats = halves.astype(np.float32)
    norms = np.linalg.norm(floats, axis=1)
    cosines = np.divide(floats @ query, norms, out=np.zeros(len(floats), np.float32), where=norms > 0)
    return cast("NDArray[np.float32]", cosines)
