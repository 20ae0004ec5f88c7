"""The one answer to "is this path ours?": what a person or an agent typed, to a folder and a path in it."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from gnomon.errors import ConfinementError, OutsideError, UsageError
from gnomon.values import Folder, display_path

_MAX_PATH_CHARS = 4096  # of a path on any system in use
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")  # two letters at least: C: is a drive
_MAX_SHOWN_CHARS = 200
# What ends a line, steers a terminal or turns the order of what follows it.
_NOT_ON_A_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_SHORT = {"\n": r"\n", "\t": r"\t"}


def on_a_line(path: str) -> str:
    r"""A path as it is shown within a line of text; ``confine`` finds the file by it.

    >>> on_a_line("new\nline.md"), on_a_line("caf\udce9.md")
    ('new\\nline.md', 'caf\\xe9.md')
    """
    return _NOT_ON_A_LINE.sub(_escaped, display_path(path))


def _escaped(match: re.Match[str]) -> str:
    code = ord(match.group())
    return _SHORT.get(match.group()) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def confine(folders: Sequence[Folder], path_text: str) -> tuple[Folder, str]:
    r"""Find the folder that a path lies in.

    Accepted are an absolute path, a path relative to any of the folders, and ``name/path`` with a folder's name.
    Undecodable names and those with line ends may be given as they are shown (``caf\xe9.md``, ``new\nline.md``), and
    composed or decomposed letters for each other, where no file has the very name. The last part need not exist; what
    is there may be a link, which stays a link (``read`` does not follow it).

    Args:
        folders: Those that are searched; roots are real paths.
        path_text: As typed.

    Returns:
        The folder (the innermost, where one lies in another) and the path in it, with ``/`` between parts; "" for
        the folder itself.

    Raises:
        ConfinementError: Outside every folder, directly or through ``..`` or a link; or no path of this file system.
        UsageError: In more than one folder.
    """
    _refuse_odd(path_text)
    if Path(path_text).is_absolute():
        return _confine_absolute(folders, path_text)
    candidates = _candidates(folders, path_text)
    present = [(f, found) for f, p in candidates if (found := find_on_disk(f.root, p)) is not None]
    if len({(f.root, p) for f, p in present}) > 1:
        names = ", ".join(f"{f.name}/{display_path(p)}" for f, p in present)
        raise UsageError(f"{_shown(path_text)} is in several folders; say which: {names}")
    if not present and len({f.root for f, _ in candidates}) > 1:
        named = [c for c in candidates if path_text.startswith(f"{c[0].name}/")]
        if not named:
            raise OutsideError("no such file in any folder", _shown(path_text))
        candidates = named
    if not candidates:
        raise _outside(path_text)
    folder, path = (present or candidates)[0]
    return _checked(folder, path, path_text)


def _refuse_odd(path_text: str) -> None:
    if not path_text.strip():
        raise ConfinementError("no path given")
    if "\0" in path_text:
        raise ConfinementError("a path cannot hold a NUL character")
    if len(path_text) > _MAX_PATH_CHARS:
        raise ConfinementError(f"no path has {len(path_text):,} characters")
    if _SCHEME.match(path_text):
        raise ConfinementError(f"addresses are not read, only paths in the folders: {_shown(path_text)}")
    if path_text.startswith(("\\\\", "//")):
        raise ConfinementError(f"network paths are not read: {_shown(path_text)}")
    try:
        os.fsencode(path_text)
    except UnicodeEncodeError as e:
        raise ConfinementError(f"no path of this system: {_shown(path_text)}") from e


def _confine_absolute(folders: Sequence[Folder], path_text: str) -> tuple[Folder, str]:
    normal = Path(os.path.normpath(path_text))
    # As typed, or by way of a link to the folder (/tmp on macOS is one).
    for spelling in (normal, Path(os.path.realpath(normal.parent)) / normal.name):
        holding = [f for f in folders if spelling.is_relative_to(f.root)]
        if holding:
            folder = max(holding, key=lambda f: len(f.root.parts))
            path = spelling.relative_to(folder.root).as_posix()
            return _checked(folder, "" if path == "." else path, path_text)
    for folder in folders:  # the root as it is shown
        if normal.is_relative_to(on_a_line(str(folder.root))):
            path = normal.relative_to(on_a_line(str(folder.root))).as_posix()
            return _checked(folder, "" if path == "." else path, path_text)
    raise _outside(path_text)


def _candidates(folders: Sequence[Folder], path_text: str) -> list[tuple[Folder, str]]:
    """Every reading of a relative path that stays inside its folder."""
    readings = []
    for folder in folders:
        if path_text.rstrip("/") == folder.name:
            readings.append((folder, "."))
        elif path_text.startswith(f"{folder.name}/"):
            readings.append((folder, path_text[len(folder.name) + 1 :]))
        readings.append((folder, path_text))
    normal = [(folder, os.path.normpath(path).replace(os.sep, "/")) for folder, path in readings]
    return [(f, "" if p == "." else p) for f, p in normal if p != ".." and not p.startswith(("../", "/"))]


def _checked(folder: Folder, path: str, path_text: str) -> tuple[Folder, str]:
    """The path as the disk spells it, refused where it leads out of the folder."""
    path = find_on_disk(folder.root, path) or path
    real = Path(os.path.realpath(folder.root / path))
    if not real.is_relative_to(os.path.realpath(folder.root)):
        raise OutsideError(f"a link leads out of the folder {folder.root}", _shown(path_text))
    return folder, path


def find_on_disk(root: Path, path: str) -> str | None:
    """The path as it is on disk: itself, or the one entry per part that is shown or composed alike; else None."""
    if not path or os.path.lexists(root / path):
        return path
    found = ""
    for part in path.split("/"):
        above = root / found
        if os.path.lexists(above / part):
            name = part
        else:
            alike = [entry for entry in _entries(above) if _same_name(entry, part)]
            if len(alike) != 1:
                return None
            name = alike[0]
        found = f"{found}/{name}" if found else name
    return found


def _entries(place: Path) -> list[str]:
    try:
        return [] if place.is_symlink() else [entry.name for entry in os.scandir(place)]
    except OSError:
        return []


def _same_name(entry: str, typed: str) -> bool:
    shown = typed in (display_path(entry), on_a_line(entry))
    return shown or unicodedata.normalize("NFC", typed) == unicodedata.normalize("NFC", entry)


def _outside(path_text: str) -> OutsideError:
    return OutsideError("outside the folders", _shown(path_text))


def _shown(path_text: str) -> str:
    text = path_text if len(path_text) <= _MAX_SHOWN_CHARS else path_text[:_MAX_SHOWN_CHARS] + "…"
    return text.encode("utf-8", "backslashreplace").decode()
