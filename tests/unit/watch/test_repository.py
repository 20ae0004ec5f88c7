"""How long the watch waits for git."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gnomon.values import Folder
from gnomon.watch.repository import wait_for_git


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A folder inside a work tree."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "docs").mkdir()
    return Folder("docs", tmp_path / "docs")


def _waited(folder: Folder, after: Callable[[float], object] = lambda _: None) -> float:
    """Seconds waited in all; ``after`` is called with them at each step."""
    seconds = 0.0

    def wait(step: float) -> bool:
        nonlocal seconds
        seconds += step
        after(seconds)
        return False

    wait_for_git([folder], wait)
    return seconds


def test_nothing_under_way_is_not_waited_for(folder: Folder, tmp_path: Path) -> None:
    """Nor a folder that git knows nothing of."""
    assert _waited(folder) == 0
    assert _waited(Folder("plain", tmp_path.parent)) == 0


@pytest.mark.parametrize("name", ["index.lock", "rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD"])
def test_what_is_under_way_is_waited_for(folder: Folder, tmp_path: Path, name: str) -> None:
    """Until it is done."""
    mark = tmp_path / ".git" / name
    mark.touch()
    assert _waited(folder, lambda seconds: mark.unlink(missing_ok=True) if seconds >= 3 else None) == 3


def test_rebase_goes_on_from_lock_to_lock(folder: Folder, tmp_path: Path) -> None:
    """A lock that comes after the operation is waited for too."""
    operation, lock = tmp_path / ".git" / "rebase-merge", tmp_path / ".git" / "index.lock"
    operation.mkdir()

    def go_on(seconds: float) -> None:
        if seconds == 2:
            lock.touch()
            operation.rmdir()
        elif seconds == 4:
            lock.unlink()

    assert _waited(folder, go_on) == 4


@pytest.mark.parametrize(("name", "seconds"), [("index.lock", 20), ("MERGE_HEAD", 60)])
def test_patience_ends(folder: Folder, tmp_path: Path, name: str, seconds: int) -> None:
    """Git crashed, or waits for a person."""
    (tmp_path / ".git" / name).touch()
    assert _waited(folder) == seconds


def test_waiting_is_given_up_at_once(folder: Folder, tmp_path: Path) -> None:
    """When the program ends."""
    (tmp_path / ".git" / "index.lock").touch()
    asked: list[float] = []

    def wait(step: float) -> bool:
        asked.append(step)
        return True

    wait_for_git([folder], wait)
    assert len(asked) == 1
