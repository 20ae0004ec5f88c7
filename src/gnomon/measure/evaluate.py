"""How good a search is on a person's own questions: per arm, with the differences and whether they are chance."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gnomon.errors import UsageError
from gnomon.figures import number, told_apart
from gnomon.measure.questions import Question
from gnomon.values import Hit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Searcher = Callable[[str], Sequence[Hit]]

_CUTOFF: Final = 10
_RESAMPLES: Final = 10_000
# Difference called more than chance: one in twenty.
_ALPHA: Final = 0.05
# Sums in another order differ by less.
_TINY: Final = 1e-12
# Fewer questions are one way by chance more often than that, whatever they show.
FEWEST_QUESTIONS: Final = 6


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over all questions, each in [0, 1], higher is better; latency in milliseconds.

    Attributes:
        ndcg: At 10, graded.
        mrr: Reciprocal rank of the first right answer among ten.
        hit_at_1: Share of questions whose first answer is right.
        recall_at_k: Share of the expected answers among the first k.
        p50_ms: Median time of a search.
        p95_ms: Of a hundred searches, five are slower.
    """

    ndcg: float
    mrr: float
    hit_at_1: float
    recall_at_k: float
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class ArmResult:
    """One way of searching, over all questions.

    Attributes:
        name: "words", "vectors", "both", "both + ranking".
        figures: The means.
        ndcg_of: nDCG@10 of each question, in order.
        rank_of: 1-based rank of the first right answer of each question, 0 where there is none.
    """

    name: str
    figures: Figures
    ndcg_of: tuple[float, ...]
    rank_of: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """One arm against another on the same questions.

    Attributes:
        better: Name of the arm that is meant to be better.
        than: Name of the other.
        mean: Mean difference of nDCG@10.
        low: Lower end of its 95 % interval: the differences that the same test does not reject, in [-1, 1].
        high: Upper end. 0 lies outside exactly where the difference is more than chance.
        p: Probability of a difference this large by chance (paired permutation test, two-sided).
    """

    better: str
    than: str
    mean: float
    low: float
    high: float
    p: float

    @property
    def is_more_than_chance(self) -> bool:
        """Whether ``p`` is below 0.05."""
        return self.p < _ALPHA


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All that one evaluation says.

    Attributes:
        questions: As asked.
        arms: In the order given; the last is the product's own way.
        differences: Of the last arm against each other one.
        unknown: Expected paths that are not in the index: no search can find them, so they count as misses.
        k: Of ``recall_at_k``.
    """

    questions: tuple[Question, ...]
    arms: tuple[ArmResult, ...]
    differences: tuple[Difference, ...]
    unknown: tuple[str, ...]
    k: int


def evaluate(
    questions: Sequence[Question],
    searchers: Mapping[str, Searcher],
    *,
    k: int = 5,
    indexed: Collection[str] = (),
    clock: Callable[[], float] = time.perf_counter,
) -> Evaluation:
    """Ask every question in every way.

    Args:
        questions: At least one.
        searchers: By name; each gives at least ten hits where there are that many, best first.
        k: For recall, >= 1.
        indexed: All paths of the index; empty skips the check of the expected ones.
        clock: Seconds.

    Raises:
        UsageError: There is no question.
    """
    if not questions:
        raise UsageError("there is no question to evaluate")
    arms = tuple(_ask_all(name, search, questions, k=k, clock=clock) for name, search in searchers.items())
    last = arms[-1]
    return Evaluation(
        questions=tuple(questions),
        arms=arms,
        differences=tuple(compare(last, other) for other in arms[:-1]),
        unknown=_unknown(questions, indexed),
        k=k,
    )


def require_fresh(*, changed: Collection[str], vectors_missing: int) -> None:
    """Refuse to measure an index that is not what is on disk.

    Args:
        changed: Paths that are new, changed or gone since the last run.
        vectors_missing: Chunks without a vector.

    Raises:
        UsageError: The index is stale; the text says what to do.
    """
    if changed:
        count, some = number(len(changed), "file"), ", ".join(sorted(changed)[:3])
        raise UsageError(f"the index is stale: {count} changed since the last run ({some}); run `gnomon index` first")
    if vectors_missing:
        raise UsageError(f"{number(vectors_missing, 'passage')} without a vector yet; run `gnomon index` first")


def below_baseline(figures: Figures, baseline: Mapping[str, float]) -> list[str]:
    """One sentence per figure that is below its floor.

    Args:
        figures: Of the product's own way.
        baseline: Floors by name: ``nDCG@10``, ``MRR``, ``hit@1``, ``recall@k``.

    Raises:
        UsageError: A name that is no figure.
    """
    found = figures_by_name(figures)
    unknown = [name for name in baseline if name not in found]
    if unknown:
        raise UsageError(f"the baseline names {', '.join(unknown)}; known are {', '.join(found)}")
    short = {name: told_apart(found[name], floor, digits=4) for name, floor in baseline.items() if found[name] < floor}
    return [f"{name} is {reached}, below the baseline of {floor}" for name, (reached, floor) in short.items()]


def figures_by_name(figures: Figures) -> dict[str, float]:
    """The qualities under the names that a baseline file uses."""
    return {
        "nDCG@10": figures.ndcg,
        "MRR": figures.mrr,
        "hit@1": figures.hit_at_1,
        "recall@k": figures.recall_at_k,
    }


def compare(better: ArmResult, than: ArmResult) -> Difference:
    """Paired difference of two arms over the same questions, with its p and the interval by the same test."""
    import numpy as np

    differences = np.array(better.ndcg_of) - np.array(than.ndcg_of)
    random = np.random.default_rng(0)  # the same figures for the same questions
    signs = random.choice((-1.0, 1.0), size=(_RESAMPLES, len(differences)))
    mean, flipped, shares = float(differences.mean()), (signs * differences).mean(axis=1), signs.mean(axis=1)
    extreme = int((np.abs(flipped) >= abs(mean) - _TINY).sum())
    p = (extreme + 1) / (_RESAMPLES + 1)
    low, high = _interval(mean, flipped, shares)
    if p >= _ALPHA:  # by rounding alone it could end at 0
        low, high = min(low, 0.0), max(high, 0.0)
    return Difference(better.name, than.name, mean, low, high, p)


def _interval(mean: float, flipped: NDArray[np.float64], shares: NDArray[np.float64]) -> tuple[float, float]:
    """The true differences that the permutation test does not reject at ``_ALPHA``.

    The test of a difference d flips the signs of what is left after d: the resample with the mean a and the mean sign b
    is as extreme while |a - d b| >= |mean - d|, which holds on one interval around the mean; its ends are where both
    sides are equal. A difference is not rejected while enough of the resamples reach it.
    """
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.stack(((flipped + mean) / (1 + shares), (mean - flipped) / (1 - shares)))
    ends = np.where(np.isfinite(ends), ends, mean)
    always = np.abs(shares) > 1 - _TINY  # no sign differs: as extreme whatever the difference
    reach = math.ceil(_ALPHA * (_RESAMPLES + 1) - 1)
    uppers = np.sort(np.where(always, np.inf, ends.max(axis=0)))
    lowers = np.sort(np.where(always, -np.inf, ends.min(axis=0)))
    return max(float(lowers[reach - 1]), -1.0), min(float(uppers[-reach]), 1.0)


def relevance(question: Question, hits: Sequence[Hit]) -> list[float]:
    """Grades of the answers in their order, 0 for wrong ones; each expected place counts once.

    Where only files are expected, passages are collapsed to files first. A further passage of a place that was
    already found takes no rank of its own.
    """
    whole_files = not any(expected.start_line for expected in question.expected)
    left = list(question.expected)
    seen: set[tuple[str, str]] = set()
    grades: list[float] = []
    for hit in hits:
        if whole_files and (hit.folder, hit.path) in seen:
            continue
        seen.add((hit.folder, hit.path))
        found = next((expected for expected in left if expected.matches(hit)), None)
        if found is not None:
            left.remove(found)
            grades.append(found.grade)
        elif not any(expected.matches(hit) for expected in question.expected):
            grades.append(0.0)
    return grades


def ndcg_at(grades: Sequence[float], ideal: Sequence[float], cutoff: int = _CUTOFF) -> float:
    """Normalised discounted cumulative gain in [0, 1].

    >>> round(ndcg_at([0.0, 1.0], [1.0]), 4)
    0.6309
    """
    best = _gain(sorted(ideal, reverse=True)[:cutoff])
    return _gain(grades[:cutoff]) / best if best else 0.0


def _gain(grades: Sequence[float]) -> float:
    return sum(grade / math.log2(at + 2) for at, grade in enumerate(grades))


def _ask_all(
    name: str, search: Searcher, questions: Sequence[Question], *, k: int, clock: Callable[[], float]
) -> ArmResult:
    search(questions[0].text)  # the first call loads; it is not what is measured
    ndcgs: list[float] = []
    ranks: list[int] = []
    recalls: list[float] = []
    times_ms: list[float] = []
    for question in questions:
        begun = clock()
        hits = search(question.text)
        times_ms.append((clock() - begun) * 1000)
        grades = relevance(question, hits)
        ndcgs.append(ndcg_at(grades, [expected.grade for expected in question.expected]))
        ranks.append(next((at for at, grade in enumerate(grades[:_CUTOFF], 1) if grade), 0))
        recalls.append(sum(1 for grade in grades[:k] if grade) / len(question.expected))
    times_ms.sort()
    figures = Figures(
        ndcg=statistics.fmean(ndcgs),
        mrr=statistics.fmean(1 / rank if rank else 0.0 for rank in ranks),
        hit_at_1=statistics.fmean(float(rank == 1) for rank in ranks),
        recall_at_k=statistics.fmean(recalls),
        p50_ms=statistics.median(times_ms),
        p95_ms=times_ms[min(len(times_ms) - 1, math.ceil(0.95 * len(times_ms)) - 1)],
    )
    return ArmResult(name, figures, tuple(ndcgs), tuple(ranks))


def _unknown(questions: Sequence[Question], indexed: Collection[str]) -> tuple[str, ...]:
    if not indexed:
        return ()
    known = set(indexed)
    wanted = dict.fromkeys(expected.path for question in questions for expected in question.expected)
    return tuple(path for path in wanted if path not in known and not any(each.endswith("/" + path) for each in known))
