"""Figures that differ are told apart."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gnomon.figures import told_apart


@given(st.floats(0, 1), st.floats(0, 1))
def test_figures_that_differ_by_more_than_a_millionth_never_look_the_same(one: float, other: float) -> None:
    """Where the best is 0.32 and so is the threshold, whoever reads it doubts the program."""
    assume(abs(one - other) > 1e-6)
    shown = told_apart(one, other)
    assert shown[0] != shown[1]
    assert (float(shown[0]) < float(shown[1])) == (one < other)


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [(0.41, 0.55, ("0.41", "0.55")), (0.3187, 0.32, ("0.319", "0.320")), (0.5, 0.5, ("0.50", "0.50"))],
)
def test_no_more_digits_than_it_takes(one: float, other: float, shown: tuple[str, str]) -> None:
    """Two, where two do."""
    assert told_apart(one, other) == shown
