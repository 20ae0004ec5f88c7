"""Files that describe the document beside them: the status of a Kubernetes proposal stands in ``kep.yaml``."""

from __future__ import annotations

from pathlib import PurePosixPath

# Names, without their ending, of files whose keys speak of the index page of their folder.
_STEMS = frozenset({"kep", "adr", "rfc", "proposal"})
_SUFFIXES = frozenset({".yaml", ".yml"})
INDEX_STEMS = frozenset({"readme", "index"})


def is_sidecar(path: str) -> bool:
    """Whether a file may describe another; whether it does depends on what is in it and on what is beside it."""
    place = PurePosixPath(path)
    return place.suffix.lower() in _SUFFIXES and place.stem.lower() in _STEMS


def is_index_page(path: str) -> bool:
    """Whether a file is the page of its folder."""
    return PurePosixPath(path).stem.lower() in INDEX_STEMS
