"""The other indexes of this user: a worktree, a clone or another project may have embedded a text already.

Nothing is stored twice: each index is asked where it lies. An index is listed only if this program made it here, so
that one that came with a cloned repository never hands its vectors to others.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.config import Config, data_dir
from gnomon.corpus.places import INDEX_FILE
from gnomon.errors import StoreError
from gnomon.store.base import Fingerprint, Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The latest ones; each costs a fraction of a millisecond per passage that nobody has.
_MOST = 12


def list_index(config: Config, *, made: bool) -> None:
    """Let other indexes ask the one of these settings.

    Args:
        config: Settings of the default backend.
        made: Whether the index was made just now; another one is listed only where nobody else puts files.
    """
    file = config.index_dir / INDEX_FILE
    entry = _entry(file)
    if not entry.exists() and (made or file.is_relative_to(data_dir())):
        with suppress(OSError):
            entry.parent.mkdir(parents=True, exist_ok=True)
            entry.write_text(str(file), encoding="utf-8", errors="surrogateescape")


def registry() -> Path:
    """Where the indexes are listed."""
    return data_dir() / "indexes"


def _entry(file: Path) -> Path:
    return registry() / hashlib.sha256(str(file).encode("utf-8", "surrogateescape")).hexdigest()[:16]


class Siblings:
    """Vectors of the same model in the other listed indexes; opened at the first question. Serves many threads."""

    def __init__(self, config: Config, fingerprint: Fingerprint) -> None:
        self._own = config.index_dir / INDEX_FILE
        self._wanted = (fingerprint.model, fingerprint.dim)
        self._lock = threading.Lock()
        self._stores: list[Store] | None = None

    def vectors_of(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float16]]:
        """See ``VectorSource``; an index that cannot be read is not asked again."""
        found: dict[bytes, NDArray[np.float16]] = {}
        for store in self._open():
            missing = [key for key in keys if key not in found]
            if not missing:
                break
            try:
                found |= store.vectors_of(missing)
            except StoreError:
                self._leave(store)
        return found

    def close(self) -> None:
        """Let go of the other indexes."""
        with self._lock:
            for store in self._stores or ():
                store.close()
            self._stores = []

    def _open(self) -> list[Store]:
        with self._lock:
            if self._stores is None:
                self._stores = list(self._opened())
            return list(self._stores)

    def _leave(self, store: Store) -> None:
        with self._lock:
            if self._stores and store in self._stores:
                self._stores.remove(store)
        store.close()

    def _opened(self) -> Iterator[Store]:
        from gnomon.store import open_store
        from gnomon.store.opening import stored_fingerprint

        for file in _listed(self._own)[:_MOST]:
            try:
                fingerprint = stored_fingerprint(file)
                if (fingerprint.model, fingerprint.dim) == self._wanted:
                    yield open_store("sqlite", file, fingerprint=fingerprint, writable=False)
            except StoreError:
                continue  # older, newer or damaged: its own next run says so


def _listed(own: Path) -> list[Path]:
    """The other indexes, the latest used first; entries of those that are gone are removed."""
    files = []
    with suppress(OSError):
        for entry in registry().iterdir():
            with suppress(OSError):
                file = Path(entry.read_text("utf-8", "surrogateescape"))
                if not file.exists():
                    entry.unlink()
                elif file != own:
                    files.append((file.stat().st_mtime_ns, file))
    return [file for _, file in sorted(files, reverse=True)]
