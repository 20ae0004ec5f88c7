"""What the index run at work says of itself, for whoever waits for it: one small file beside the index.

The file is a courtesy: it may be missing or old. Whether a run is at work is told by the writer's lock alone.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from gnomon.errors import Interrupted
from gnomon.figures import number
from gnomon.index.events import Embedded, Event, FileIndexed, FilesFound, FileSkipped, FolderStarted, Listener
from gnomon.index.lock import is_writing, writer_of

Outcome = Literal["", "done", "interrupted", "failed", "killed"]

_FILE = "run.json"
_WRITE_SECONDS = 0.5  # written this often within a phase


@dataclass(frozen=True, slots=True)
class Activity:
    """One index run, at work or ended.

    Attributes:
        pid: Of its process.
        phase: "files" while it compares the disk, "words" while it reads, "meaning" while it embeds; "" where unknown,
            as of one that forgets a folder or tidies.
        done: Files read or passages embedded.
        total: Of how many; 0 while unknown.
        outcome: "" while it is at work; "killed" where it ended without a word.
        message: What failed.
    """

    pid: int
    phase: str = "files"
    done: int = 0
    total: int = 0
    outcome: Outcome = ""
    message: str = ""

    def line(self) -> str:
        """``words: 120 of 500 files``."""
        if not self.phase:
            return "writing"
        if self.phase == "files":
            return "looking for files"
        what = "file" if self.phase == "words" else "passage"
        return f"{self.phase}: {self.done} of {number(self.total, what)}"


class Recorder:
    """A listener that passes events on and keeps the file up to date; ``interrupted`` is set by whoever knows."""

    def __init__(self, index_dir: Path, listener: Listener) -> None:
        self._file = index_dir / _FILE
        self._listener = listener
        self._activity = Activity(os.getpid())
        self._written = 0.0
        self.interrupted = False

    def __call__(self, event: Event) -> None:
        """Take note of an event and pass it on."""
        now = self._activity
        match event:
            case FolderStarted():
                now = replace(now, phase="files", done=0, total=0)
            case FilesFound(to_read, _):
                now = replace(now, phase="words", done=0, total=to_read)
            case FileIndexed() | FileSkipped():
                now = replace(now, done=min(now.done + 1, now.total))
            case Embedded(done, total):
                now = replace(now, phase="meaning", done=done, total=total)
            case _:
                pass
        is_turn = now.phase != self._activity.phase or now.done == now.total  # nothing may follow for a while
        self._activity = now
        if is_turn or time.monotonic() - self._written >= _WRITE_SECONDS:
            self.write()
        self._listener(event)

    def end(self, outcome: Outcome, message: str = "") -> None:
        """Record how the run ended."""
        self._activity = replace(self._activity, outcome=outcome, message=message)
        self.write()

    def write(self) -> None:
        """Replace the file; a disk that takes nothing is no reason to stop."""
        self._written = time.monotonic()
        beside = self._file.with_name(f".{_FILE}.{os.getpid()}")
        try:
            beside.write_text(json.dumps(asdict(self._activity)), encoding="utf-8")
            beside.replace(self._file)
        except OSError:
            with suppress(OSError):
                beside.unlink(missing_ok=True)


@contextmanager
def recording(index_dir: Path, listener: Listener) -> Iterator[Recorder]:
    """Keep the file while a run is at work, under the writer's lock, and record how it ended."""
    recorder = Recorder(index_dir, listener)
    recorder.write()
    try:
        yield recorder
    except (Interrupted, KeyboardInterrupt):
        recorder.end("interrupted")
        raise
    except Exception as e:
        recorder.end("failed", str(e))
        raise
    recorder.end("interrupted" if recorder.interrupted else "done")


def run_at_work(index_dir: Path) -> Activity | None:
    """The run that holds the index at this moment, of whatever process."""
    activity = read_activity(index_dir)
    return activity if activity and not activity.outcome else None


def what_mends_gaps(index_dir: Path) -> str:
    """What brings an index in step that is behind: the run at work, or the one to start."""
    return "an index run is at work" if run_at_work(index_dir) else "run: gnomon index"


def read_activity(index_dir: Path) -> Activity | None:
    """The run at work, or the last one; None where nothing is known."""
    try:
        activity = Activity(**json.loads((index_dir / _FILE).read_text("utf-8")))
    except (OSError, ValueError, TypeError, RecursionError):
        activity = None
    if is_writing(index_dir):
        pid = writer_of(index_dir)
        of_writer = activity and not activity.outcome and pid in (activity.pid, 0)
        return activity if of_writer else Activity(pid, phase="")
    if activity and not activity.outcome:
        return replace(activity, outcome="killed")
    return activity
