"""The grounded policy: two tracks kept apart, and "I don't know" where nothing passes.

The semantic track is every chunk by cosine, judged by an absolute threshold and by a share of the best; the exact
track has the question's rare words, as they were typed. Ranks are not fused: that would throw away the absolute
score on which a refusal rests.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeVar

from gnomon.analyze import QueryWords
from gnomon.embed.base import Embedder
from gnomon.errors import ModelError
from gnomon.figures import told_apart
from gnomon.search.candidate import Candidate, Evidence, read_heads
from gnomon.search.exact import find_exact
from gnomon.search.operators import keep_admitted
from gnomon.search.options import SearchOptions
from gnomon.search.refusal import refusal_by_score
from gnomon.store.base import Selection, Store
from gnomon.values import Label

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Thresholds for a model whose row has none; what the predecessor used with its own default model.
FALLBACK_MIN_SCORE: Final = 0.55
FALLBACK_RELATIVE_CUTOFF: Final = 0.88
Passed = TypeVar("Passed")
# Chunks with their scores.
Track = Sequence[tuple[int, float]]
# Hits from the exact track alone.
MOST_EXACT: Final = 2
# Candidates that path boosts order among themselves: enough that no boosted path is missed, and that one of them has
# the quoted phrase.
_POOL: Final = 50
# Instead of a refusal where the semantic track did not speak: what it would have found is not known.
_CANNOT_JUDGE: Final = "Cannot judge: meaning was not searched, and no rare word of the question occurs"


@dataclass(frozen=True, slots=True)
class Limits:
    """What the grounded policy believes.

    Attributes:
        k: Hits wanted, >= 1.
        min_score: Cosine that a semantic hit has at least.
        relative_cutoff: Share of the best remaining cosine that a semantic hit has at least.
        path_boosts: (path fragment, factor); they order semantic hits and judge nothing.
    """

    k: int
    min_score: float
    relative_cutoff: float
    path_boosts: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """One chunk that passed.

    Attributes:
        id: Of the chunk.
        label: Which track vouches for it.
        cosine: None where it has no vector.
        bm25: 0 where the exact track does not have it.
        word_rank: 1-based in the exact track, 0 where absent.
        vector_rank: 1-based among the semantic hits that passed, 0 where absent.
    """

    id: int
    label: Label
    cosine: float | None
    bm25: float
    word_rank: int = 0
    vector_rank: int = 0


@dataclass(slots=True)
class Grounded:
    """What the policy gives: all that passed, best first, those that are exact only last; or why there is nothing.

    ``vector`` is that of the question, None where it was not embedded.
    """

    candidates: list[Candidate] = field(default_factory=list)
    refusal: str = ""
    notices: list[str] = field(default_factory=list)
    vector: NDArray[np.float32] | None = None


def judge(
    semantic: Sequence[Track],
    exact: Track,
    *,
    limits: Limits,
    path_of: Callable[[int], str],
) -> list[Judged]:
    """Apply the thresholds to both tracks and join them: semantic hits first, then those that are exact only.

    Args:
        semantic: Pools of (chunk, cosine), best first, of every chunk that may be returned; no path boost lifts a chunk
            above those of an earlier pool, so that more hits wanted begin with the fewer.
        exact: (chunk, bm25), best first, by rare words.
        limits: What is believed.
        path_of: Relative path of a chunk's document, for path boosts.

    Returns:
        All that passed, at most two of them exact only; ``fit`` takes as many as are wanted.
    """
    passed = _passing(semantic, limits)
    near = _first(passed)
    alone = [chunk for chunk, _ in exact if chunk not in near][:MOST_EXACT]
    words = {chunk: (rank, bm25) for rank, (chunk, bm25) in enumerate(exact, start=1)}

    def boosted(each: tuple[int, float]) -> float:
        return each[1] * path_factor(path_of(each[0]), limits.path_boosts)

    ordered = [each for pool in passed for each in sorted(pool, key=boosted, reverse=True) if each[0] not in alone]
    cosines = dict(chain.from_iterable(semantic))
    hits = [
        Judged(chunk, "both" if chunk in words else "semantic", cosine, *_words(words, chunk), vector_rank=rank)
        for rank, (chunk, cosine) in enumerate(ordered, start=1)
    ]
    return hits + [Judged(chunk, "exact", cosines.get(chunk), *_words(words, chunk)) for chunk in alone]


def fit(semantic: Sequence[Passed], exact: Sequence[Passed], k: int) -> list[Passed]:
    """At most ``k`` of both tracks; exact-only hits take the last places and never the only one from a semantic hit.

    What a smaller ``k`` gives, a larger one gives too and in the same order.
    """
    room = k - min(len(semantic), max(1, k - MOST_EXACT))
    alone = exact[: min(MOST_EXACT, room)]
    return [*semantic[: k - len(alone)], *alone]


def _words(words: Mapping[int, tuple[int, float]], chunk: int) -> tuple[float, int]:
    rank, bm25 = words.get(chunk, (0, 0.0))
    return bm25, rank


def _passing(semantic: Sequence[Track], limits: Limits) -> list[Track]:
    best = max((cosine for pool in semantic for _, cosine in pool), default=0.0)
    floor = max(limits.min_score, limits.relative_cutoff * best)
    return [[(chunk, cosine) for chunk, cosine in pool if cosine >= floor] for pool in semantic]


def _first(passed: Sequence[Track]) -> set[int]:
    """What the exact track is not asked for: chunks of the first pool that passed."""
    return {chunk for pool in passed[:1] for chunk, _ in pool}


def path_factor(path: str, boosts: Sequence[tuple[str, float]]) -> float:
    """The product of the factors whose fragment occurs in a path; 1.0 where none does."""
    factor = 1.0
    for fragment, each in boosts:
        if fragment and fragment.casefold() in path.casefold():
            factor *= each
    return factor


def limits_of(options: SearchOptions, embedder: Embedder | None) -> Limits:
    """The thresholds in use: those asked for, else the model's own, else the predecessor's."""
    spec = embedder.spec if embedder else None
    min_score = options.min_score if options.min_score is not None else (spec and spec.min_score) or FALLBACK_MIN_SCORE
    cutoff = options.relative_cutoff
    if cutoff is None:
        cutoff = (spec and spec.relative_cutoff) or FALLBACK_RELATIVE_CUTOFF
    return Limits(options.k, min_score, cutoff, options.path_boosts)


def ground(
    query: QueryWords,
    *,
    store: Store,
    embedder: Embedder | None,
    options: SearchOptions,
    selection: Selection,
    vector: NDArray[np.float32] | None = None,
) -> Grounded:
    """Search by the grounded policy.

    Without a model, or where it does not answer, only the exact track speaks, and a notice says so. ``vector`` is that
    of the question where it is known already.

    Raises:
        StoreError: The index cannot be read.
    """
    found = Grounded()
    limits = limits_of(options, embedder)
    documents = _Documents(store, query)
    if vector is None:
        vector = _embed(query, embedder, found)
    found.vector = vector
    semantic = [documents.admit(pool) for pool in _nearest(vector, store, limits, selection)]
    near = _first(_passing(semantic, limits))
    # Where a phrase is quoted, those that hold its words may not hold the phrase.
    alone = _POOL if query.phrases or query.excluded else MOST_EXACT
    exact = find_exact(query, near=near, alone=alone, store=store, options=options, selection=selection)
    hits = judge(semantic, documents.admit(exact.chunks), limits=limits, path_of=documents.path_of)
    told = _with_cosines(hits, vector, store)
    found.candidates = [documents.candidate(hit, options.path_boosts) for hit in told]
    best = next((cosine for pool in semantic for _, cosine in pool), None)
    if not hits:
        found.refusal = _CANNOT_JUDGE if vector is None and query.text else refusal_by_score(best, limits.min_score)
    elif best is not None and all(hit.label == "exact" for hit in hits):
        found.notices.append(_only_words(best, limits.min_score, exact.words))
    return found


def _only_words(best: float, min_score: float, held: Sequence[str]) -> str:
    """What hits of the exact track alone are worth: a rare word may still be a chance one."""
    told = ", ".join(held)
    score, threshold = told_apart(best, min_score)
    return f"Nothing is near in meaning (best score {score}, threshold {threshold}): only rare words match: {told}"


def _embed(query: QueryWords, embedder: Embedder | None, found: Grounded) -> NDArray[np.float32] | None:
    if embedder is None:
        found.notices.append("Searched by exact words only: no embedding model is loaded.")
        return None
    try:
        return embedder.embed_query(query.text)
    except ModelError as error:
        found.notices.append(f"Searched by exact words only: {error}")
        return None


def _nearest(vector: NDArray[np.float32] | None, store: Store, limits: Limits, selection: Selection) -> list[Track]:
    """Whole pools of the nearest chunks: five for each hit wanted."""
    if vector is None:
        return []
    pools = math.ceil(limits.k * 5 / _POOL)
    found = store.search_vectors(vector, limit=pools * _POOL, selection=selection)
    return [found[start : start + _POOL] for start in range(0, len(found), _POOL)]


def _with_cosines(hits: list[Judged], vector: NDArray[np.float32] | None, store: Store) -> list[Judged]:
    """Whoever is shown is told how near it is, also where it is not among the nearest."""
    lacking = [hit.id for hit in hits if hit.cosine is None]
    if vector is None or not lacking:
        return hits
    cosines = store.cosines(vector, lacking)
    return [replace(hit, cosine=cosines.get(hit.id, hit.cosine)) for hit in hits]


class _Documents:
    """Heads and documents of the chunks both tracks found."""

    def __init__(self, store: Store, query: QueryWords) -> None:
        self._store = store
        self._query = query
        self._admitted: dict[int, Candidate] = {}

    def admit(self, track: Track) -> Track:
        """What of a track holds every quoted phrase and nothing excluded.

        Before anything is judged: else what does not come back would cut off, or take the place of, what may.
        """
        heads = read_heads(self._store, [chunk for chunk, _ in track if chunk not in self._admitted])
        read = [Candidate(head.stored, head.document, Evidence()) for head in heads]
        self._admitted |= {each.stored.id: each for each in keep_admitted(self._query, read, self._store)}
        return [each for each in track if each[0] in self._admitted]

    def path_of(self, chunk: int) -> str:
        return self._admitted[chunk].document.path

    def candidate(self, hit: Judged, boosts: Sequence[tuple[str, float]]) -> Candidate:
        found = self._admitted[hit.id]
        evidence = Evidence(hit.bm25, hit.cosine, hit.word_rank, hit.vector_rank)
        candidate = Candidate(found.stored, found.document, evidence, score=hit.cosine or 0.0)
        factor = path_factor(found.document.path, boosts)
        if hit.label != "exact" and factor != 1.0:
            candidate.boosts.append(("path", factor))  # it ordered the hit; the score shown stays the cosine
        return candidate
