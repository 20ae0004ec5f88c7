"""What a run says of itself while it is at work and when it has ended."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gnomon.errors import Interrupted, StoreError
from gnomon.index import activity
from gnomon.index.activity import Activity, read_activity, recording
from gnomon.index.events import Embedded, Event, FileIndexed, FilesFound, FolderStarted
from gnomon.index.lock import writer_lock
from gnomon.values import Folder


def _shown(index_dir: Path, *events: Event) -> str:
    """What another process is told at the last of these events of a run at work."""
    with writer_lock(index_dir), recording(index_dir, lambda _: None) as recorder:
        for event in events:
            recorder(event)
        recorder.write()
        found = read_activity(index_dir)
        assert found
        assert not found.outcome
        return found.line()


def test_nothing_is_known_before_the_first_run(tmp_path: Path) -> None:
    """And nothing is made."""
    assert read_activity(tmp_path / "index") is None
    assert not (tmp_path / "index").exists()


def test_progress_is_seen_by_others(tmp_path: Path) -> None:
    """Files first, then passages."""
    begun = FolderStarted(Folder("docs", tmp_path), 1, 1)
    found = FilesFound(3, 10)
    assert _shown(tmp_path, begun) == "looking for files"
    assert _shown(tmp_path, begun, found, FileIndexed("a", 1)) == "words: 1 of 3 files"
    assert _shown(tmp_path, begun, found, Embedded(5, 9)) == "meaning: 5 of 9 passages"


def test_turn_of_a_run_is_told_at_once(tmp_path: Path) -> None:
    """However soon after what came before: a slow model may keep everybody waiting for the next event."""
    told = []
    with writer_lock(tmp_path), recording(tmp_path, lambda _: None) as recorder:
        for event in (FilesFound(2, 10), FileIndexed("a", 1), FileIndexed("b", 1), Embedded(1, 9)):
            recorder(event)
            found = read_activity(tmp_path)
            assert found
            told.append(found.line())
    assert (told[0], *told[2:]) == ("words: 0 of 2 files", "words: 2 of 2 files", "meaning: 1 of 9 passages")


def test_events_are_passed_on(tmp_path: Path) -> None:
    """The listener misses nothing, however often the file is written."""
    told: list[Event] = []
    with recording(tmp_path, told.append) as recorder:
        for number in range(100):
            recorder(Embedded(number, 100))
    assert len(told) == 100


@pytest.mark.parametrize(
    ("error", "outcome"), [(None, "done"), (Interrupted("x"), "interrupted"), (StoreError("no space"), "failed")]
)
def test_end_of_a_run_is_recorded(tmp_path: Path, error: Exception | None, outcome: str) -> None:
    """With the reason where it failed."""
    try:
        with writer_lock(tmp_path), recording(tmp_path, lambda _: None):
            if error:
                raise error
    except (Interrupted, StoreError):
        pass
    found = read_activity(tmp_path)
    assert found
    assert found.outcome == outcome
    assert found.message == ("no space" if outcome == "failed" else "")


def test_run_that_ended_without_a_word_was_killed(tmp_path: Path) -> None:
    """Its lock died with it."""
    (tmp_path / activity._FILE).write_text(json.dumps({"pid": 1, "phase": "words"}), encoding="utf-8")
    found = read_activity(tmp_path)
    assert found == Activity(1, "words", outcome="killed")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": 1, "new": 2}', "\x00"])
def test_torn_file_is_no_error(tmp_path: Path, content: str) -> None:
    """A courtesy may be missing."""
    (tmp_path / activity._FILE).write_text(content, encoding="utf-8")
    assert read_activity(tmp_path) is None
    with writer_lock(tmp_path):
        assert read_activity(tmp_path) is not None


def test_other_writer_is_not_taken_for_the_last_run(tmp_path: Path) -> None:
    """One that forgets a folder or tidies has no phase; what the last run came to is not its progress."""
    with writer_lock(tmp_path), recording(tmp_path, lambda _: None) as recorder:
        recorder(Embedded(9, 9))
    with writer_lock(tmp_path):
        found = read_activity(tmp_path)
        assert found == Activity(os.getpid(), phase="")
        assert found.line() == "writing"


def test_disk_that_takes_nothing_does_not_end_the_run(tmp_path: Path) -> None:
    """The words matter more than the news of them."""
    with recording(tmp_path / "no such folder", lambda _: None) as recorder:
        recorder(Embedded(1, 2))


def test_disk_that_takes_nothing_is_left_without_scraps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was begun is no use to anybody."""

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with recording(tmp_path, lambda _: None):
        pass
    assert list(tmp_path.iterdir()) == []
