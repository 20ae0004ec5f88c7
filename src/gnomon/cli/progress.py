"""What an index run shows while it works: a line that is rewritten on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gnomon.cli import render
from gnomon.cli.row import TELL_SECONDS, columns, rewrite
from gnomon.cli.session import is_terminal
from gnomon.figures import number
from gnomon.index.events import (
    Embedded,
    Event,
    FileIndexed,
    FilesFound,
    FileSkipped,
    FolderDone,
    FolderStarted,
    Listener,
    Waiting,
)

_REDRAW_SECONDS = 0.1
_BAR_CELLS = 24
_FEWEST_CELLS = 4
_PACE_SECONDS = 2.0
_PACE_SHARE = 0.05  # of the whole, before a remaining time is told, unless that takes longer than
_PACE_SECONDS_AT_ANY_SHARE = 20.0


@dataclass(slots=True)
class IndexProgress:
    """A listener that prints.

    Attributes:
        terminal: Rewrite one line, if it is a terminal that can; else print lines and no bar.
        verbose: A line per file, with skips, to standard error.
    """

    terminal: bool
    verbose: bool = False
    _files: int = 0
    _to_read: int = 0
    _counted: str = ""
    _before: int = 0
    _begun: float = 0.0
    _drawn: float = 0.0
    _told: float = 0.0
    _waited: str = ""

    def __post_init__(self) -> None:
        """A dumb terminal shows what rewrites a line as signs."""
        self.terminal = self.terminal and render.can_rewrite()

    def __call__(self, event: Event) -> None:
        """Print what an event is worth."""
        match event:
            case FolderStarted(folder, position, total):
                self._line(render.folder_header(folder, position, total))
                self._files = 0
            case FilesFound(to_read, _):
                self._to_read = to_read
            case FileIndexed(path, chunks):
                self._file(f"  {render.safe_line(path)}  {number(chunks, 'chunk')}")
            case FileSkipped(skip):
                if self.verbose:
                    self._note(f"  skipped {render.safe_line(skip.path)}: {skip.reason}{_detail(skip.detail)}")
            case FolderDone(report):
                self._line(render.folder_totals(report))
                for warning in report.warnings[: None if self.verbose else 10]:
                    self._note(f"  warning: {render.safe(warning)}")
            case Embedded(done, total):
                self._bar("meaning", done, total, "passage")
            case Waiting(pid, progress):
                self._waiting(pid, progress)

    def finish(self) -> None:
        """Leave the terminal with a clean line."""
        self._clear()

    def _file(self, text: str) -> None:
        self._files += 1
        if self.verbose:
            self._note(text)
        elif self.terminal:
            self._bar("words", self._files, self._to_read, "file")
        else:
            print(text)

    def _waiting(self, pid: int, progress: str) -> None:
        text = f"waiting for another process{f' (id {pid})' if pid else ''} that writes to this index"
        text += f" ({progress})" if progress else ""
        now = time.monotonic()
        if not self._waited:
            self._told, self._waited = now, text
            self._note(f"{text}; Ctrl-C is safe and loses nothing")
        elif self.terminal:
            rewrite(f"{text} …", sys.stdout)
        elif text != self._waited and now - self._told >= TELL_SECONDS:
            self._told, self._waited = now, text
            self._note(text)

    def _line(self, text: str) -> None:
        self._clear()
        print(text)
        self._counted = ""

    def _note(self, text: str) -> None:
        self._clear()
        print(text, file=sys.stderr)

    def _bar(self, what: str, done: int, total: int, unit: str) -> None:
        now = time.monotonic()
        if what != self._counted:
            # Counted from what is done already: the time before it went into something else, loading the model say.
            self._counted, self._begun, self._before = what, now, done
        if not self.terminal or (now - self._drawn < _REDRAW_SECONDS and done < total):
            return
        self._drawn = now
        pace = _pace(done - self._before, total - done, now - self._begun)
        told = f"{done}/{number(total, unit)}{pace}"
        room = columns(sys.stdout) - len(f"  {what}  {told} ")
        rewrite(f"  {what} {_drawn_bar(done, total, room)}{told}", sys.stdout)

    def _clear(self) -> None:
        if self.terminal:
            rewrite("", sys.stdout)


@contextmanager
def telling_of_waiting() -> Iterator[Listener]:
    """A listener for what is done without a word unless another process writes; the line is clean behind the block."""
    progress = IndexProgress(is_terminal())
    try:
        yield progress
    finally:
        progress.finish()


def _drawn_bar(done: int, total: int, room: int) -> str:
    """A bar with a blank behind it; a short one, or none, where a row has little room."""
    cells = min(_BAR_CELLS, room)
    if cells < _FEWEST_CELLS:
        return ""
    filled = cells * done // max(total, 1)
    return "█" * filled + "░" * (cells - filled) + " "


def _detail(detail: str) -> str:
    return f" ({render.safe_line(detail)})" if detail else ""


def _pace(done: int, left: int, seconds: float) -> str:
    """Rate and remaining time, once there is enough behind to tell them from.

    >>> _pace(50, 50, 10.0), _pace(1, 999, 10.0), _pace(50, 50, 0.5)
    (', 5/s, 0:10 left', '', '')
    """
    is_known = done > 0 and seconds >= _PACE_SECONDS
    if not is_known or (done < _PACE_SHARE * (done + left) and seconds < _PACE_SECONDS_AT_ANY_SHARE):
        return ""
    return f", {done / seconds:.0f}/s, {_clock(left * seconds / done)} left"


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
