"""Passages of other files that are nearest in meaning to one passage."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING

from gnomon.embed.base import Embedder
from gnomon.errors import UsageError
from gnomon.search.candidate import Candidate, Evidence
from gnomon.search.filters import admit
from gnomon.search.grounded import limits_of
from gnomon.search.hits import make_hits
from gnomon.search.left_out import tell_left_out
from gnomon.search.options import SearchOptions
from gnomon.store.base import Selection, Store, StoredDocument
from gnomon.values import Answer, Hit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gnomon.lifecycle.graph import LifeGraph

_POOL_PER_HIT = 4  # several passages of one file make one hit


def find_related(
    document: StoredDocument, line: int, *, store: Store, embedder: Embedder, options: SearchOptions
) -> Answer:
    """The nearest passages of other files, at most one per file; a notice tells what the settings' excludes cost.

    Args:
        document: Where the passage is.
        line: 1-based, of the passage or before it, where it is of none.
        store: Where to look.
        embedder: Of the same model as the store.
        options: ``k`` and ``filters`` are honoured.

    Raises:
        UsageError: The document has no passage at that line or behind it.
        ModelError: The model does not answer.
    """
    chunks = store.document_chunks(document.id)
    at_line = (c.chunk for c in chunks if c.chunk.start_line <= line <= c.chunk.end_line)
    after = (c.chunk for c in chunks if c.chunk.start_line > line)  # the line is blank, or of the file's head
    here = next(chain(at_line, after), None)
    if here is None:
        last = max((c.chunk.end_line for c in chunks), default=0)
        raise UsageError(f"{document.document.path} has no passage at line {line}; its text ends at line {last}")
    vector = embedder.embed_passages([here.embedded])[0]
    admission = admit(store, options.filters, options.hidden_statuses)
    chosen = admission.selection
    elsewhere = Selection(only=chosen.only, without=chosen.without | {document.id})
    left_out = admission.left_out - {document.id}
    hits = _nearest(vector, store, elsewhere, admission.lives, k=options.k)
    lost = _nearest(vector, store, Selection(only=left_out), admission.lives, k=1) if left_out else []
    cutoff = limits_of(options, embedder).relative_cutoff
    return Answer(
        hits=tuple(hits),
        notices=tell_left_out(lost, hits, filters=options.filters, relative_cutoff=cutoff, documents=len(left_out)),
        generation=store.generation,
        vectors_missing=store.status().vectors_missing,
    )


def _nearest(vector: NDArray[np.float32], store: Store, selection: Selection, lives: LifeGraph, *, k: int) -> list[Hit]:
    """One hit of each document; as deep as it takes to find ``k``."""
    limit = k * _POOL_PER_HIT
    while True:
        cosines = dict(store.search_vectors(vector, limit=limit, selection=selection))
        best = _one_of_each(cosines, store, k=k)
        if len(best) >= k or len(cosines) < limit:
            return make_hits([[candidate] for candidate in best], store=store, lives=lives)
        limit *= 4


def _one_of_each(cosines: Mapping[int, float], store: Store, *, k: int) -> list[Candidate]:
    best: dict[int, Candidate] = {}
    for rank, stored in enumerate(store.chunks(list(cosines), with_text=False), 1):
        if stored.document_id not in best and len(best) < k:
            owner = store.document(stored.document_id).document
            evidence = Evidence(cosine=cosines[stored.id], vector_rank=rank)
            best[stored.document_id] = Candidate(stored, owner, evidence, score=cosines[stored.id])
    return list(best.values())
