"""Plain fusion: reciprocal ranks of the two arms and nothing else, as the first predecessor ordered."""

from __future__ import annotations

from gnomon.analyze import QueryWords, analyze
from gnomon.search.candidate import Candidate
from gnomon.search.fuse import fuse_ranks
from gnomon.search.options import SearchOptions
from gnomon.search.retrieve import Retrieved
from gnomon.store.base import Store


def order_plainly(
    query: QueryWords, candidates: list[Candidate], found: Retrieved, store: Store, options: SearchOptions
) -> list[Candidate]:
    """Order by reciprocal rank fusion; changes the candidates' scores.

    The vectors arm is first put in the order of its cosines raised by the share of the question's terms that occur.
    Where the words arm is off or silent, that order alone decides and the score is the raised cosine.
    """
    by_id = {candidate.stored.id: candidate for candidate in candidates}
    texts = {stored.id: stored.chunk.text for stored in store.chunks([id_ for id_ in found.vectors if id_ in by_id])}
    raised = {
        id_: (by_id[id_].evidence.cosine or 0.0) + options.lexical_boost_weight * _term_share(query, text)
        for id_, text in texts.items()
    }
    vectors = sorted(raised, key=lambda id_: (-raised[id_], id_))
    words = [id_ for id_ in found.words if id_ in by_id]
    scores = raised if not words else fuse_ranks([vectors, words], k=options.rrf_k)
    for id_, score in scores.items():
        by_id[id_].score = score
    return [by_id[id_] for id_ in sorted(scores, key=lambda id_: (-scores[id_], id_))]


def _term_share(query: QueryWords, text: str) -> float:
    """Share of the question's terms that occur in a text, in [0, 1]."""
    if not query.terms:
        return 0.0
    occurring = set(analyze(text))
    return sum(term in occurring for term in query.terms) / len(query.terms)
