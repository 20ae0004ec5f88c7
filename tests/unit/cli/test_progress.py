"""What an index run shows while it works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gnomon.cli.progress import IndexProgress, _pace
from gnomon.index.events import Embedded, FileIndexed, FilesFound, FolderStarted, Waiting
from gnomon.values import Folder

_EVENTS = (
    FolderStarted(Folder("f", Path("/f")), 1, 1),
    FilesFound(2, 0),
    FileIndexed("a.md", 1),
    Waiting(7, "3 of 9"),
    Embedded(1, 2),
    Embedded(2, 2),
)


@pytest.mark.parametrize("term", ["dumb", "xterm"])
def test_dumb_terminal_gets_plain_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], term: str
) -> None:
    """No bar, no escape, no line that is written anew: it would show them all as signs."""
    monkeypatch.setenv("TERM", term)
    progress = IndexProgress(terminal=True)
    for event in _EVENTS:
        progress(event)
    progress.finish()
    out = capsys.readouterr().out
    assert any(sign in out for sign in "\r\x1b█") == (term != "dumb")
    assert "f /f\n" in out


def test_first_bar_tells_no_time(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The model was being loaded until now; what that took says nothing of the rest."""
    monkeypatch.setenv("TERM", "xterm")
    now = [100.0]
    monkeypatch.setattr("gnomon.cli.progress.time.monotonic", lambda: now[0])
    progress = IndexProgress(terminal=True)
    progress(_EVENTS[0])
    now[0] += 60
    progress(Embedded(10, 110))
    assert "left" not in capsys.readouterr().out
    now[0] += 5
    progress(Embedded(60, 110))
    assert "60/110 passages, 10/s, 0:05 left" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("done", "left", "seconds", "told"),
    [(0, 9, 30.0, False), (40, 60, 1.9, False), (4, 96, 3.0, False), (4, 96, 20.0, True), (5, 95, 3.0, True)],
)
def test_remaining_time_waits_for_something_to_tell_it_from(
    done: int,
    left: int,
    seconds: float,
    told: bool,  # noqa: FBT001
) -> None:
    """Some seconds and some share."""
    assert ("left" in _pace(done, left, seconds)) == told


def test_waiting_is_told_when_it_changes_and_at_most_twice_a_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a pipe each word is a line that stays; that nothing is lost by giving up is said once."""
    now = [100.0]
    monkeypatch.setattr("gnomon.cli.progress.time.monotonic", lambda: now[0])
    progress = IndexProgress(terminal=False)
    for second in range(120):
        now[0] = 100.0 + second
        progress(Waiting(7, f"meaning: {min(second, 70)} of 900 passages"))
    lines = capsys.readouterr().err.splitlines()
    assert [re.findall(r"\d+ of", line) for line in lines] == [["0 of"], ["30 of"], ["60 of"], ["70 of"]]
    assert [line.endswith("; Ctrl-C is safe and loses nothing") for line in lines] == [True, False, False, False]


def test_waiting_that_goes_nowhere_is_told_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other process looks for files, or says nothing of itself."""
    now = [100.0]
    monkeypatch.setattr("gnomon.cli.progress.time.monotonic", lambda: now[0])
    progress = IndexProgress(terminal=False)
    for second in range(0, 600, 10):
        now[0] = 100.0 + second
        progress(Waiting(7))
    assert len(capsys.readouterr().err.splitlines()) == 1
