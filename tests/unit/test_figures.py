"""Figures that differ are told apart, and one is singular."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gnomon
from gnomon.figures import number, things, told_apart

# A count in braces and a plural behind it; a limit, which is a constant in capitals, is never one.
_COUNTED = re.compile(
    r"\{(?!_?[A-Z])[^{}]*\} (?:more |other |new |indexed )?"
    r"(?:candidates|chunks|documents|files|hits|lines|pages|passages|questions|shares|texts|vectors)\b"
)


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


@pytest.mark.parametrize(("count", "text"), [(0, "0 chunks"), (1, "1 chunk"), (2, "2 chunks")])
def test_one_is_singular(count: int, text: str) -> None:
    """Nobody has "1 chunks"; so too where the count is written otherwise."""
    assert number(count, "chunk") == f"{count:,} {things(count, 'chunk')}" == text


def test_no_sentence_puts_a_plural_behind_whatever_count() -> None:
    """A watch said "1 passages embedded"; lines that ask for one write both forms out."""
    found = [
        f"{file.name}: {line.strip()}"
        for file in sorted(Path(gnomon.__file__).parent.rglob("*.py"))
        for line in file.read_text("utf-8").splitlines()
        if _COUNTED.search(line) and " == 1 else " not in line
    ]
    assert found == []
