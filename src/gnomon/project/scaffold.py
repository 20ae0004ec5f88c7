"""Set up a project for its agents: settings, registration, ``.gitignore`` and, when asked, the hook. A plan only."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gnomon.config import PROJECT_CONFIG, index_place
from gnomon.config.paths import real
from gnomon.errors import UsageError
from gnomon.project.agents import AGENTS, Machine, user_file
from gnomon.project.changes import FileChange, confined, editing, read_text
from gnomon.project.ignored import literal, plan_ignored
from gnomon.project.json_edit import ShapeError, append_item, remove_value, set_value
from gnomon.project.jsonc import parse
from gnomon.project.registration import SettingsFile, our_names, plan_registration
from gnomon.project.server import PORTABLE, Command, default_server_name, server_name, this_installation
from gnomon.project.settings import plan_settings

MCP_FILE = ".mcp.json"
HOOK_FILE = ".claude/settings.local.json"
HOOK_TOOLS = "Write|Edit|MultiEdit"
_HOOK_SECONDS = 10  # Claude Code waits this long at most; the hook itself takes a tenth of a second
_HOOK_FILES = "hook.*"  # beside the settings
_OUR_HOOK = re.compile(r"""(\b(gnomon|docs-rag)(\.exe)?['"]?|-m gnomon) hook\b""")


@dataclass(frozen=True, slots=True)
class ScaffoldOptions:
    """What the user asked for.

    Attributes:
        settings: Keys of the settings file and their new values.
        config: Where the settings are, relative to the project.
        hook: Whether Claude Code re-indexes after its edits.
        local: Whether the registration is for this user on this machine, instead of a file to commit.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    config: Path = PROJECT_CONFIG
    hook: bool = False
    local: bool = False


def plan_scaffold(root: Path, options: ScaffoldOptions, machine: Machine) -> list[FileChange]:
    """What has to be written; nothing is.

    Args:
        root: Absolute real path of the project.
        options: See ``ScaffoldOptions``.
        machine: Where the user's own files are.

    Raises:
        ConfigError: A file that has to be merged is broken; the text names line and column.
        ConfinementError: A place leads out of the project through a link.
        UsageError: A value makes no sense, or another program's server has the name.
    """
    file = confined(root, options.config)
    settings = plan_settings(file, root, options.settings)
    values = _plain(settings)
    command = this_installation() if options.local else PORTABLE
    # Relative, so that it means the same on each machine; the program looks for it from the project upwards.
    config = str(file) if options.local else options.config.as_posix()
    plan = [settings, _plan_server(root, values, command, config, machine if options.local else None)]
    if options.hook:
        plan.append(plan_hook(confined(root, HOOK_FILE), command, config))
    return [*plan, plan_git_ignore(root, settings, [HOOK_FILE] if options.hook else [])]


def plan_git_ignore(root: Path, settings: FileChange, others: Sequence[str] = ()) -> FileChange:
    """The project's ``.gitignore`` with the index in it, which holds the plain text of what was indexed.

    Args:
        root: The project.
        settings: Its settings as they will be.
        others: What else is not for others' eyes, relative to the project.

    Raises:
        ConfigError: The file cannot be read.
        ConfinementError: It leads out of the project through a link.
    """
    paths = _ignored_paths(root, settings.path, _plain(settings))
    if real(settings.path.parent) == root and not others:
        # Without the hook, all it would hide is files of the project itself.
        paths = [path for path in paths if path != _HOOK_FILES]
    return plan_ignored(confined(root, ".gitignore"), [*paths, *others])


def plan_hook(file: Path, command: Command, config: str) -> FileChange:
    """Claude Code's settings with our hook in them, once; other hooks stay as they are.

    Raises:
        ConfigError: The file is broken, or its hooks are not of the shape that Claude Code reads.
    """
    import shlex

    before = read_text(file)
    line = shlex.join([command.program, *command.arguments, "hook", "--config", config])
    with editing(file):
        root = parse(before or "", comments=False)
        place = _find_hook(root.plain() if root else {})
        if place:
            after = set_value(before or "", [*place, "command"], line, comments=False)
        else:
            entry = {"type": "command", "command": line, "timeout": _HOOK_SECONDS}
            group = {"matcher": HOOK_TOOLS, "hooks": [entry]}
            after = append_item(before or "", ["hooks", "PostToolUse"], group, comments=False)
    return FileChange(file, before, after)


def _plan_server(
    root: Path, settings: Mapping[str, Any], command: Command, config: str, machine: Machine | None
) -> FileChange:
    """The registration with Claude Code: in the project's file, or among the user's own under this project's path."""
    agent = AGENTS["claude-code"]
    if machine:
        place = SettingsFile(user_file(agent, machine), agent.syntax, ("projects", str(root), agent.key))
    else:
        place = SettingsFile(confined(root, MCP_FILE), agent.syntax, (agent.key,))
    given = settings.get("serverName")
    name = server_name(given) if isinstance(given, str) and given else default_server_name(root)
    change = plan_registration(place, name, command.with_arguments("serve", "--config", config), {})
    return _without_former_names(change, place, name, config)


def _without_former_names(change: FileChange, place: SettingsFile, name: str, config: str) -> FileChange:
    """A renamed server must not stay registered under its old name too."""
    text = change.after or ""
    with editing(place.path):
        for other in our_names(place):
            path = [*place.keys, other]
            if other != name and config in _arguments(text, path):
                text = remove_value(text, path, comments=False)
    return FileChange(change.path, change.before, text)


def _arguments(text: str, path: Sequence[str]) -> list[Any]:
    root = parse(text, comments=False)
    entry = root.plain() if root else {}
    for key in path:
        entry = entry[key]
    return list(entry.get("args", []))


def _ignored_paths(root: Path, file: Path, settings: Mapping[str, Any]) -> list[str]:
    index = real(index_place(file, settings.get("indexPath") or ""))
    inside = index.is_relative_to(root) and index != root
    hook = (real(file.parent) / "hook.").relative_to(root).as_posix()
    return [*([literal(index.relative_to(root).as_posix()) + "/"] if inside else []), f"{literal(hook)}*"]


def _plain(change: FileChange) -> dict[str, Any]:
    root = parse(change.after or "", comments=False)
    plain = root.plain() if root else {}
    if not isinstance(plain.get("indexPath", ""), str):
        raise UsageError(f"{change.path}: indexPath must be a string")
    return dict(plain)


def _find_hook(settings: Any) -> list[str | int] | None:
    """Where our hook stands in Claude Code's settings."""
    groups = _member(_member(settings, "hooks", {}, "the document"), "PostToolUse", [], "hooks")
    if not isinstance(groups, list):
        raise ShapeError("hooks.PostToolUse is not an array")
    for i, group in enumerate(groups):
        hooks = _member(group, "hooks", [], f"hooks.PostToolUse.{i}")
        for j, hook in enumerate(hooks if isinstance(hooks, list) else []):
            if isinstance(hook, dict) and _OUR_HOOK.search(str(hook.get("command", ""))):
                return ["hooks", "PostToolUse", i, "hooks", j]
    return None


def _member(plain: Any, key: str, default: Any, name: str) -> Any:
    if not isinstance(plain, dict):
        raise ShapeError(f"{name} is not an object")
    return plain.get(key, default)
