"""Notices that a folder was unmounted, moved or replaced while a run reads it, so that nothing is taken for deleted."""

from __future__ import annotations

from pathlib import Path

from gnomon.errors import FolderError


class Presence:
    """The folder as it was when the run began.

    A mount point stays behind as an empty folder when its disk goes: it is another folder of the same name.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._identity = self._now()

    def check(self) -> None:
        """See that it is still that folder; before anything is written or forgotten because of what was seen in it.

        Raises:
            FolderError: It is gone, or another one is at its place.
        """
        now = self._now()
        if now is None or now != self._identity:
            raise FolderError(f"folder went away while it was read: {self._root}")

    def _now(self) -> tuple[int, int] | None:
        try:
            stat = self._root.stat()
        except OSError:
            return None
        return stat.st_dev, stat.st_ino
