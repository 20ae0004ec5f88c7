"""Globs of paths as people type them, to globs that say which folder they are of."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from gnomon.values import Folder

_WILD = frozenset("*?[{")


def placed_glob(folders: Sequence[Folder], glob: str, *, here: Path | None = None) -> str:
    """A glob that ``matches_in`` understands.

    What fits a folder as it stands keeps its meaning. Else it may be an absolute path, one from the working
    directory, or ``name/path`` with a folder's name; then it comes back with the folder's root before it.

    Args:
        folders: Those that are searched; roots are real paths.
        glob: As typed.
        here: Working directory of who typed it; None where that says nothing.
    """
    text = os.path.expanduser(glob) if here else glob  # noqa: PTH111 - Path would drop a slash at the end
    steps = ".." in text.split("/") or text.startswith("~")
    if ("/" not in text.rstrip("/") and not steps) or not _can_be_a_path(text):
        return text
    readings = [text] if Path(text).is_absolute() else []
    if not readings and not steps and any(_is_there(f"{folder.root}/{text}") for folder in folders):
        return text
    if here and not readings:
        readings.append(f"{here}/{text}")
    readings += [f"{f.root}/{text.removeprefix(f'{f.name}/')}" for f in folders if text.startswith(f"{f.name}/")]
    placed = (_in_a_folder(folders, reading) for reading in readings)
    return next((each for each in placed if each), text)


def _can_be_a_path(text: str) -> bool:
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _in_a_folder(folders: Sequence[Folder], absolute: str) -> str:
    """The glob with the root of its folder before it, "" where its fixed part leads into none or to nothing."""
    fixed, rest = _split(os.path.normpath(absolute) + ("/" if absolute.endswith("/") else ""))
    real = os.path.realpath(fixed)
    if not os.path.lexists(real) or not any(Path(real).is_relative_to(folder.root) for folder in folders):
        return ""
    return f"{real}/{rest}" if rest else real


def _is_there(absolute: str) -> bool:
    return os.path.lexists(_split(absolute)[0])


def _split(glob: str) -> tuple[str, str]:
    """The parts before the first with a wildcard, and the rest; a path that is there has no wildcards."""
    if os.path.lexists(glob):
        return glob, ""
    parts = glob.split("/")
    wild = next((at for at, part in enumerate(parts) if _WILD & set(part)), len(parts))
    return "/".join(parts[:wild]), "/".join(parts[wild:])
