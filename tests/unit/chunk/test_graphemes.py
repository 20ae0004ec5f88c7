"""Tests of chunk.graphemes: a cut never falls inside what people see as one character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.chunk.graphemes import MAX_UNIT_CHARS, joins, safe_cut

UNITS = [
    "\r\n",
    "e\u0301",
    "n\u0303\u0323",
    "\u2764\ufe0f",
    "\U0001f44d\U0001f3fd",
    "\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "\U0001f1e9\U0001f1ea",
    "\U0001f3f4\U000e0067\U000e0062\U000e007f",
    "\u1112\u1161\u11ab",
    "\ud83d\udc69",
    "\u0e01\u0e33"[:1] + "\u0e31",
]


@pytest.mark.parametrize("unit", UNITS)
def test_no_cut_falls_inside_a_unit(unit: str) -> None:
    """Every offset inside moves back to the start of the unit."""
    text = f"ab{unit}cd"

    cuts = {safe_cut(text, at) for at in range(2, 2 + len(unit))}

    assert cuts == {2}


def test_flags_are_cut_between_pairs() -> None:
    """Of a row of flags, each pair of letters is one."""
    text = "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7"

    assert [safe_cut(text, at) for at in range(1, 4)] == [0, 2, 2]


@pytest.mark.parametrize("text", ["ab", "a b", "設定", "\n\u0301", "한국"])
def test_ordinary_neighbours_are_apart(text: str) -> None:
    """Letters, ideographs and syllables stand for themselves, and nothing joins a line end."""
    assert not joins(text, 1)


def test_an_endless_unit_is_cut_all_the_same() -> None:
    """A thousand accents on one letter must not make a chunk of any size."""
    text = "e" + "\u0301" * 1_000

    assert safe_cut(text, 900) == 900


@given(st.text(max_size=40), st.data())
def test_a_safe_cut_is_near_and_before(text: str, data: st.DataObject) -> None:
    """The cut is at most one unit back, and safe where no unit is over-long."""
    at = data.draw(st.integers(0, len(text)))

    found = safe_cut(text, at)

    assert at - MAX_UNIT_CHARS <= found <= at
    assert found in {0, len(text)} or not joins(text, found)
