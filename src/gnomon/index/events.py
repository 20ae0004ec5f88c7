"""What an index run tells its listener; the listener prints, the run does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gnomon.index.report import FolderReport
from gnomon.values import Folder, Skip


@dataclass(frozen=True, slots=True)
class FolderStarted:
    """Work on a folder begins; ``position`` counts from 1."""

    folder: Folder
    position: int
    total: int


@dataclass(frozen=True, slots=True)
class FilesFound:
    """Discovery is done: how many files are read in this run, and how many are known already."""

    to_read: int
    unchanged: int


@dataclass(frozen=True, slots=True)
class FileIndexed:
    """One file was read and its words are about to be searchable."""

    path: str
    chunks: int


@dataclass(frozen=True, slots=True)
class FileSkipped:
    """One file stays out of the index."""

    skip: Skip


@dataclass(frozen=True, slots=True)
class FolderDone:
    """All words of a folder are searchable."""

    report: FolderReport


@dataclass(frozen=True, slots=True)
class Embedded:
    """``done`` of ``total`` texts of this run have their vector."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """Another process writes to the index; this run goes on when it is done. Told again every second.

    Attributes:
        pid: Of the other process; 0 where unknown.
        progress: How far it is, in words; "" where unknown.
    """

    pid: int
    progress: str = ""


Event = FolderStarted | FilesFound | FileIndexed | FileSkipped | FolderDone | Embedded | Waiting
Listener = Callable[[Event], None]


def ignore(_event: Event) -> None:
    """A listener that does nothing."""
