"""Vectors of a corpus to a bundle and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.corpus import Corpus
from gnomon.corpus.writing import alone
from gnomon.index.bundle import open_bundle, write_bundle
from gnomon.index.events import Listener, ignore
from gnomon.index.signing import Signer, Verifier
from gnomon.store.base import Store, text_key

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_KEYS_PER_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Import:
    """What came of an import.

    Attributes:
        count: Vectors in the bundle.
        new: Those that the index did not have.
        signed: Whether the bundle carries a signature.
        signer: Who signed it; "" where that was not asked.
    """

    count: int
    new: int
    signed: bool
    signer: str = ""


def export_bundle(corpus: Corpus, file: Path, *, signer: Signer | None = None) -> int:
    """Write the vector of every indexed passage to a bundle; returns how many different ones there are.

    Raises:
        StoreError: Nothing is indexed yet, or the index cannot be read.
        OSError: The file cannot be written.
        UsageError: The key cannot be used.
    """
    return write_bundle(file, _vectors(corpus.store()), corpus.fingerprint(), signer=signer)


def _vectors(store: Store) -> Iterator[tuple[bytes, NDArray[np.float16]]]:
    keys = sorted(
        {
            text_key(stored.chunk.embedded)
            for document in store.documents()
            for stored in store.document_chunks(document.id)
        }
    )
    for at in range(0, len(keys), _KEYS_PER_BATCH):
        batch = keys[at : at + _KEYS_PER_BATCH]
        found = store.vectors_of(batch)
        yield from ((key, found[key]) for key in batch if key in found)


def import_bundle(
    corpus: Corpus, file: Path, *, verifier: Verifier | None = None, listener: Listener = ignore
) -> Import:
    """Take over the vectors of a bundle; the next index run embeds none of their texts. All are checked first.

    Args:
        corpus: Takes them.
        file: The bundle.
        verifier: Checks its signature; None checks none.
        listener: Told while another process writes.

    Raises:
        MismatchError: Another model, analyzer or chunker made the bundle.
        UsageError: It is no bundle, altered, or not signed as it must be.
        StoreError: The index cannot be written.
    """
    with open_bundle(file, corpus.fingerprint(), verifier=verifier) as bundle:
        new = 0
        with alone(corpus, listener), corpus.open_writable() as store:
            for keys, vectors in bundle.batches():
                known = store.vectors_of(keys)
                wanted = [position for position, key in enumerate(keys) if key not in known]
                if wanted:
                    store.put_vectors([keys[position] for position in wanted], vectors[wanted])
                new += len(wanted)
        return Import(bundle.count, new, bundle.signed, bundle.signer)
