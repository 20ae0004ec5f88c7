"""Tests of evaluate: figures, differences, floors, refusals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.cli.evaluate import _print
from gnomon.errors import UsageError
from gnomon.measure.evaluate import (
    ArmResult,
    Figures,
    below_baseline,
    compare,
    evaluate,
    ndcg_at,
    relevance,
    require_fresh,
)
from gnomon.measure.questions import Expected, Question
from gnomon.values import Hit, Span


def _hit(path: str, start_line: int = 1, end_line: int = 9) -> Hit:
    return Hit(1, "/root", path, Span(0, 1), start_line, end_line, "", 1.0, "both")


def _returning(*paths: str) -> Callable[[str], Sequence[Hit]]:
    return lambda _: [_hit(path) for path in paths]


def _question(*paths: str) -> Question:
    return Question("where", tuple(Expected(path) for path in paths))


def _ticking() -> Callable[[], float]:
    """Each look at the clock is ten milliseconds after the last."""
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 0.01
        return now

    return clock


def test_figures_are_those_worked_out_by_hand() -> None:
    """One right answer in second place, one of two expected found among k."""
    (arm,) = evaluate([_question("b", "c")], {"words": _returning("a", "b", "b", "c")}, k=2, clock=_ticking()).arms
    assert arm.figures.mrr == 0.5
    assert arm.figures.hit_at_1 == 0.0
    assert arm.figures.recall_at_k == 0.5
    assert arm.figures.ndcg == pytest.approx((0.6309 + 0.5) / (1 + 0.6309), abs=1e-3)
    assert arm.figures.p50_ms == pytest.approx(10)
    assert arm.rank_of == (2,)


def test_passages_of_one_file_are_one_answer_where_files_are_expected() -> None:
    """A file that fills the list takes one rank."""
    assert relevance(_question("b"), [_hit("a"), _hit("a"), _hit("b"), _hit("b")]) == [0.0, 1.0]


def test_passages_count_each_where_lines_are_expected() -> None:
    """The right file at the wrong lines is a wrong answer."""
    question = Question("where", (Expected("a", 20, 30),))
    assert relevance(question, [_hit("a", 1, 9), _hit("a", 15, 25)]) == [0.0, 1.0]


def test_an_arm_that_is_always_better_is_more_than_chance() -> None:
    """Twenty questions all one way."""
    result = evaluate([_question("a")] * 20, {"words": _returning("b"), "both": _returning("a")})
    (difference,) = result.differences
    assert (difference.better, difference.than, difference.mean) == ("both", "words", 1.0)
    assert difference.is_more_than_chance
    assert (difference.low, difference.high) == (1.0, 1.0)


def test_equal_arms_are_not_more_than_chance() -> None:
    """No difference has p of 1."""
    (difference,) = evaluate([_question("a")] * 5, {"x": _returning("a"), "y": _returning("a")}).differences
    assert difference.p == 1.0
    assert not difference.is_more_than_chance


def test_few_questions_are_never_more_than_chance() -> None:
    """Three questions all one way happen by chance once in four times."""
    (difference,) = evaluate([_question("a")] * 3, {"x": _returning("b"), "y": _returning("a")}).differences
    assert difference.p == pytest.approx(0.25, abs=0.03)


def _scored(name: str, ndcg_of: Sequence[float]) -> ArmResult:
    return ArmResult(name, Figures(0, 0, 0, 0, 0, 0), tuple(ndcg_of), ())


@given(st.lists(st.sampled_from([0.0, 0.3, 0.5, 0.63, 1.0]), min_size=1, max_size=25), st.randoms())
@settings(max_examples=40)
def test_interval_and_p_say_the_same(scores: list[float], random: Random) -> None:
    """0 is outside the interval exactly where the difference is called more than chance."""
    others = random.sample(scores, len(scores))
    found = compare(_scored("a", scores), _scored("b", [0.4 * each for each in others]))
    assert (not found.low <= 0 <= found.high) is found.is_more_than_chance
    assert -1 <= found.low <= found.mean <= found.high <= 1


def test_one_large_loss_among_few_is_no_interval_below_zero() -> None:
    """A bootstrap of five questions excluded 0 where the test said p 0.25."""
    found = compare(_scored("a", [0.0, 0.4, 0.6, 1.0, 1.0]), _scored("b", [0.9, 0.9, 1.0, 1.0, 1.0]))
    assert found.p > 0.05
    assert found.low < 0 <= found.high


def test_expected_files_that_are_not_indexed_are_named() -> None:
    """No search can find them; the figures would mislead."""
    questions = [_question("a.md", "src/b.md", "gone.md")]
    assert evaluate(questions, {"x": _returning()}, indexed={"docs/a.md", "src/b.md"}).unknown == ("gone.md",)


def test_expected_file_that_is_not_indexed_is_told_before_the_figures(capsys: pytest.CaptureFixture[str]) -> None:
    """With its line and how it counts; a typing error looks like a bad search else."""
    questions = [Question("where", (Expected("gone.md"),), 4)]
    _print(evaluate(questions, {"x": _returning("a.md"), "y": _returning("a.md")}, indexed={"docs/a.md"}))
    first, second, *rest = capsys.readouterr().out.splitlines()
    assert "not in the index, so that it counts as not found: gone.md (line 4;" in first
    assert second == "1 question"
    assert "could be chance (fewer than 6 questions cannot tell)" in "".join(rest)


def test_without_questions_there_is_nothing_to_say() -> None:
    """An empty set is the user's mistake."""
    with pytest.raises(UsageError):
        evaluate([], {"x": _returning()})


def test_a_stale_index_is_refused() -> None:
    """Figures of another state of the files would be wrong."""
    with pytest.raises(UsageError, match=r"2 files changed .*gnomon index"):
        require_fresh(changed=["a.md", "b.md"], vectors_missing=0)
    with pytest.raises(UsageError, match="7 passages"):
        require_fresh(changed=[], vectors_missing=7)
    require_fresh(changed=[], vectors_missing=0)


def test_figures_below_their_floor_are_named() -> None:
    """A baseline fails by sentence; unknown names are refused."""
    figures = evaluate([_question("a")], {"x": _returning("b", "a")}).arms[-1].figures
    assert below_baseline(figures, {"MRR": 0.5, "hit@1": 0.1}) == ["hit@1 is 0.0000, below the baseline of 0.1000"]
    with pytest.raises(UsageError, match="nDCG@10"):
        below_baseline(figures, {"ndcg": 0.5})


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0]), max_size=15), st.lists(st.sampled_from([1.0, 2.0]), min_size=1))
def test_gain_is_a_share(grades: list[float], ideal: list[float]) -> None:
    """Never negative; exactly 1 for the ideal order."""
    assert ndcg_at(grades, ideal) >= 0
    assert ndcg_at(sorted(ideal, reverse=True), ideal) == pytest.approx(1.0)
