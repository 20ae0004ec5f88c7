"""The reading use case: two arms, fusion, ranking, refusal, explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from gnomon.analyze import QueryWords, analyze_query
from gnomon.embed.base import Embedder
from gnomon.search.about import in_their_documents
from gnomon.search.candidate import Candidate, Found, read_heads
from gnomon.search.cut import what_was_cut
from gnomon.search.filters import Admission, admit
from gnomon.search.fuse import fuse_convex
from gnomon.search.grounded import fit, ground, limits_of
from gnomon.search.hits import make_hits, matched_words
from gnomon.search.left_out import tell_left_out
from gnomon.search.life import put_after_successors
from gnomon.search.merge import choose
from gnomon.search.names import is_path_of
from gnomon.search.nothing import why_nothing_passes
from gnomon.search.operators import keep_admitted
from gnomon.search.options import Fusion, SearchOptions
from gnomon.search.plain import order_plainly
from gnomon.search.rank import rank, rank_literals
from gnomon.search.refusal import (
    believed,
    noise_floor,
    refusal_by_confidence,
    refusal_by_score,
    weakness,
    with_confidence,
)
from gnomon.search.retrieve import LAYER_POOL, Retrieved, pool_size, retrieve
from gnomon.search.stand_in import find_stand_in, put_first
from gnomon.store.base import Selection, Store
from gnomon.values import Answer, Hit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Fusion", "SearchOptions", "search"]

_NO_WORDS: Final = "Nothing to search for: the question holds no word. `gnomon grep` finds punctuation."


def search(query: str, *, store: Store, embedder: Embedder | None, options: SearchOptions | None = None) -> Answer:
    """Find the passages that answer a question.

    Args:
        query: Any text; ``"quoted phrases"`` must occur, ``-words`` must not.
        store: What was indexed.
        embedder: The model the store's vectors are of; None searches by words alone and says so.
        options: How; None means the defaults.

    Returns:
        Hits, best first, or the reason why there are none; with the generation of the index they are from.

    Raises:
        StoreError: The index cannot be read.
    """
    options = options or SearchOptions()
    generation = store.generation
    asked = analyze_query(query)
    if asked.is_empty:
        return Answer(hits=(), refusal=_NO_WORDS, generation=generation)
    admission = admit(store, options.filters, options.hidden_statuses)
    if admission.selection.admits_nothing:
        refusal = why_nothing_passes((each.document for each in store.documents()), options.filters)
        return Answer(hits=(), refusal=refusal, generation=generation)
    wanted = options.k
    if options.min_confidence is not None:  # judged before they are cut, or the first ones would speak for all
        options = replace(options, k=max(wanted, LAYER_POOL))
    asking = _Asking(asked, store, embedder, options, admission)
    found = _find(asking)
    passages, notices = found.passages, found.notices
    stand_in = find_stand_in(asked, found, store=store, embedder=embedder, options=options, admission=admission)
    if stand_in:
        passages = put_first(passages, stand_in, k=options.k)
    hits, doubt = _judge(asking, passages)
    hits = hits[:wanted]
    if stand_in:
        notices = [*notices, stand_in.notice(hits)]
    lost = _in_left_out(replace(asking, vector=found.vector))[:wanted]
    cutoff = limits_of(options, embedder).relative_cutoff
    told = tell_left_out(lost, hits, filters=options.filters, relative_cutoff=cutoff, documents=len(admission.left_out))
    if options.explain:
        hits = [_with_words(asked, hit, store) for hit in hits]
    return Answer(
        hits=tuple(hits),
        refusal="" if hits else (doubt.refusal or found.refusal),
        notices=(*notices, *told, *doubt.notices, *what_was_cut(asked, embedder)),
        generation=generation,
        vectors_missing=store.status().vectors_missing if embedder is not None else 0,
    )


@dataclass(frozen=True, slots=True)
class _Asking:
    """A question with what it is asked of.

    Attributes:
        query: As analyzed.
        store, embedder, options: As in ``search``.
        admission: What the filters admit.
        vector: Of the question where it is known already.
    """

    query: QueryWords
    store: Store
    embedder: Embedder | None
    options: SearchOptions
    admission: Admission
    vector: NDArray[np.float32] | None = None


def _find(asking: _Asking) -> Found:
    return _find_grounded(asking) if asking.options.ranking == "grounded" else _find_hybrid(asking)


def _find_hybrid(asking: _Asking) -> Found:
    """What is ranked does not depend on how many hits are wanted, so that more of them begin with the fewer.

    Where that is too little, what lies deeper follows.
    """
    options, lives = asking.options, asking.admission.lives
    found, ranked = _look(asking)
    passages = _chosen(ranked, options)
    depth, deepest = pool_size(options), options.k * options.pool_multiplier
    while len(passages) < options.k and depth < deepest:
        depth *= 2
        deeper = replace(asking, options=replace(options, pool_min=depth), vector=found.vector)
        # A model that gave no vector just now is not asked again.
        _, more = _look(deeper if found.vector is not None else replace(deeper, embedder=None))
        ranked = put_after_successors(_with_those_below(ranked, more), lives)
        passages = _chosen(ranked, options)
    return Found(passages, _refusal(ranked, options), found.notices, found.vector)


def _look(asking: _Asking) -> tuple[Retrieved, list[Candidate]]:
    """What both arms found, and the candidates in their order."""
    query, store, options, admission = asking.query, asking.store, asking.options, asking.admission
    found = retrieve(
        query,
        store=store,
        embedder=asking.embedder,
        options=options,
        selection=admission.selection,
        vector=asking.vector,
    )
    candidates = keep_admitted(query, load_candidates(found, store), store)
    return found, put_after_successors(order(query, candidates, found, store, options), admission.lives)


def _with_those_below(ranked: list[Candidate], more: Sequence[Candidate]) -> list[Candidate]:
    """Ranked candidates and those of a deeper look that are not among them, none of which scores above the last."""
    known = {each.stored.id for each in ranked}
    below = [each for each in more if each.stored.id not in known]
    for each in below if ranked else ():
        each.score = min(each.score, ranked[-1].score)
    return ranked + below


def _chosen(ranked: Sequence[Candidate], options: SearchOptions) -> list[list[Candidate]]:
    judged = [candidate for candidate in ranked if _believed(candidate, options)]
    return choose(judged, k=options.k, per_file=options.per_file)


def _find_grounded(asking: _Asking) -> Found:
    options, admission = asking.options, asking.admission
    found = ground(
        asking.query,
        store=asking.store,
        embedder=asking.embedder,
        options=options,
        selection=admission.selection,
        vector=asking.vector,
    )
    semantic = [each for each in found.candidates if each.evidence.vector_rank]
    exact = [each for each in found.candidates if not each.evidence.vector_rank]
    semantic, exact = (put_after_successors(track, admission.lives) for track in (semantic, exact))
    passages = [[each] for each in fit(semantic, exact, options.k)]
    return Found(passages, found.refusal, found.notices, found.vector)


def _in_left_out(asking: _Asking) -> list[Hit]:
    """What the same search finds in the documents that only the settings' excludes keep out."""
    admission = asking.admission
    if not admission.left_out:
        return []
    apart = replace(asking, admission=Admission(Selection(only=admission.left_out), admission.lives))
    found = _find(apart if asking.vector is not None else replace(apart, embedder=None))  # as for a deeper look
    return _judge(apart, found.passages)[0]


@dataclass(frozen=True, slots=True)
class _Doubt:
    """What judging by confidence has to say."""

    refusal: str = ""
    notices: tuple[str, ...] = ()


def _judge(asking: _Asking, passages: Sequence[Sequence[Candidate]]) -> tuple[list[Hit], _Doubt]:
    """Passages as hits with their confidence, without those below the one asked for."""
    query, store, embedder, options = asking.query, asking.store, asking.embedder, asking.options
    hits = make_hits(passages, store=store, lives=asking.admission.lives, words=query.raw)
    noise = noise_floor(store, embedder.spec) if embedder else None
    if noise is None:
        unmeasured = "gnomon index measures it as soon as two documents have vectors"
        unknown = f"Confidence is not known for model {embedder.spec.id}: {unmeasured}" if embedder else ""
        return hits, _Doubt(notices=(unknown,) if unknown and options.min_confidence is not None else ())
    judged = with_confidence(query, hits, store, noise)
    kept = believed(judged, options.min_confidence)
    if judged and not kept and options.min_confidence is not None:
        return kept, _Doubt(refusal_by_confidence(judged, options.min_confidence))
    documents = [candidate.document for passage in passages for candidate in passage] if query.path else []
    is_named = any(is_path_of(query.path, document) for document in documents)
    return kept, _Doubt(notices=() if is_named else weakness(kept))


def load_candidates(found: Retrieved, store: Store) -> list[Candidate]:
    """The chunks behind the evidence, without their texts, each with its document."""
    unread = [chunk for chunk in found.evidence if chunk not in found.heads]
    heads = [*found.heads.values(), *read_heads(store, unread)]
    return [Candidate(head.stored, head.document, found.evidence[head.stored.id]) for head in heads]


def order(
    query: QueryWords, candidates: list[Candidate], found: Retrieved, store: Store, options: SearchOptions
) -> list[Candidate]:
    """Candidates by their final score, best first."""
    if options.fusion == "rrf":
        return order_plainly(query, candidates, found, store, options)
    evidence = {candidate.stored.id: candidate.evidence for candidate in candidates}
    fused = fuse_convex(query, evidence, is_foreign=found.is_foreign)
    for candidate in candidates:
        candidate.score = fused[candidate.stored.id]
    if not options.layer:
        return sorted(candidates, key=lambda c: (-c.score, c.stored.id))
    if found.vector is not None and (leaning := in_their_documents(candidates, fused, found.vector, store)):
        fused = fuse_convex(query, leaning, is_foreign=found.is_foreign)
        for candidate in candidates:
            candidate.rescore("what its document is about", fused[candidate.stored.id])
    return rank_literals(query, rank(query, candidates, found.rules), store)


def _believed(candidate: Candidate, options: SearchOptions) -> bool:
    """Thresholds look at evidence, never at fused scores; a passage without a vector yet is not judged by it."""
    cosine = candidate.evidence.cosine
    return options.min_score is None or cosine is None or cosine >= options.min_score


def _refusal(ranked: Sequence[Candidate], options: SearchOptions) -> str:
    cosines = [candidate.evidence.cosine for candidate in ranked if candidate.evidence.cosine is not None]
    if options.min_score is None or not cosines:
        return refusal_by_score(None, 0.0)
    return refusal_by_score(max(cosines), options.min_score)


def _with_words(query: QueryWords, hit: Hit, store: Store) -> Hit:
    return replace(hit, evidence=replace(hit.evidence, words=matched_words(query, hit.chunk_ids, store)))
