"""The settings file of a project as ``init`` and ``scaffold`` write it: new with defaults, later only what is asked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from gnomon.config.keys import KEYS
from gnomon.config.paths import real
from gnomon.config.settings_file import read_raw
from gnomon.errors import UsageError
from gnomon.project.changes import FileChange, editing, read_text
from gnomon.project.json_edit import set_value
from gnomon.project.server import default_server_name, server_name


def plan_settings(file: Path, root: Path, given: Mapping[str, Any]) -> FileChange:
    """A project's settings with what the user asked for.

    Args:
        file: Where they are, or will be.
        root: The project.
        given: Keys of the settings file and their new values; an existing file keeps everything else as it is.

    Raises:
        ConfigError: The file exists and cannot be read as settings; line and column are named.
        UsageError: A value makes no sense.
    """
    check_settings(file, root, given)
    before = read_text(file)
    read_raw(file)  # says so in the same words as every command where the file is no object
    settings = dict(given) if before and before.strip() else {**new_settings(file, root), **given}
    after = before or ""
    with editing(file):
        for key, value in settings.items():
            after = set_value(after, [key], value, comments=False)
    return FileChange(file, before, after)


def new_settings(file: Path, root: Path) -> dict[str, Any]:
    """Settings of a project nobody has said anything about yet."""
    return {
        "vaultPath": relative_vault(file, root),
        "include": [],
        "serverName": default_server_name(root),
        "toolDescription": f"Documents and code of the project {root.name}.",
    }


def relative_vault(file: Path, folder: Path) -> str:
    """A folder as ``vaultPath`` has it: relative to the settings file, so that it means the same on each machine."""
    return Path(os.path.relpath(folder, real(file.parent))).as_posix()


def split_list(text: str) -> tuple[str, ...]:
    """The parts of "a, b".

    >>> split_list("docs, adr/*.md,")
    ('docs', 'adr/*.md')
    """
    return tuple(part.strip() for part in text.split(",") if part.strip())


def check_settings(file: Path, root: Path, given: Mapping[str, Any]) -> None:
    """Let values pass that a project's settings can have.

    Raises:
        UsageError: One of them makes no sense.
    """
    for key, value in given.items():
        try:
            KEYS[key].check(value)
        except ValueError as e:
            raise UsageError(f"{key} must be {e}") from e
    if "serverName" in given:
        server_name(given["serverName"])
    for pattern in given.get("include", ()):
        if PurePosixPath(pattern).is_absolute() or ".." in PurePosixPath(pattern).parts:
            raise UsageError(f"include takes folders or globs inside the project, not {pattern!r}")
    vault = real(file.parent / given.get("vaultPath", ""))
    if "vaultPath" in given and not vault.is_relative_to(root):
        raise UsageError(f"the documents must lie inside the project {root}, not in {vault}")
    if "vaultPath" in given and not vault.is_dir():
        raise UsageError(f"no such folder: {vault}")
