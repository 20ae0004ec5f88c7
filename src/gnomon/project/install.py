"""Where and how the server is registered with an agent: for the user everywhere, or for all who work on a project."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gnomon.config import PROJECT_CONFIG
from gnomon.config.paths import real
from gnomon.config.settings_file import read_raw
from gnomon.errors import UsageError
from gnomon.project.agents import Agent, Machine, Scope, project_file, user_file
from gnomon.project.changes import FileChange, confined
from gnomon.project.registration import SettingsFile, plan_registration, plan_removal
from gnomon.project.server import DEFAULT_NAME, PORTABLE, Command, default_server_name, server_name, this_installation


@dataclass(frozen=True, slots=True)
class InstallOptions:
    """What the user asked for.

    Attributes:
        scope: "user" for all of the user's work, "project" for a file inside the project that can be committed.
        name: Name of the server; "" for the project's own, or "gnomon".
        config: Settings file the server is to use, absolute; None lets it look for one where it is started.
        uninstall: Take the registration out instead.
    """

    scope: Scope = "user"
    name: str = ""
    config: Path | None = None
    uninstall: bool = False


def plan_install(agent: Agent, root: Path, options: InstallOptions, machine: Machine) -> FileChange:
    """The change of the agent's settings file; nothing is written.

    Args:
        agent: Which.
        root: Absolute real path of the project, for the scope "project".
        options: See ``InstallOptions``.
        machine: Where the user's files are.

    Raises:
        ConfigError: The settings file is broken, or has a shape that cannot be edited.
        ConfinementError: The project's file leads out of the project through a link.
        UsageError: The agent has no such scope, the name is another server's, or the settings are outside the project.
    """
    keys = (agent.key,)
    if options.scope == "project":
        config = _project_config(root, options.config)
        place = SettingsFile(confined(root, project_file(agent)), agent.syntax, keys)
        name = server_name(options.name or _name_in(root, config))
        command = _project_command(agent, root, config)
    else:
        place = SettingsFile(user_file(agent, machine), agent.syntax, keys)
        name = server_name(options.name or DEFAULT_NAME)
        command = this_installation().with_arguments("mcp")
        if options.config:
            command = command.with_arguments("--config", str(options.config))
    if options.uninstall:
        return plan_removal(place, name)
    return plan_registration(place, name, command, agent.extra)


def _project_config(root: Path, given: Path | None) -> Path | None:
    if given is None:
        usual = root / PROJECT_CONFIG
        return usual if usual.is_file() else None
    if not real(given).is_relative_to(root):
        raise UsageError(f"{given} is outside the project {root}; a file to commit cannot name it (use --scope user)")
    return real(given)


def _name_in(root: Path, config: Path | None) -> str:
    if config is None:
        return DEFAULT_NAME
    name: Any = read_raw(config).get("serverName")
    return name if isinstance(name, str) and name else default_server_name(root)


def _project_command(agent: Agent, root: Path, config: Path | None) -> Command:
    """Without a path of this machine. Where an agent starts servers elsewhere, it fills in the project's folder."""
    if config is None:
        return PORTABLE.with_arguments("mcp")
    relative = config.relative_to(root).as_posix()
    return PORTABLE.with_arguments("serve", "--config", "/".join(filter(None, (agent.root_variable, relative))))
