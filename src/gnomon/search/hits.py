"""Passages -> hits: what the caller sees of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from gnomon.analyze import QueryWords, chunk_words
from gnomon.lifecycle.graph import LifeGraph
from gnomon.search.candidate import Candidate
from gnomon.search.life import tell
from gnomon.search.merge import join
from gnomon.store.base import Store
from gnomon.values import Anchor, Chunk, Evidence, Hit, Label, Span, Status


def make_hits(passages: Sequence[Sequence[Candidate]], *, store: Store, lives: LifeGraph) -> list[Hit]:
    """One hit per passage, in order, with text, place and evidence.

    A passage of several chunks has the evidence of its best one. A passage whose text went meanwhile (another process
    wrote the index) is left out.
    """
    wanted = [candidate.stored.id for passage in passages for candidate in passage]
    chunks = {stored.id: stored.chunk for stored in store.chunks(wanted)}
    hits: list[Hit] = []
    for passage in passages:
        present = [candidate for candidate in passage if candidate.stored.id in chunks]
        if len(present) == len(passage):
            best = max(passage, key=lambda c: c.score)
            hit = _hit(len(hits) + 1, best, [chunks[each.stored.id] for each in passage])
            hits.append(tell(hit, best.stored.document_id, lives))
    return hits


def _hit(rank: int, best: Candidate, chunks: Sequence[Chunk]) -> Hit:
    document, evidence = best.document, best.evidence
    is_deprecated = all(chunk.deprecated for chunk in chunks)
    span = Span(chunks[0].span.start, max(chunk.span.end for chunk in chunks))
    return Hit(
        rank=rank,
        folder=document.folder,
        path=document.path,
        span=span,
        start_line=chunks[0].start_line,
        end_line=max(chunk.end_line for chunk in chunks),
        text=join(chunks),
        score=best.score,
        label=label_of(best),
        anchor=anchor_at(document.anchors, span.start),
        breadcrumb=chunks[0].breadcrumb,
        symbols=tuple(dict.fromkeys(symbol for chunk in chunks for symbol in chunk.symbols)),
        cosine=evidence.cosine,
        bm25=evidence.bm25,
        language=document.language,
        kind=document.kind,
        status=Status.DEPRECATED if is_deprecated and document.status is Status.LIVING else document.status,
        date=document.date,
        evidence=Evidence(word_rank=evidence.word_rank, vector_rank=evidence.vector_rank, boosts=tuple(best.boosts)),
    )


def label_of(candidate: Candidate) -> Label:
    """Which arms had it in their pool."""
    words, vectors = candidate.evidence.word_rank > 0, candidate.evidence.vector_rank > 0
    if words and vectors:
        return "both"
    return "exact" if words else "semantic"


def anchor_at(anchors: Sequence[Anchor], offset: int) -> str:
    """Label of the last anchor at or before an offset, "" where none is."""
    at = bisect_right([anchor.offset for anchor in anchors], offset)
    return anchors[at - 1].label if at else ""


def matched_words(query: QueryWords, chunk: Chunk, path: str, frequencies: Mapping[str, int]) -> tuple[str, ...]:
    """The question's words that occur in any field of a chunk, rarest first."""
    words = chunk_words(chunk, path, "")
    found = {*words.body, *words.symbols, *words.headings, *words.path}
    asked = dict.fromkeys((*query.words.any_of, *query.words.all_of))
    return tuple(sorted((word for word in asked if word in found), key=lambda word: frequencies.get(word, 0)))
