"""The LanceDB store: a folder on disk, or a prefix of a bucket; for those who have ``gnomon[lancedb]``.

Each table is a Lance dataset, whose every change is a version. One row of one table (``head``) says which versions
belong together: readers follow it, a writer sets it last, so a change of many tables is seen whole or not at all.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.errors import MissingExtraError
from gnomon.store.base import Fingerprint

if TYPE_CHECKING:
    from gnomon.store.lancedb.store import LanceStore


def open_store(path: Path | str, *, fingerprint: Fingerprint, writable: bool, replace: bool = False) -> LanceStore:
    """See ``gnomon.store.open_store``; ``path`` is a folder or a URI such as ``s3://bucket/prefix``.

    Raises:
        MissingExtraError: LanceDB is not installed.
    """
    _require_library()
    from gnomon.store.lancedb.opening import prepare
    from gnomon.store.lancedb.place import Place
    from gnomon.store.lancedb.store import LanceStore

    place = Place(path)
    if writable:
        prepare(place, fingerprint, replace=replace)
    return LanceStore(place, fingerprint, writable=writable)


def has_index(path: Path | str) -> bool:
    """See ``gnomon.store.has_index``."""
    if "://" not in str(path):
        return (Path(path) / "head.json").exists()
    _require_library()
    from gnomon.store.lancedb.connections import translated
    from gnomon.store.lancedb.place import Place

    place = Place(path)
    with translated(place):
        return place.heads.mark() is not None


def _require_library() -> None:
    try:
        import lancedb  # noqa: F401 - two seconds, once
    except ImportError as e:
        raise MissingExtraError(feature='storeBackend "lancedb"', extra="lancedb") from e
