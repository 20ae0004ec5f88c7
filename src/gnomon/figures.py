"""Figures for people: two that differ never look the same, and what is counted agrees with its number."""

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


def number(count: int, thing: str) -> str:
    """A count with what is counted.

    >>> number(1, "chunk"), number(2, "chunk")
    ('1 chunk', '2 chunks')
    """
    return f"{count} {things(count, thing)}"


def things(count: int, thing: str) -> str:
    """What is counted, in the number that fits, for a count that is written otherwise.

    >>> things(1, "chunk"), things(0, "chunk")
    ('chunk', 'chunks')
    """
    return thing if count == 1 else f"{thing}s"
