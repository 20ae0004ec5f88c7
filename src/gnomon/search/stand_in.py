"""When a hidden document would have matched best: say so, and give what took its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gnomon.analyze import QueryWords
from gnomon.embed.base import Embedder
from gnomon.figures import told_apart
from gnomon.search.candidate import Candidate, Evidence, Found, read_heads
from gnomon.search.filters import Admission
from gnomon.search.grounded import limits_of
from gnomon.search.operators import keep_admitted
from gnomon.search.options import SearchOptions
from gnomon.store.base import Selection, Store
from gnomon.values import Hit, Status

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# Passages looked at for one that has the quoted phrases and none of the words to be left out.
_PICKED_FROM: Final = 50


@dataclass(frozen=True, slots=True)
class StandIn:
    """What to say and to give instead of a hidden document.

    Attributes:
        dead: What would have matched, in words.
        pointer: Where to look instead, in words.
        candidate: Best passage of a living successor, None where there is none that may be returned.
        min_score: Cosine that other hits have at least, None for no threshold.
    """

    dead: str
    pointer: str
    candidate: Candidate | None
    min_score: float | None = None

    def notice(self, hits: Sequence[Hit]) -> str:
        """One sentence: what would have matched, and what is given or where to look instead."""
        given = self.candidate.document if self.candidate else None
        if given and any((hit.folder, hit.path) == (given.folder, given.path) for hit in hits):
            return f"{self.dead}; given instead: {given.path}{self._threshold()}"
        return f"{self.dead}{self.pointer}"

    def _threshold(self) -> str:
        """Why it is given all the same where it would not have passed by itself."""
        cosine = self.candidate.evidence.cosine if self.candidate else None
        if cosine is None or self.min_score is None or cosine >= self.min_score:
            return ""
        score, threshold = told_apart(cosine, self.min_score)
        return f", as its successor, whatever its own score ({score}, threshold {threshold})"


def find_stand_in(
    query: QueryWords,
    found: Found,
    *,
    store: Store,
    embedder: Embedder | None,
    options: SearchOptions,
    admission: Admission,
) -> StandIn | None:
    """What stands in for a hidden document that matches better than all that is returned.

    By meaning where the question has a vector, by words where it has none. A hidden document below the threshold of the
    model is not worth a word.

    Args:
        query: As analyzed.
        found: What the policy gives.
        store: What was indexed.
        embedder: As in ``search``.
        options: As in ``search``; filters hold for the hidden document and for its successor.
        admission: What those filters admit.

    Returns:
        None where no hidden document matches best.
    """
    lives = admission.lives
    if options.filters.search_all or not lives.hidden:
        return None
    statuses = options.hidden_statuses
    hidden = _passing((each for each in lives.hidden if lives.fate(each).status in statuses), admission)
    dead = _best_of(query, found.vector, store, hidden) if hidden else None
    min_score = limits_of(options, embedder).min_score
    if dead is None or not _beats(dead.evidence, found.passages, min_score):
        return None
    number = dead.stored.document_id
    successors = _passing(lives.fate(number).successors, admission)
    living = _best_of(query, found.vector, store, successors) if successors else None
    if living:
        living.score = max([living.score, *(passage[0].score for passage in found.passages)])
    threshold = min_score if options.ranking == "grounded" else options.min_score
    return StandIn(_told(dead, lives.fate(number).status), _pointer(lives.successor(number)), living, threshold)


def put_first(passages: Sequence[Sequence[Candidate]], stand_in: StandIn, *, k: int) -> list[Sequence[Candidate]]:
    """Passages with the successor's first: the one that is among them, else its best; never more than ``k``."""
    living = stand_in.candidate
    if living is None:
        return list(passages)
    number = living.stored.document_id
    own = next((passage for passage in passages if passage[0].stored.document_id == number), [living])
    for candidate in own:
        candidate.score = max(candidate.score, living.score)
    return [own, *(passage for passage in passages if passage is not own)][:k]


def _passing(documents: Iterable[int], admission: Admission) -> frozenset[int]:
    return frozenset(each for each in documents if admission.passing is None or each in admission.passing)


def _best_of(
    query: QueryWords, vector: NDArray[np.float32] | None, store: Store, documents: frozenset[int]
) -> Candidate | None:
    selection = Selection(only=documents)
    limit = _PICKED_FROM if query.phrases or query.excluded else 1
    if vector is not None:
        found = store.search_vectors(vector, limit=limit, selection=selection)
        evidence = {chunk: Evidence(cosine=score, vector_rank=rank) for rank, (chunk, score) in enumerate(found, 1)}
    else:
        found = store.search_words(query.words, limit=limit, selection=selection)
        evidence = {chunk: Evidence(bm25=score, word_rank=rank) for rank, (chunk, score) in enumerate(found, 1)}
    scores = dict(found)
    candidates = [
        Candidate(head.stored, head.document, evidence[head.stored.id], score=scores[head.stored.id])
        for head in read_heads(store, list(scores))
    ]
    return next(iter(keep_admitted(query, candidates, store)), None)


def _beats(dead: Evidence, passages: Sequence[Sequence[Candidate]], min_score: float) -> bool:
    given = [candidate.evidence for passage in passages for candidate in passage]
    if dead.cosine is None:
        return all(dead.bm25 > each.bm25 for each in given)
    return dead.cosine >= min_score and all(dead.cosine > each.cosine for each in given if each.cosine is not None)


def _told(dead: Candidate, status: Status) -> str:
    cosine = dead.evidence.cosine
    score = f" ({cosine:.2f})" if cosine is not None else ""
    return f"{dead.document.path} would have matched best{score}, but is {status}"


def _pointer(successor: str) -> str:
    return f"; see {successor}" if successor else " and names no successor; ask for all documents to see it"
