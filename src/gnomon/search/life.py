"""What became of a document, told with its hits, and kept in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gnomon.lifecycle.graph import LifeGraph
from gnomon.search.candidate import Candidate
from gnomon.values import Hit


def tell(hit: Hit, document_id: int, lives: LifeGraph) -> Hit:
    """A hit with the status in effect and the living successor of the document it is of."""
    fate = lives.fates.get(document_id)
    return replace(hit, status=fate.status, successor=lives.successor(document_id)) if fate else hit


def put_after_successors(ranked: Sequence[Candidate], lives: LifeGraph) -> list[Candidate]:
    """Candidates in their order, but no passage of a superseded document before the best one of each successor.

    A superseded document none of whose successors is a candidate keeps its place.
    """
    if not lives.fates:
        return list(ranked)
    first = {each.stored.document_id: index for index, each in reversed(list(enumerate(ranked)))}
    places: list[tuple[int, int, int]] = []
    for index, candidate in enumerate(ranked):
        successors = lives.fate(candidate.stored.document_id).successors
        after = max((first[each] for each in successors if each in first), default=-1)
        places.append((after, 1, index) if after > index else (index, 0, index))
    ordered = sorted(range(len(ranked)), key=places.__getitem__)
    for place, index in enumerate(ordered):
        if places[index][1] and place:
            ranked[index].score = min(ranked[index].score, ranked[ordered[place - 1]].score)
    return [ranked[index] for index in ordered]
