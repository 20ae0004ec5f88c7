"""Change one table inside a TOML text and leave the rest as it is.

New tables go to the end and removed ones are cut out as lines, because a comment in front of the next table belongs to
that table for the people who wrote it, but to the one before for a parser. Unusual spellings (inline or dotted tables)
go through tomlkit. Each result is read back and compared with what was meant.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from gnomon.project.json_edit import ShapeError

_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # TOML knows no other line ends
_HEADER = re.compile(r"[ \t]*\[")
_REMARK = re.compile(r"[ \t]*(#.*)?\r?\n?")


class TomlEditError(ShapeError):
    """The text is written in a way that cannot be edited without risk."""


def set_toml_value(text: str, path: Sequence[str], value: Any) -> str:
    """Set the value at a path; a table (dict) that is new is added at the end.

    Args:
        text: Valid TOML.
        path: Keys, outermost first.
        value: A dict of strings and lists of strings, or one such value.

    Raises:
        TomlEditError: The result would not be what was meant.
    """
    plain = _read(text)
    meant = _with(plain, path, value)
    if plain == meant:
        return text
    if isinstance(value, dict):
        with suppress(TomlEditError):
            return _verified(_appended(text, path, value), meant)
    return _verified(_with_tomlkit(text, path, value), meant)


def remove_toml_table(text: str, path: Sequence[str]) -> str:
    """Remove the table at a path with the tables inside it; comments around it stay.

    Raises:
        TomlEditError: The result would not be what was meant.
    """
    meant = _without(_read(text), path)
    # The table above may go with its only child: a header that stood for both stands for neither.
    pruned = meant if meant[path[0]] else _without(meant, path[:1])
    with suppress(TomlEditError):
        return _verified(_cut_lines(text, path), meant, pruned)
    return _verified(_cut_with_tomlkit(text, path), meant, pruned)


def _appended(text: str, path: Sequence[str], table: dict[str, Any]) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    written = tomlkit.dumps({"x": table}).split("\n", 1)[1].rstrip("\n")
    lines = [f"[{'.'.join(tomlkit.key(key).as_string() for key in path)}]", *written.split("\n")]
    if text.removeprefix("\ufeff").strip():
        text = text if text.endswith("\n") else text + newline
        text = text if text.endswith(newline * 2) else text + newline
    return text + newline.join(lines) + newline


def _cut_lines(text: str, path: Sequence[str]) -> str:
    """Drop the lines from each header of the table to the next header, but not the remarks before that one."""
    kept: list[str] = []
    body: list[str] = []
    inside = False
    for line in _LINE.findall(text):
        if _HEADER.match(line):
            kept += _closing_remarks(body) if inside else []
            inside, body = _names_table(line, path), []
        (body if inside else kept).append(line)
    kept += _closing_remarks(body) if inside else []
    return _without_double_gap("".join(kept))


def _closing_remarks(lines: list[str]) -> list[str]:
    """The blank lines and comments at the end, except a blank line that was the table's own gap."""
    count = 0
    while count < len(lines) and _REMARK.fullmatch(lines[-1 - count]):
        count += 1
    remarks = lines[len(lines) - count :]
    return remarks if any(remark.strip() for remark in remarks) else remarks[1:]


def _without_double_gap(text: str) -> str:
    return re.sub(r"(\r?\n)(\r?\n)+\Z", r"\1", text)


def _names_table(header: str, path: Sequence[str]) -> bool:
    try:
        found: Any = tomllib.loads(header)
    except tomllib.TOMLDecodeError:
        return False
    for key in path:
        if not isinstance(found, dict) or key not in found:
            return False
        found = found[key]
    return True


def _with_tomlkit(text: str, path: Sequence[str], value: Any) -> str:
    try:
        document = tomlkit.parse(text)
        table: Any = document
        for key in path[:-1]:
            table = table.setdefault(key, tomlkit.table(is_super_table=True))
        table[path[-1]] = value
        return tomlkit.dumps(document)
    except (TOMLKitError, TypeError, AttributeError) as e:
        raise TomlEditError(str(e)) from e


def _cut_with_tomlkit(text: str, path: Sequence[str]) -> str:
    try:
        document = tomlkit.parse(text)
        table: Any = document
        for key in path[:-1]:
            table = table[key]
        del table[path[-1]]
        return tomlkit.dumps(document)
    except (TOMLKitError, TypeError, AttributeError) as e:
        raise TomlEditError(str(e)) from e


def _verified(text: str, *meant: dict[str, Any]) -> str:
    try:
        found = _read(text)
    except tomllib.TOMLDecodeError as e:
        raise TomlEditError(str(e)) from e
    if found in meant:
        return text
    raise TomlEditError("this way of writing it cannot be edited without risk; edit it by hand")


def _read(text: str) -> dict[str, Any]:
    return tomllib.loads(text.removeprefix("\ufeff"))


def _with(plain: Any, path: Sequence[str], value: Any) -> dict[str, Any]:
    if not isinstance(plain, dict):
        raise TomlEditError(f"what should hold {'.'.join(path)} is not a table")
    head, *rest = path
    return {**plain, head: _with(plain.get(head, {}), rest, value) if rest else value}


def _without(plain: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    head, *rest = path
    if rest:
        return {**plain, head: _without(plain[head], rest)}
    return {key: value for key, value in plain.items() if key != head}
