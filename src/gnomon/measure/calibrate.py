"""How much cosine means nothing in this corpus, and what threshold follows; it suggests and never overrides."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Self

from gnomon.embed.base import Embedder
from gnomon.figures import number
from gnomon.measure.questions import Question
from gnomon.measure.unrelated import EVERYDAY, gibberish
from gnomon.store.base import Selection, Store
from gnomon.values import Hit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CALIBRATION_VERSION: Final = 1
META_KEY: Final = "calibration"

_PAIRS: Final = 500
_PROBES: Final = 25  # pieces of passages that play the question; each is paired with 20 others
_POOL_DOCUMENTS: Final = 120
_POOL_PER_DOCUMENT: Final = 4
_PROBE_WORDS: Final = 12  # as long as a question
# Above what unrelated questions reach. On seven corpora 0.05 refuses 97 % of unseen unrelated questions and keeps 94 %
# of the passages that answer; 0 gives 95 % and 96 %, 0.1 gives 98 % and 87 % (docs/decisions/0041).
_MARGIN: Final = 0.05
_STEP: Final = 0.05
# Share of the right answers that a threshold may cost.
_LOSS: Final = 0.05
# A corpus that grew or shrank by less than this has the noise it had.
_DRIFT: Final = 0.1


@dataclass(frozen=True, slots=True)
class Calibration:
    """The noise of one corpus.

    Attributes:
        model: Id of the embedding model.
        chunks: In the corpus at that time.
        pairs: Cosines of random pairs, a question-sized piece of one document and a passage of another; ascending.
        unrelated: Best cosine of each unrelated question, ascending.
        gibberish: Best cosine of each string without meaning, ascending.
        typical: Median cosine of an unrelated question and any passage.
        in_use: Threshold of the grounded policy now.
        source: Where it comes from ("the model registry").
        by_questions: What a person's own questions suggest, None without any: they know better than noise does.
    """

    model: str
    chunks: int
    pairs: tuple[float, ...]
    unrelated: tuple[float, ...]
    gibberish: tuple[float, ...]
    typical: float
    in_use: float
    source: str
    by_questions: Threshold | None = None

    @property
    def noise_p99(self) -> float:
        """The cosine that 99 of 100 random pairs do not exceed."""
        return percentile(self.pairs, 99)

    @property
    def ceiling(self) -> float:
        """The cosine that 95 of 100 questions without an answer do not exceed."""
        return percentile(sorted((*self.unrelated, *self.gibberish)), 95)

    @property
    def suggested(self) -> float:
        """Suggested threshold: by own questions, else the lower of both kinds of noise, rounded up to a twentieth.

        Random pairs of a corpus about one subject are related themselves; there, what unrelated questions reach is
        the better measure.
        """
        if self.by_questions is not None:
            return self.by_questions.at
        return self.by_noise

    @property
    def by_noise(self) -> float:
        """The threshold that the noise alone suggests."""
        return suggest(self.noise_p99, self.ceiling)

    def with_questions(self, rows: Sequence[Threshold]) -> Self:
        """The same with the threshold that these suggest, where they suggest one."""
        return replace(self, by_questions=suggest_by_questions(rows, floor=self.by_noise))

    def line(self) -> str:
        """The sentence at the end of ``index``."""
        asked = self.by_questions
        told = f"; by {number(asked.questions, 'own question')}" if asked is not None else ""
        return (
            f"Calibration: background noise p99 = {self.noise_p99:.3f} over {len(self.pairs)} random pairs{told} -> "
            f"suggested minScore {self.suggested:.2f} (in use: {self.in_use:.2f}, from {self.source})."
        )

    def basis(self) -> str:
        """What the noise suggests and why, in a sentence: the figure that ``line`` names may not be the one."""
        told = f"Of 100 questions that have nothing to do with it, 95 stay below {self.ceiling:.2f} with their best hit"
        measured = (
            f"these {self.ceiling:.2f} and {_MARGIN:.2f} to spare"
            if self.ceiling + _MARGIN < self.noise_p99
            else f"the {self.noise_p99:.2f} of random pairs"
        )
        return f"{told}. The noise suggests {self.by_noise:.2f}: {measured}, up to the next twentieth."

    def grounds(self, rows: Sequence[Threshold] = ()) -> list[str]:
        """What the suggestion rests on and what it costs, in sentences.

        Args:
            rows: As given to ``with_questions``.
        """
        told = [self.basis()]
        if self.by_questions is None:
            told.append("It rests on noise alone and may cost right answers, which only own questions tell.")
            return told
        told.append(f"The suggested {self.suggested:.2f} loses {lost_at(self.suggested, rows)} of these questions.")
        if self.by_noise != self.suggested:
            told.append(f"By noise alone it would be {self.by_noise:.2f}, which loses {lost_at(self.by_noise, rows)}.")
        return told

    def to_json(self) -> str:
        """What is kept beside the index; ``search`` reads the noise from it."""
        return json.dumps(
            {
                "version": CALIBRATION_VERSION,
                "model": self.model,
                "chunks": self.chunks,
                "pairs": len(self.pairs),
                "noiseP99": round(self.noise_p99, 4),
                "noiseTypical": round(self.typical, 4),
                "noiseCeiling": round(self.ceiling, 4),
                "suggestedMinScore": self.suggested,
            },
            sort_keys=True,
        )


@dataclass(frozen=True, slots=True)
class Threshold:
    """What a threshold would do to a person's own questions.

    Attributes:
        at: The threshold.
        answered: Questions that still get a hit.
        right: Questions that still get a right one.
        questions: All of them.
    """

    at: float
    answered: int
    right: int
    questions: int

    @property
    def precision(self) -> float | None:
        """Share of the answered questions that get a right hit; None where none is answered."""
        return self.right / self.answered if self.answered else None

    @property
    def told_precision(self) -> str:
        """The same as people read it; a dash where no question is answered."""
        return "-" if self.precision is None else f"{self.precision:.2f}"

    @property
    def recall(self) -> float:
        """Share of all questions that get a right hit."""
        return self.right / self.questions if self.questions else 0.0


def suggest(noise_p99: float, ceiling: float) -> float:
    """A threshold above the noise, a multiple of 0.05 in [0.05, 0.95].

    >>> suggest(0.421, 0.60), suggest(0.56, 0.25)
    (0.45, 0.3)
    """
    above = min(noise_p99, ceiling + _MARGIN)
    return round(min(max(math.ceil(above / _STEP - 1e-6) * _STEP, 0.05), 0.95), 2)


def lost_at(threshold: float, rows: Sequence[Threshold]) -> str:
    """How many of the right answers a threshold of these rows costs, in words."""
    most = max((row.right for row in rows), default=0)
    right = next((row.right for row in rows if row.at == threshold), most)
    return f"{most - right or 'none'} of the {number(most, 'right answer')}"


def suggest_by_questions(rows: Sequence[Threshold], *, floor: float) -> Threshold | None:
    """The threshold that refuses best while it costs at most 5 % of the right answers.

    The most precise one; of several as precise, the lowest that is above the noise, else the highest: what refuses
    nothing more of these questions is only a risk to others.

    Args:
        rows: As ``thresholds`` gives them.
        floor: Suggested by the noise of the corpus.

    Returns:
        None where no question is answered rightly at any threshold: nothing follows from them.
    """
    most = max((row.right for row in rows), default=0)
    if not most:
        return None
    kept = [row for row in rows if row.right >= (1 - _LOSS) * most]
    best = max(row.right / row.answered for row in kept)
    equal = [row for row in kept if row.precision == best]
    above = [row for row in equal if row.at >= floor]
    return min(above, key=lambda row: row.at) if above else max(equal, key=lambda row: row.at)


def is_due(kept: str, *, model: str, chunks: int) -> bool:
    """Whether a corpus must be calibrated anew: never done, another model, or a tenth more or fewer chunks.

    Args:
        kept: What ``to_json`` gave, or "".
        model: In use.
        chunks: In the corpus now.
    """
    try:
        known: dict[str, Any] = json.loads(kept or "{}")
        if known.get("version") != CALIBRATION_VERSION or known.get("model") != model:
            return True
        return abs(int(known["chunks"]) - chunks) > _DRIFT * max(int(known["chunks"]), 1)
    except (ValueError, KeyError, TypeError, AttributeError):
        return True


def calibrate(store: Store, embedder: Embedder, *, in_use: float, source: str, seed: int = 0) -> Calibration | None:
    """Measure the noise of a corpus; the same corpus and seed give the same figures.

    Embeds about 75 short texts and searches the vectors 50 times.

    Args:
        store: Indexed with vectors.
        embedder: Of the store's model.
        in_use: The threshold in force, for the sentence.
        source: Where that comes from.
        seed: Of what is drawn.

    Returns:
        None where there are not two documents with vectors to compare.

    Raises:
        ModelError: The model does not answer.
    """
    rng = random.Random(seed)  # noqa: S311 - a sample, not a secret
    sample = _Sample.draw(store, rng)
    pairs = _pair_cosines(store, embedder, sample, rng)
    if not pairs:
        return None
    questions = [embedder.embed_query(each) for each in EVERYDAY]
    nonsense = [embedder.embed_query(each) for each in gibberish(rng)]
    ids = [chunk for chunk, _, _ in sample.passages]
    any_pair = sorted(cosine for vector in questions for cosine in store.cosines(vector, ids).values())
    return Calibration(
        model=embedder.spec.id,
        chunks=store.status().chunks,
        pairs=tuple(sorted(pairs)),
        unrelated=_best(store, questions),
        gibberish=_best(store, nonsense),
        typical=percentile(any_pair, 50),
        in_use=in_use,
        source=source,
    )


def thresholds(asked: Sequence[tuple[Question, Sequence[Hit]]]) -> list[Threshold]:
    """What each threshold from 0 to 0.95 would do to questions whose answers are known.

    Args:
        asked: Each question with its hits, found without a threshold; a hit without a cosine passes none.
    """
    rows = []
    for step in range(20):
        at = round(step * _STEP, 2)
        answered = right = 0
        for question, hits in asked:
            passing = [hit for hit in hits if hit.cosine is not None and hit.cosine >= at]
            answered += bool(passing)
            right += any(expected.matches(hit) for expected in question.expected for hit in passing)
        rows.append(Threshold(at, answered, right, len(asked)))
    return rows


def percentile(ascending: Sequence[float], percent: float) -> float:
    """A percentile by linear interpolation; 0.0 of nothing.

    >>> percentile([0.1, 0.2, 0.3], 50)
    0.2
    """
    if not ascending:
        return 0.0
    place = (len(ascending) - 1) * percent / 100
    low = math.floor(place)
    high = min(low + 1, len(ascending) - 1)
    return ascending[low] + (ascending[high] - ascending[low]) * (place - low)


@dataclass(frozen=True, slots=True)
class _Sample:
    """Passages drawn from a corpus: (chunk id, document id, text)."""

    passages: list[tuple[int, int, str]]

    @classmethod
    def draw(cls, store: Store, rng: random.Random) -> Self:
        documents = [each for each in store.documents() if each.chunk_count]
        weights = [min(each.chunk_count, _POOL_PER_DOCUMENT) for each in documents]
        drawn = rng.choices(documents, weights, k=_POOL_DOCUMENTS * 2) if documents else []
        passages: list[tuple[int, int, str]] = []
        for each in list({one.id: one for one in drawn}.values())[:_POOL_DOCUMENTS]:
            chunks = store.document_chunks(each.id)
            some = rng.sample(chunks, min(len(chunks), _POOL_PER_DOCUMENT))
            passages += [(one.id, each.id, one.chunk.text) for one in some]
        return cls(passages)


def _pair_cosines(store: Store, embedder: Embedder, sample: _Sample, rng: random.Random) -> list[float]:
    cosines: list[float] = []
    order = list(sample.passages)
    rng.shuffle(order)
    probes = [(document, piece) for _, document, text in order if (piece := _piece(text, rng))]
    for document, piece in probes[:_PROBES]:
        others = [chunk for chunk, owner, _ in sample.passages if owner != document]
        wanted = math.ceil(_PAIRS / min(_PROBES, len(probes)))
        chosen = rng.sample(others, min(len(others), wanted))
        cosines += store.cosines(embedder.embed_query(piece), chosen).values() if chosen else ()
    return cosines[:_PAIRS]


def _piece(text: str, rng: random.Random) -> str:
    """A question-sized piece of a passage: the first words of one of its sentences; "" where it has none."""
    sentences = [words for each in re.split(r"(?<=[.!?。！？])\s*|\n+", text) if len(words := each.split()) >= 4]
    if sentences:
        return " ".join(rng.choice(sentences)[:_PROBE_WORDS])
    return text.strip()[:80]


def _best(store: Store, vectors: Sequence[NDArray[np.float32]]) -> tuple[float, ...]:
    found = (store.search_vectors(vector, limit=1, selection=Selection()) for vector in vectors)
    return tuple(sorted(hits[0][1] for hits in found if hits))
