"""What the documents of the first candidates are about: a passage of prose is read in the light of its document."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from gnomon.search.candidate import Candidate, Evidence
from gnomon.store.base import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Share that the mean of its document has in what the fusion takes for a passage's cosine. A source file is known by
# its name and its other passages, which the ranking layer looks at. 0.15 to 0.3 are alike; see docs/decisions/0034-*.
DOCUMENT_SHARE: Final = 0.25
# Candidates, best first by the fusion alone, whose documents are looked at: 20 to all are alike.
_LOOKED_AT: Final = 40
# Passages of a document whose mean stands for all, evenly spread: 8 to 64 are alike, and each costs 2 µs.
_SAMPLED: Final = 8


def in_their_documents(
    candidates: Sequence[Candidate], fused: Mapping[int, float], vector: NDArray[np.float32], store: Store
) -> dict[int, Evidence]:
    """Evidence whose cosines lean towards what the documents of the passages are about as a whole.

    The mean of all leanings is zero, so that prose as such is neither raised nor lowered beside code.

    Args:
        candidates: Of both arms.
        fused: Their scores by chunk id.
        vector: Of the question.
        store: What is searched.

    Returns:
        By chunk id, of all candidates; empty where no two documents of prose are among the first.
    """
    if not any(each.document.kind == "prose" for each in candidates):
        return {}
    first = sorted(candidates, key=lambda each: (-fused[each.stored.id], each.stored.id))[:_LOOKED_AT]
    prose = [each for each in first if each.document.kind == "prose" and each.evidence.cosine is not None]
    means = _means({each.stored.document_id: each for each in prose}.values(), vector, store)
    gaps = {
        each.stored.id: means[each.stored.document_id] - (each.evidence.cosine or 0.0)
        for each in prose
        if each.stored.document_id in means
    }
    if len(means) < 2:
        return {}
    middle = sum(gaps.values()) / len(gaps)
    evidence = {each.stored.id: each.evidence for each in candidates}
    for chunk, gap in gaps.items():
        found = evidence[chunk]
        evidence[chunk] = replace(found, cosine=(found.cosine or 0.0) + DOCUMENT_SHARE * (gap - middle))
    return evidence


def _means(one_of_each: Collection[Candidate], vector: NDArray[np.float32], store: Store) -> dict[int, float]:
    """Mean cosine of each document; of a sample where it is long."""
    stored = store.documents_of(each.stored.document_id for each in one_of_each)
    samples: dict[int, list[int]] = {}
    for each in one_of_each:
        number = each.stored.document_id
        first = each.stored.id - each.stored.chunk.ordinal
        count = stored[number].chunk_count if number in stored else 0
        taken = min(count, _SAMPLED)
        samples[number] = [first + at * count // taken for at in range(taken)]
    cosines = store.cosines(vector, [chunk for sample in samples.values() for chunk in sample])
    known = {number: [cosines[chunk] for chunk in sample if chunk in cosines] for number, sample in samples.items()}
    return {number: sum(each) / len(each) for number, each in known.items() if each}
