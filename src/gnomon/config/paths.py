"""Paths as people write them: what of ``pathlib`` raises errors that are no OSError, without those."""

from __future__ import annotations

import os
from pathlib import Path


def expanded(path: str | Path) -> Path:
    """A path with the home folder for its ``~``; as it is where that is nobody's."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 - Path.expanduser raises a RuntimeError there


def real(path: Path) -> Path:
    """The absolute path without links; where links lead in a circle, the first of them."""
    return Path(os.path.realpath(path))  # Path.resolve raises a RuntimeError there, up to Python 3.12
