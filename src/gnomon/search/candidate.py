"""Chunks between the arms and the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from gnomon.store.base import Store, StoredChunk
from gnomon.values import Document

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A change of the score below this is no reason for a place.
_WORTH_TELLING = 0.005


class Head(NamedTuple):
    """A chunk without its text, and the file it is of."""

    stored: StoredChunk
    document: Document


def read_heads(store: Store, chunk_ids: Sequence[int]) -> list[Head]:
    """Those of the chunks that are there, in their order: another process may write the index meanwhile."""
    chunks = store.chunks(chunk_ids, with_text=False)
    documents = store.documents_of({chunk.document_id for chunk in chunks})
    return [Head(chunk, documents[chunk.document_id].document) for chunk in chunks if chunk.document_id in documents]


@dataclass(slots=True)
class Evidence:
    """What the arms say of one chunk.

    Attributes:
        bm25: Its score in the words arm; 0 where it is not among the words read.
        cosine: None where it has no vector, or no vectors were asked.
        word_rank: 1-based, 0 where it is not in the words pool.
        vector_rank: 1-based, 0 where it is not in the vectors pool.
    """

    bm25: float = 0.0
    cosine: float | None = None
    word_rank: int = 0
    vector_rank: int = 0


@dataclass(slots=True)
class Candidate:
    """A chunk with what the arms say of it; ``score`` and ``boosts`` change on its way through the ranking.

    Attributes:
        stored: The chunk; its text may be "" until it is needed.
        document: The file it is of.
        evidence: Of the arms.
        score: Higher is better; comparable within one search only.
        boosts: (name, factor) in the order applied.
    """

    stored: StoredChunk
    document: Document
    evidence: Evidence
    score: float = 0.0
    boosts: list[tuple[str, float]] = field(default_factory=list)

    def rescore(self, name: str, score: float) -> None:
        """Take another score, >= 0, and keep why as the factor between them."""
        if self.score > 0 and abs(score / self.score - 1) >= _WORTH_TELLING:
            self.boosts.append((name, score / self.score))
        self.score = score

    def scale(self, name: str, factor: float) -> None:
        """Multiply the score and keep why."""
        if factor != 1.0:
            self.score *= factor
            self.boosts.append((name, factor))


@dataclass(frozen=True, slots=True)
class Found:
    """What a policy gives.

    Attributes:
        passages: Best first; the chunks of each by ordinal.
        refusal: What to say where there are none.
        notices: One sentence each.
        vector: Of the question, None where it was not embedded.
    """

    passages: Sequence[Sequence[Candidate]]
    refusal: str
    notices: Sequence[str]
    vector: NDArray[np.float32] | None
