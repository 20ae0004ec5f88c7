"""Paths as a shell means them: relative to the working directory, else to one of the folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from gnomon.config import working_dir
from gnomon.errors import ConfinementError
from gnomon.values import Folder


def typed_path(folders: Sequence[Folder], text: str) -> str:
    """What was typed, as an absolute path unless it is only meant relative to one of the folders.

    Whether it may be read is decided later, by ``confine``, from where it leads. A path that is not there counts
    only if ``..`` or ``~`` says that it cannot be meant relative to a folder.

    Args:
        folders: Those that are searched.
        text: As typed; ``~`` was left by the shell only within quotes, and is understood.
    """
    if not text.strip() or "\0" in text:
        return text
    # Not by Path, which raises for a user that nobody is.
    path = Path(os.path.normpath(working_dir() / os.path.expanduser(text)))  # noqa: PTH111
    leaves = text.startswith("~") or ".." in Path(text).parts
    if not leaves and not os.path.lexists(path):
        return text
    return text if not _is_there(folders, str(path)) and _is_there(folders, text) else str(path)


def _is_there(folders: Sequence[Folder], text: str) -> bool:
    """Whether a path leads to something in one of the folders."""
    from gnomon.discover import confine

    try:
        folder, path = confine(folders, text)
    except ConfinementError:
        return False
    return os.path.lexists(folder.root / path)
