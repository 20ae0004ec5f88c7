"""One row of a terminal, rewritten."""

from __future__ import annotations

import io
import sys

import pytest

from gnomon.cli.progress import IndexProgress
from gnomon.cli.row import columns, rewrite
from gnomon.index.events import Embedded, Event, FileIndexed, FilesFound, Waiting

_EVENTS: tuple[Event, ...] = (
    FilesFound(1200, 0),
    *(FileIndexed("a.md", 1) for _ in range(1200)),
    Waiting(12345, "words 30 of 9000 files"),
    Embedded(700, 1400),
)


@pytest.mark.parametrize("width", [1, 7, 20, 40, 80])
def test_progress_and_waiting_stay_within_the_row(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int
) -> None:
    """What wraps is left on the screen by the next line that takes its place."""
    monkeypatch.setenv("TERM", "xterm")
    for place in ("gnomon.cli.row.columns", "gnomon.cli.progress.columns"):
        monkeypatch.setattr(place, lambda _: width)
    progress = IndexProgress(terminal=True)
    for event in _EVENTS:
        progress(event)
    rows = capsys.readouterr().out.split("\r\x1b[K")
    assert max(map(len, rows)) < max(width, 2)
    assert (width < 20) or any(row.startswith("  words ") and "1200/1200" in row for row in rows)


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_width_is_that_of_the_terminal() -> None:
    """And as good as endless for what is none."""
    import fcntl
    import os
    import struct
    import termios

    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 20, 0, 0))
    with os.fdopen(theirs, "w") as terminal:
        assert columns(terminal) == 20
        rewrite("waiting for another process", terminal)
        assert os.read(ours, 100).decode() == "\r\x1b[Kwaiting for anothe…"
    os.close(ours)
    assert columns(io.StringIO()) > 1000
