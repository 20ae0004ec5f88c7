"""Which rows a selection of documents lets come back, for many rows at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from gnomon.store.base import Selection
from gnomon.store.schema import ORDINAL_BITS

if TYPE_CHECKING:
    from numpy.typing import NDArray


def admission(selection: Selection) -> Callable[[NDArray[np.int64]], NDArray[np.bool_]]:
    """Says of chunk ids which are of a document that the selection admits; 0 is no chunk."""
    only = None if selection.only is None else np.fromiter(selection.only, np.int64, len(selection.only))
    without = np.fromiter(selection.without, np.int64, len(selection.without))

    def admitted(owners: NDArray[np.int64]) -> NDArray[np.bool_]:
        mask = owners > 0
        if only is not None or len(without):
            documents = owners >> ORDINAL_BITS
            if only is not None:
                mask &= np.isin(documents, only)
            if len(without):
                mask &= np.isin(documents, without, invert=True)
        return mask

    return admitted
