"""Whether git is in the middle of something: reading files halfway would index a state that nobody asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from gnomon.discover.git import git_directory, work_tree_above
from gnomon.values import Folder

_LOCK = "index.lock"
# A rebase, merge, cherry-pick or bisect under way.
_OPERATIONS = ("rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD")

_POLL_SECONDS = 0.25
_LOCK_PATIENCE_SECONDS = 20.0  # a lock that is older was left by a git that crashed
# One that takes longer waits for a person, who wants to find what is in the files meanwhile.
_OPERATION_PATIENCE_SECONDS = 60.0


def wait_for_git(folders: Sequence[Folder], wait: Callable[[float], bool]) -> None:
    """Wait until git has written what it is writing in these folders.

    Args:
        folders: Those that changed.
        wait: Waits so many seconds and returns whether to give up.
    """
    directories = [found for folder in folders if (found := _directory(folder)) is not None]
    waited = 0.0
    while waited < _patience(directories):
        if wait(_POLL_SECONDS):
            return
        waited += _POLL_SECONDS


def _patience(directories: Sequence[Path]) -> float:
    """Seconds that what is under way in these git directories is worth; 0 where nothing is."""
    if any((directory / name).exists() for directory in directories for name in _OPERATIONS):
        return _OPERATION_PATIENCE_SECONDS
    return _LOCK_PATIENCE_SECONDS if any((directory / _LOCK).exists() for directory in directories) else 0.0


def _directory(folder: Folder) -> Path | None:
    top = work_tree_above(folder.root)
    return git_directory(top) if top else None
