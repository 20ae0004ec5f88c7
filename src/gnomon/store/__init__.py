"""Keep and find: one module per backend, imported when it is opened."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import cast

from gnomon.errors import UsageError
from gnomon.store.base import Fingerprint, Store

__all__ = ["BACKENDS", "SCHEMA_VERSION", "open_store"]

# Of the tables of every backend together; goes up when any of them changes shape.
SCHEMA_VERSION = 1

# Backend -> module with ``open_store(path, *, fingerprint, writable, replace)``.
BACKENDS = {
    "lancedb": "gnomon.store.lancedb",
    "postgres": "gnomon.store.postgres",
    "sqlite": "gnomon.store.sqlite",
}


def open_store(backend: str, path: Path, *, fingerprint: Fingerprint, writable: bool, replace: bool = False) -> Store:
    """Open an index.

    Args:
        backend: A key of ``BACKENDS``.
        path: Of the index file; made, with its folder, where it is missing and ``writable``.
        fingerprint: What this program would write; an index of another one is refused. The extractor may differ.
        writable: Whether writing methods may be called.
        replace: Give up an index that is of another fingerprint or damaged and start an empty one in its place, in
            one step for every reader. Vectors stay where the model is the same and the file is whole.

    Raises:
        MismatchError: The index has another fingerprint, or was written by a newer program.
        BusyError: Another process kept writing for too long.
        StoreError: There is no index, or it is damaged or cannot be opened.
        UsageError: There is no such backend.
    """
    if backend not in BACKENDS:
        raise UsageError(f"no store backend {backend!r}; there is: {', '.join(sorted(BACKENDS))}")
    opener = cast("Callable[..., Store]", import_module(BACKENDS[backend]).open_store)
    return opener(path, fingerprint=fingerprint, writable=writable, replace=replace)
