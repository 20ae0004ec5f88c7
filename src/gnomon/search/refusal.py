"""How far one hit is to be believed, comparable between questions, and the words of a refusal.

Two kinds of evidence are joined: the cosine, measured against what unrelated questions reach in this corpus, and the
share of the question's words that the passage holds, rare words counting more. Fused scores are not looked at: they
say which passage is best, never whether it is any good.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from gnomon.analyze import QueryWords
from gnomon.embed.models import DEFAULT_MODEL, ModelSpec
from gnomon.figures import told_apart
from gnomon.search.hits import held_by_any
from gnomon.store.base import Store
from gnomon.values import Hit

# Fitted to 985 answerable questions over six corpora of prose, each also asked with its answer taken away, and to
# questions of other corpora; held out by corpus the area under the curve is 0.85 to 0.93 (docs/decisions/0040).
_NOISE_WEIGHT: Final = 1.35
_COVERAGE_WEIGHT: Final = 2.88
_OFFSET: Final = -3.77

# What refuses best at a loss of 5 % of the answerable questions (benchmarks/refusal); advice, never a default.
SUGGESTED_MIN_CONFIDENCE: Final = 0.25

META_KEY: Final = "calibration"


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """What a question that has nothing to do with a corpus reaches in it.

    Attributes:
        typical: Median cosine of an unrelated question and any passage.
        ceiling: Cosine that 95 of 100 unrelated questions do not exceed with their best passage; above ``typical``.
    """

    typical: float
    ceiling: float

    def height(self, cosine: float) -> float:
        """A cosine on the scale of this corpus: 0 is typical noise, 1 the best that noise reaches.

        >>> round(NoiseFloor(0.0, 0.28).height(0.42), 2)
        1.5
        """
        return (cosine - self.typical) / max(self.ceiling - self.typical, 1e-6)


# Of models that were measured: used until the corpus itself is calibrated.
_NOISE_OF_MODELS: Final[Mapping[str, NoiseFloor]] = {DEFAULT_MODEL: NoiseFloor(0.01, 0.28)}


def noise_floor(store: Store, spec: ModelSpec) -> NoiseFloor | None:
    """The noise of this corpus where it was calibrated with this model, else of the model, else None."""
    try:
        kept = json.loads(store.get_meta(META_KEY) or "{}")
        if kept.get("model") == spec.id:
            return NoiseFloor(float(kept["noiseTypical"]), float(kept["noiseCeiling"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        pass  # written by another version: the model's own figures serve
    return _NOISE_OF_MODELS.get(spec.id)


def confidence(cosine: float, coverage: float, noise: NoiseFloor) -> float:
    """Probability in [0, 1] that a passage answers a question.

    Args:
        cosine: Of the question and the passage.
        coverage: See ``word_coverage``.
        noise: Of this corpus and model.

    >>> noise = NoiseFloor(0.01, 0.28)
    >>> round(confidence(0.62, 0.8, noise), 2), round(confidence(0.20, 0.0, noise), 2)
    (0.83, 0.06)
    """
    x = _NOISE_WEIGHT * noise.height(cosine) + _COVERAGE_WEIGHT * coverage + _OFFSET
    return 1 / (1 + math.exp(-max(min(x, 40.0), -40.0)))


def word_coverage(
    terms: Iterable[str], found: Collection[str], frequencies: Mapping[str, int], *, chunks: int
) -> float:
    """Share of a question's words that a passage holds, each weighted by its rarity in the corpus.

    A word that the corpus does not know at all weighs most: who asks for it is not answered without it.

    Args:
        terms: Analyzed words of the question, without stop words.
        found: Analyzed words of the passage.
        frequencies: Number of chunks each term occurs in.
        chunks: In the whole corpus.

    Returns:
        In [0, 1]; 0 where the question has no words.

    >>> word_coverage(["token", "kafka"], {"token"}, {"token": 50}, chunks=100) < 0.2
    True
    """
    weights = {term: _rarity(frequencies.get(term, 0), chunks) for term in terms}
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in found) / total if total else 0.0


def _rarity(frequency: int, chunks: int) -> float:
    return math.log(1 + (max(chunks - frequency, 0) + 0.5) / (frequency + 0.5))


def with_confidence(query: QueryWords, hits: Sequence[Hit], store: Store, noise: NoiseFloor) -> list[Hit]:
    """Hits with their confidence; a passage that has no vector yet has none."""
    frequencies = store.document_frequencies(query.terms)
    held = store.words_held(query.terms, [chunk for hit in hits for chunk in hit.chunk_ids])
    chunks = store.status().chunks
    judged = []
    for hit in hits:
        if hit.cosine is None:
            judged.append(hit)
            continue
        found = held_by_any(held, hit.chunk_ids)
        coverage = word_coverage(query.terms, found, frequencies, chunks=chunks)
        judged.append(replace(hit, confidence=confidence(hit.cosine, coverage, noise)))
    return judged


def believed(hits: Sequence[Hit], min_confidence: float | None) -> list[Hit]:
    """Hits that are not below a confidence, ranked anew; what has no confidence cannot be judged and stays."""
    if min_confidence is None:
        return list(hits)
    kept = [hit for hit in hits if hit.confidence is None or hit.confidence >= min_confidence]
    return [replace(hit, rank=rank) for rank, hit in enumerate(kept, start=1)]


def weakness(hits: Sequence[Hit]) -> tuple[str, ...]:
    """What to say of hits that are returned though none is likely to answer; nothing where one cannot be judged."""
    judged = [hit.confidence for hit in hits if hit.confidence is not None]
    if not judged or len(judged) < len(hits) or max(judged) >= SUGGESTED_MIN_CONFIDENCE:
        return ()
    best, hardly = told_apart(max(judged), SUGGESTED_MIN_CONFIDENCE)
    return (f"Probably not answered here: best confidence {best}, and below {hardly} hardly anything answers",)


def refusal_by_score(best: float | None, min_score: float) -> str:
    """Why nothing is returned.

    >>> refusal_by_score(0.41, 0.55)
    'No relevant results (best score 0.41, threshold 0.55)'
    """
    if best is None:
        return "No relevant results"
    score, threshold = told_apart(best, min_score)
    return f"No relevant results (best score {score}, threshold {threshold})"


def refusal_by_confidence(hits: Sequence[Hit], min_confidence: float) -> str:
    """Why nothing of these hits is returned: the best evidence and the threshold."""
    best = max((hit for hit in hits if hit.confidence is not None), key=lambda hit: hit.confidence or 0.0)
    reached, threshold = told_apart(best.confidence or 0.0, min_confidence)
    return (
        f"No relevant results (best confidence {reached}, threshold {threshold}; "
        f"best score {best.cosine:.2f} in {Path(best.folder) / best.path}:{best.start_line})"
    )
