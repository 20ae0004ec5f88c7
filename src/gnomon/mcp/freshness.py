"""What is known of how far the index is behind the disk."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path


class Freshness:
    """Counts changed files; says that it does not know rather than guess. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._noted: set[Path] = set()
        self._compared: int | None = None

    def count(self) -> int:
        """Files known to have changed since they were indexed; -1 where nobody looks."""
        with self._lock:
            return -1 if self._compared is None else self._compared + len(self._noted)

    def note(self, paths: Iterable[Path]) -> None:
        """These files changed."""
        with self._lock:
            self._noted.update(paths)

    def indexed(self, paths: Iterable[Path]) -> None:
        """The index holds these files as they are."""
        with self._lock:
            self._noted.difference_update(paths)

    def compared(self, changed: int) -> None:
        """The whole disk was compared with the index, and this many files differ."""
        with self._lock:
            self._compared = changed
            self._noted.clear()

    def all_indexed(self) -> None:
        """A whole run has just ended; where nobody looks, it stays unknown what came after."""
        with self._lock:
            self._noted.clear()
            self._compared = None if self._compared is None else 0

    def lose(self) -> None:
        """From now on nobody looks."""
        with self._lock:
            self._compared = None
            self._noted.clear()
