"""Passages of other files that are nearest in meaning to one passage."""

from __future__ import annotations

from gnomon.embed.base import Embedder
from gnomon.errors import UsageError
from gnomon.search.candidate import Candidate, Evidence
from gnomon.search.filters import admit
from gnomon.search.hits import make_hits
from gnomon.search.options import SearchOptions
from gnomon.store.base import Selection, Store, StoredDocument
from gnomon.values import Answer

_POOL_PER_HIT = 4  # several passages of one file make one hit


def find_related(
    document: StoredDocument, line: int, *, store: Store, embedder: Embedder, options: SearchOptions
) -> Answer:
    """The nearest passages of other files, at most one per file.

    Args:
        document: Where the passage is.
        line: 1-based, inside the passage.
        store: Where to look.
        embedder: Of the same model as the store.
        options: ``k`` and ``filters`` are honoured.

    Raises:
        UsageError: The document has no passage at that line.
        ModelError: The model does not answer.
    """
    chunks = store.document_chunks(document.id)
    here = next((c.chunk for c in chunks if c.chunk.start_line <= line <= c.chunk.end_line), None)
    if here is None:
        last = max((c.chunk.end_line for c in chunks), default=0)
        raise UsageError(f"{document.document.path} has no passage at line {line}; its text ends at line {last}")
    vector = embedder.embed_passages([here.embedded])[0]
    admission = admit(store, options.filters, options.hidden_statuses)
    chosen = admission.selection
    elsewhere = Selection(only=chosen.only, without=chosen.without | {document.id})
    cosines = dict(store.search_vectors(vector, limit=options.k * _POOL_PER_HIT, selection=elsewhere))
    best: dict[int, Candidate] = {}
    for rank, stored in enumerate(store.chunks(list(cosines), with_text=False), 1):
        if stored.document_id not in best and len(best) < options.k:
            owner = store.document(stored.document_id).document
            evidence = Evidence(cosine=cosines[stored.id], vector_rank=rank)
            best[stored.document_id] = Candidate(stored, owner, evidence, score=cosines[stored.id])
    hits = make_hits([[candidate] for candidate in best.values()], store=store, lives=admission.lives)
    missing = store.status().vectors_missing
    return Answer(hits=tuple(hits), generation=store.generation, vectors_missing=missing)
