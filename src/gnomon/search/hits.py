"""Passages -> hits: what the caller sees of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence

from gnomon.analyze import QueryWords
from gnomon.lifecycle.graph import LifeGraph
from gnomon.search.candidate import Candidate
from gnomon.search.life import tell
from gnomon.search.merge import join
from gnomon.store.base import Store
from gnomon.values import Anchor, Chunk, Evidence, Hit, Label, Span, Status

# Words of a question below it ("a", "of") do not tell one page from another.
_TELLING_CHARS = 3


def make_hits(
    passages: Sequence[Sequence[Candidate]], *, store: Store, lives: LifeGraph, words: Collection[str] = ()
) -> list[Hit]:
    """One hit per passage, in order, with text, place and evidence.

    A passage of several chunks has the evidence of its best one. A passage whose text went meanwhile (another process
    wrote the index) is left out.

    Args:
        passages: Chunks that follow each other, of one document each.
        store: Holds their texts.
        lives: What became of their documents.
        words: Of the question, in lower case: a passage that runs over a page's end is on the page that has them.
    """
    wanted = [candidate.stored.id for passage in passages for candidate in passage]
    chunks = {stored.id: stored.chunk for stored in store.chunks(wanted)}
    hits: list[Hit] = []
    for passage in passages:
        present = [candidate for candidate in passage if candidate.stored.id in chunks]
        if len(present) == len(passage):
            best = max(passage, key=lambda c: c.score)
            hit = _hit(len(hits) + 1, best, {each.stored.id: chunks[each.stored.id] for each in passage}, words)
            hits.append(tell(hit, best.stored.document_id, lives))
    return hits


def _hit(rank: int, best: Candidate, read: Mapping[int, Chunk], words: Collection[str]) -> Hit:
    document, evidence, chunks = best.document, best.evidence, list(read.values())
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
        anchor=anchor_of(document.anchors, chunks, words),
        breadcrumb=chunks[0].breadcrumb,
        symbols=tuple(dict.fromkeys(symbol for chunk in chunks for symbol in chunk.symbols)),
        cosine=evidence.cosine,
        bm25=evidence.bm25,
        language=document.language,
        kind=document.kind,
        status=Status.DEPRECATED if is_deprecated and document.status is Status.LIVING else document.status,
        date=document.date,
        document_id=best.stored.document_id,
        chunk_ids=tuple(read),
        evidence=Evidence(word_rank=evidence.word_rank, vector_rank=evidence.vector_rank, boosts=tuple(best.boosts)),
    )


def label_of(candidate: Candidate) -> Label:
    """Which arms had it in their pool."""
    words, vectors = candidate.evidence.word_rank > 0, candidate.evidence.vector_rank > 0
    if words and vectors:
        return "both"
    return "exact" if words else "semantic"


def anchor_of(anchors: Sequence[Anchor], chunks: Sequence[Chunk], words: Collection[str] = ()) -> str:
    """Label of the page, sheet or cell that a passage is on, "" where there is none.

    Of several that it reaches into, the one with most of the question's words, else with most of its text.
    """
    if not anchors:
        return ""
    offsets = [anchor.offset for anchor in anchors]
    first = max(bisect_right(offsets, chunks[0].span.start) - 1, 0)
    last = max(bisect_right(offsets, max(chunk.span.end for chunk in chunks) - 1), first + 1)
    telling = [word for word in words if len(word) >= _TELLING_CHARS]
    ranked: list[tuple[int, int, int]] = []
    for at in range(first, last):
        end = offsets[at + 1] if at + 1 < len(offsets) else chunks[-1].span.end
        text = "\n".join(_between(chunk, offsets[at], end) for chunk in chunks).lower()
        ranked.append((sum(len(word) for word in telling if word in text), len(text.strip()), -at))
    return anchors[-max(ranked)[2]].label


def _between(chunk: Chunk, start: int, end: int) -> str:
    """What of a chunk stands between two offsets of its document."""
    begin = chunk.span.start
    return chunk.text[max(start - begin, 0) : max(end - begin, 0)]


def matched_words(query: QueryWords, chunk_ids: Sequence[int], store: Store) -> tuple[str, ...]:
    """The question's words that some chunks are found by, in any field, as they were typed; rarest first."""
    asked = dict.fromkeys((*query.words.any_of, *query.words.all_of))
    found = held_by_any(store.words_held(asked, chunk_ids), chunk_ids)
    frequencies = store.document_frequencies(found)
    return query.as_typed(sorted((word for word in asked if word in found), key=frequencies.__getitem__))


def held_by_any(held: Mapping[int, frozenset[str]], chunk_ids: Sequence[int]) -> frozenset[str]:
    """Words of the chunks of a passage together; see ``Store.words_held``."""
    return frozenset[str]().union(*(held[chunk] for chunk in chunk_ids))
