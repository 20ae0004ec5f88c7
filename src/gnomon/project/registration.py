"""Put the server into an agent's settings file, or take it out: a plan, with all else in the file as it was."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gnomon.errors import ConfigError, UsageError
from gnomon.project.agents import Syntax
from gnomon.project.changes import FileChange, editing, read_text
from gnomon.project.json_edit import ShapeError, remove_value, set_value
from gnomon.project.jsonc import parse
from gnomon.project.server import Command, is_ours


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """Where an entry goes.

    Attributes:
        path: The file, existing or not.
        syntax: Its syntax.
        keys: Objects on the way to the servers, outermost first.
    """

    path: Path
    syntax: Syntax
    keys: tuple[str, ...]


def plan_registration(place: SettingsFile, name: str, command: Command, extra: Mapping[str, Any]) -> FileChange:
    """Register the server under a name; an entry of ours keeps what else it holds (environment, timeouts).

    Raises:
        ConfigError: The file cannot be read or has a broken syntax; line and column are named.
        UsageError: Another program's server has that name.
    """
    before = read_text(place.path)
    text = before or ""
    with editing(place.path):
        existing = _entry(place, text, name)
        entry = {**extra, "command": command.program, "args": list(command.arguments)}
        if existing is None:
            after = _set(place, text, (name,), entry)
        elif is_ours(existing):
            after = text
            for key, value in entry.items():
                after = _set(place, after, (name, key), value)
        else:
            raise UsageError(f'{place.path} has another server named "{name}"; choose one with --name')
    return FileChange(place.path, before, after)


def plan_removal(place: SettingsFile, name: str) -> FileChange:
    """Take the server's entry out; nothing to do where it is not there.

    A file that says nothing without it goes, unless a link leads to it: such a file is somebody's.

    Raises:
        ConfigError: The file cannot be read or has a broken syntax; line and column are named.
        UsageError: Another program's server has that name.
    """
    before = read_text(place.path)
    text = before or ""
    with editing(place.path):
        existing = _entry(place, text, name)
        if existing is not None and not is_ours(existing):
            raise UsageError(f'the server "{name}" in {place.path} is another program\'s; nothing was written')
        if existing is None:
            return FileChange(place.path, before, before or "")
        after = _remove(place, text, name)
    is_needless = _says_nothing(place, after) and not place.path.is_symlink()
    return FileChange(place.path, before, None if is_needless else after)


def _says_nothing(place: SettingsFile, text: str) -> bool:
    """Whether a settings file holds no more than empty objects on the way to the servers, and no comment."""
    keys = place.keys if place.syntax != "toml" else ()
    return "".join(text.split()) in {_nest(keys[:depth]) for depth in range(len(keys) + 1)} | {""}


def _nest(keys: Sequence[str]) -> str:
    """Empty objects in each other, without blanks."""
    text = "{}"
    for key in reversed(keys):
        text = f'{{"{key}":{text}}}'
    return text


def our_names(place: SettingsFile) -> list[str]:
    """Names under which a settings file starts this program.

    Raises:
        ConfigError: The file cannot be read or has a broken syntax; line and column are named.
    """
    with editing(place.path):
        servers = _servers(place, read_text(place.path) or "")
    return [name for name, entry in servers.items() if is_ours(entry)]


def _entry(place: SettingsFile, text: str, name: str) -> object | None:
    servers = _servers(place, text)
    if name in servers and servers[name] is None:
        raise ShapeError(f"{'.'.join((*place.keys, name))} is not an object")
    return servers.get(name)


def _servers(place: SettingsFile, text: str) -> Mapping[str, Any]:
    if place.syntax == "toml":
        plain: Any = _read_toml(place.path, text)
    else:
        root = parse(text, comments=place.syntax == "jsonc")
        plain = {} if root is None else root.plain()
    reached: list[str] = []
    for key in place.keys:
        plain = _object(plain, reached).get(key, {})
        reached.append(key)
    return _object(plain, reached)


def _object(plain: Any, path: Sequence[str]) -> Mapping[str, Any]:
    if not isinstance(plain, dict):
        raise ShapeError(f"{'.'.join(path) or 'the document'} is not an object")
    return plain


def _set(place: SettingsFile, text: str, steps: tuple[str, ...], value: Any) -> str:
    path = (*place.keys, *steps)
    if place.syntax != "toml":
        return set_value(text, path, value, comments=place.syntax == "jsonc")
    from gnomon.project.toml_edit import set_toml_value

    return set_toml_value(text, path, value)


def _remove(place: SettingsFile, text: str, name: str) -> str:
    path = (*place.keys, name)
    if place.syntax != "toml":
        return remove_value(text, path, comments=place.syntax == "jsonc")
    from gnomon.project.toml_edit import remove_toml_table

    return remove_toml_table(text, path)


def _read_toml(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as e:
        raise ConfigError(f"{path}: {e}; mend it or move it away, nothing was written") from e
