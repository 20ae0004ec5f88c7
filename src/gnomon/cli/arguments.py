"""Checks of what was typed, shared by the commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeVar

Number = TypeVar("Number", int, float)

# Of hits, lines and files asked for: far above what is of use, far below what a database can count.
MOST_HITS = 10_000
MOST_FILES = 2**31


def count(most: int = MOST_HITS) -> Callable[[str], int]:
    """A check for argparse: a whole number from one to ``most``."""
    return whole(1, most)


def whole(least: int, most: int) -> Callable[[str], int]:
    """A check for argparse: a whole number from ``least`` to ``most``."""
    return _within(int, "a whole number", least, most)


def between(least: int, most: int) -> Callable[[str], float]:
    """A check for argparse: a number from ``least`` to ``most``."""
    return _within(float, "a number", least, most)


def _within(read: Callable[[str], Number], kind: str, least: int, most: int) -> Callable[[str], Number]:
    def check(text: str) -> Number:
        try:
            value = read(text)
            if least <= value <= most:  # not so for "nan"
                return value
        except ValueError:
            pass
        raise argparse.ArgumentTypeError(f"must be {kind} from {least} to {most}")

    return check
