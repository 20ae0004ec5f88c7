"""Where an index lies: a folder of this machine, or a prefix of a bucket."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

from gnomon.errors import StoreError
from gnomon.store.lancedb.database import Database
from gnomon.store.lancedb.heads import HEAD_FILE, LOCK_FILE, READERS_FILE, HeadFile, Heads, HeadTable

_OURS = frozenset({HEAD_FILE, LOCK_FILE, READERS_FILE, f"{Path(HEAD_FILE).stem}.new"})


class Place:
    """One index as it is named in the settings. Thread-safe.

    Attributes:
        name: As people read it.
        folder: On this machine, or None for a bucket.
    """

    def __init__(self, path: Path | str) -> None:
        self.name = str(path)
        self.folder = None if "://" in self.name else Path(self.name)
        self._lock = threading.Lock()
        self._database: Database | None = None
        self._heads: Heads | None = None

    @property
    def database(self) -> Database:
        """Its tables; keys of a bucket come from the environment, as LanceDB reads it."""
        with self._lock:
            if self._database is None:
                self._database = Database(self.name)
            return self._database

    @property
    def heads(self) -> Heads:
        """Its head."""
        if self._heads is None:
            self._heads = HeadFile(self.folder) if self.folder else HeadTable(self.database, self.name)
        return self._heads

    def make(self) -> None:
        """Make the folder, for its owner only: the index holds the text of what was indexed.

        Raises:
            StoreError: It cannot be made, or holds what is not ours.
        """
        if self.folder is None:
            return
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            strange = [entry.name for entry in self.folder.iterdir() if not _is_ours(entry)]
        except OSError as e:
            raise StoreError(f"the index {self.name} cannot be made: {e.strerror}") from e
        if strange:
            raise StoreError(f"{self.name} holds other files ({strange[0]}); name another place for the index")

    def size_bytes(self) -> int:
        """Of all files; of a bucket what the tables say of themselves."""
        if self.folder is None:
            versions = self.heads.read().versions.values()
            return sum(self.database.open_at(*version).size_bytes() for version in versions)
        total = 0
        for file in self.folder.rglob("*"):
            with suppress(OSError):  # a version may be tidied away meanwhile
                total += file.stat().st_size if file.is_file() else 0
        return total


def _is_ours(entry: Path) -> bool:
    return entry.suffix == ".lance" or entry.name in _OURS
