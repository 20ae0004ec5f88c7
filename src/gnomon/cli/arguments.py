"""Checks of what was typed, shared by the commands."""

from __future__ import annotations

import argparse


def count(text: str) -> int:
    """A whole number of at least one, for argparse.

    Raises:
        argparse.ArgumentTypeError: It is below one.
    """
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value
