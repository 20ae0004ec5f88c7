"""What an index run shows while it works: a line that is rewritten on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field

from gnomon.cli import render
from gnomon.index.events import (
    Embedded,
    Event,
    FileIndexed,
    FilesFound,
    FileSkipped,
    FolderDone,
    FolderStarted,
    Waiting,
)

_REDRAW_SECONDS = 0.1
_TELL_SECONDS = 10.0  # where lines cannot be rewritten
_BAR_CELLS = 24


@dataclass(slots=True)
class IndexProgress:
    """A listener that prints.

    Attributes:
        terminal: Rewrite one line; else print lines and no bar.
        verbose: A line per file, with skips, to standard error.
    """

    terminal: bool
    verbose: bool = False
    _files: int = 0
    _to_read: int = 0
    _begun: float = field(default_factory=time.monotonic)
    _drawn: float = 0.0
    _told: float = 0.0

    def __call__(self, event: Event) -> None:
        """Print what an event is worth."""
        match event:
            case FolderStarted(folder, position, total):
                self._line(render.folder_header(folder, position, total))
                self._files = 0
            case FilesFound(to_read, _):
                self._to_read = to_read
            case FileIndexed(path, chunks):
                self._file(f"  {render.safe_line(path)}  {render.number(chunks, 'chunk')}")
            case FileSkipped(skip):
                if self.verbose:
                    self._note(f"  skipped {render.safe_line(skip.path)}: {skip.reason}{_detail(skip.detail)}")
            case FolderDone(report):
                self._line(render.folder_totals(report))
                for warning in report.warnings[: None if self.verbose else 10]:
                    self._note(f"  warning: {render.safe(warning)}")
            case Embedded(done, total):
                self._bar("meaning", done, total, "passages")
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
            self._bar("words", self._files, self._to_read, "files")
        else:
            print(text)

    def _waiting(self, pid: int, progress: str) -> None:
        text = f"waiting for another process{f' (id {pid})' if pid else ''} that writes to this index"
        text += f" ({progress})" if progress else ""
        now = time.monotonic()
        if self.terminal:
            sys.stdout.write(f"\r\x1b[K{text} …")
            sys.stdout.flush()
        elif not self._told or now - self._told >= _TELL_SECONDS:
            self._told = now
            self._note(text)

    def _line(self, text: str) -> None:
        self._clear()
        print(text)
        self._begun = time.monotonic()

    def _note(self, text: str) -> None:
        self._clear()
        print(text, file=sys.stderr)

    def _bar(self, what: str, done: int, total: int, unit: str) -> None:
        now = time.monotonic()
        if not self.terminal or (now - self._drawn < _REDRAW_SECONDS and done < total):
            return
        self._drawn = now
        rate = done / max(now - self._begun, 1e-6)
        left = (total - done) / rate if rate else 0
        filled = _BAR_CELLS * done // max(total, 1)
        bar = "█" * filled + "░" * (_BAR_CELLS - filled)
        sys.stdout.write(f"\r\x1b[K  {what} {bar} {done}/{total} {unit}, {rate:.0f}/s, {_clock(left)} left")
        sys.stdout.flush()

    def _clear(self) -> None:
        if self.terminal:
            sys.stdout.write("\r\x1b[K")
            sys.stdout.flush()


def _detail(detail: str) -> str:
    return f" ({render.safe_line(detail)})" if detail else ""


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
