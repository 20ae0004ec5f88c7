"""What is said of an index that cannot be trusted any more."""

from __future__ import annotations

from pathlib import Path


class DamagedRowError(Exception):
    """A stored row that does not read as what was written; becomes a ``StoreError`` with the path at the border."""


def damaged(path: Path | str, cause: object) -> str:
    """The sentence for a file that cannot be trusted."""
    return f"the index {path} is damaged ({cause}); rebuild it: gnomon index --force"
