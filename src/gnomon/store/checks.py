"""What every backend asks of what it is given, and of what it gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gnomon.errors import StoreError
from gnomon.store.base import DocumentWrite, SkipWrite, StoredDocument
from gnomon.store.schema import MAX_CHUNKS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A removal of this share of all chunks is followed by tidying at once, so that it gives back space.
_LARGE_REMOVAL = 0.2


def check_pairs(writes: Sequence[DocumentWrite | SkipWrite]) -> None:
    """See that every chunk has its words.

    Raises:
        ValueError: Chunks and words of a document do not pair up, or there are too many.
    """
    for write in writes:
        if not isinstance(write, SkipWrite) and not len(write.words) == len(write.chunks) <= MAX_CHUNKS:
            raise ValueError(f"{write.document.path}: chunks {len(write.chunks)}, sets of words {len(write.words)}")


def check_vectors(keys: Sequence[bytes], vectors: NDArray[np.float32], dim: int) -> None:
    """See that there is a vector for each key.

    Raises:
        ValueError: The shape is not (len(keys), dim), or a number is not finite.
    """
    import numpy as np

    if vectors.shape != (len(keys), dim) or not np.isfinite(vectors).all():
        raise ValueError(f"{len(keys)} finite vectors of {dim} numbers are needed, not {vectors.shape}")


def one_document(found: Mapping[int, StoredDocument], document_id: int, index: object) -> StoredDocument:
    """The document of an id among those found.

    Raises:
        StoreError: It is gone meanwhile; ``index`` is named.
    """
    if document_id not in found:
        raise StoreError(f"document {document_id} is no longer in the index {index}; search again")
    return found[document_id]


def is_large_removal(removed_chunks: int, left: int) -> bool:
    """Whether so many chunks went that their space is to be given back at once."""
    return removed_chunks > _LARGE_REMOVAL * (removed_chunks + left)
