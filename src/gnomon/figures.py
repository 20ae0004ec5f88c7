"""Figures for people: two that differ never look the same."""

from __future__ import annotations

from typing import Final

_MOST_DIGITS: Final = 9


def told_apart(one: float, other: float, *, digits: int = 2) -> tuple[str, str]:
    """Two figures with as few digits behind the point as tell them apart, and no fewer than ``digits``.

    >>> told_apart(0.41, 0.55), told_apart(0.3187, 0.32)
    (('0.41', '0.55'), ('0.319', '0.320'))
    """
    for places in range(digits, _MOST_DIGITS):
        shown = f"{one:.{places}f}", f"{other:.{places}f}"
        if shown[0] != shown[1]:
            return shown
    return f"{one:.{digits}f}", f"{other:.{digits}f}"
