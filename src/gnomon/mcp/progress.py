"""An index run as one number that only grows, for a client's progress token."""

from __future__ import annotations

from gnomon.figures import number
from gnomon.index.events import Embedded, Event, FileIndexed, FilesFound, FileSkipped, FolderStarted, Waiting


class Progress:
    """A listener of an index run.

    Attributes:
        done: Files read plus passages embedded so far.
        total: The most that is known of; 0 while unknown.
        message: What is going on.
    """

    def __init__(self) -> None:
        self.done = 0
        self.total = 0
        self.message = "looking for files"
        self._files = 0

    def __call__(self, event: Event) -> None:
        """Take note of an event."""
        match event:
            case FolderStarted(folder, position, total):
                self.message = f"reading folder {position} of {total}: {folder.name}"
            case FilesFound(to_read, _):
                self.message = f"reading {number(to_read, 'file')}"
            case FileIndexed() | FileSkipped():
                self._files += 1
                self.done = self._files
            case Embedded(done, total):
                self.done, self.total = self._files + done, self._files + total
                self.message = f"{done} of {number(total, 'passage')} embedded"
            case Waiting():
                self.message = "waiting for another process that writes to this index"
            case _:
                pass
