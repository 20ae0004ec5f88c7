"""Keep and find: one module per backend, imported when it is opened."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import cast

from gnomon.errors import UsageError
from gnomon.store.base import Fingerprint, Store

__all__ = ["BACKENDS", "SCHEMA_VERSION", "has_index", "open_store"]

# Of the tables of every backend together; goes up when any of them changes shape.
SCHEMA_VERSION = 1

# Backend -> module with ``open_store(path, *, fingerprint, writable, replace)`` and, unless its index is a file,
# ``has_index(path)``. A backend is listed here when it passes all of tests/contract/store.
BACKENDS = {
    "lancedb": "gnomon.store.lancedb",
    "postgres": "gnomon.store.postgres",
    "sqlite": "gnomon.store.sqlite",
}


def open_store(
    backend: str, path: Path | str, *, fingerprint: Fingerprint, writable: bool, replace: bool = False
) -> Store:
    """Open an index.

    Args:
        backend: A key of ``BACKENDS``.
        path: Of the index file or folder; made where it is missing and ``writable``. For lancedb also the address of a
            bucket, for postgres ``postgres:CORPUS``.
        fingerprint: What this program would write; an index of another one is refused. The extractor may differ.
        writable: Whether writing methods may be called.
        replace: Give up an index that is of another fingerprint or damaged and start an empty one in its place, in
            one step for every reader. Vectors stay where the model is the same and the file is whole.

    Raises:
        MismatchError: The index has another fingerprint, or was written by a newer program.
        BusyError: Another process kept writing for too long.
        StoreError: There is no index, or it is damaged or cannot be opened.
        MissingExtraError: The backend's library is not installed.
        UsageError: There is no such backend.
    """
    opener = cast("Callable[..., Store]", _module(backend).open_store)
    return opener(path, fingerprint=fingerprint, writable=writable, replace=replace)


def has_index(backend: str, path: Path | str) -> bool:
    """Whether something is indexed there.

    Raises:
        StoreError: A server or bucket does not answer.
        MissingExtraError: The backend's library is not installed.
        UsageError: There is no such backend.
    """
    module = _module(backend)
    return bool(module.has_index(path)) if hasattr(module, "has_index") else Path(path).exists()


def _module(backend: str) -> ModuleType:
    if backend not in BACKENDS:
        raise UsageError(f"no store backend {backend!r}; there is: {', '.join(sorted(BACKENDS))}")
    return import_module(BACKENDS[backend])
