"""What git must not see of a project's set-up: the index, which holds plain text, and what one machine writes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from gnomon.project.changes import FileChange, read_text

_HEADER = "# gnomon: made anew on each machine"
_SPECIAL = re.compile(r"([\\*?\[])")


def plan_ignored(file: Path, paths: Sequence[str]) -> FileChange:
    """A ``.gitignore`` with these paths in it, each once.

    Args:
        file: The ``.gitignore``.
        paths: Relative to its folder, ``/`` between parts and at the end of folders; globs are meant as such.

    Raises:
        ConfigError: The file cannot be read.
    """
    before = read_text(file)
    text = before or ""
    present = {line.strip().strip("/") for line in text.splitlines()}
    missing = [path for path in paths if path.strip("/") not in present]
    if not missing:
        return FileChange(file, before, text)
    newline = "\r\n" if "\r\n" in text else "\n"
    if text and not text.endswith("\n"):
        text += newline
    lines = [f"/{path}" for path in missing]
    if _HEADER not in text:
        lines = [*([""] if text else []), _HEADER, *lines]
    return FileChange(file, before, text + "".join(line + newline for line in lines))


def literal(path: str) -> str:
    """A path that git takes by its letters."""
    return _SPECIAL.sub(r"\\\1", path)
