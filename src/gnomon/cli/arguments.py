"""Checks of what was typed, shared by the commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable

# Of hits, lines and files asked for: far above what is of use, far below what a database can count.
MOST_HITS = 10_000
MOST_FILES = 2**31


def count(most: int = MOST_HITS) -> Callable[[str], int]:
    """A check for argparse: a whole number from one to ``most``."""
    return whole(1, most)


def whole(least: int, most: int) -> Callable[[str], int]:
    """A check for argparse: a whole number from ``least`` to ``most``."""

    def check(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"must be a whole number from {least} to {most}")
        return value

    return check


def between(least: int, most: int) -> Callable[[str], float]:
    """A check for argparse: a number from ``least`` to ``most``."""

    def check(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:  # "nan" too
            raise argparse.ArgumentTypeError(f"must be a number from {least} to {most}")
        return value

    return check
