"""The coding agents that can be told of the server, and where each keeps its settings: one row per agent."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from gnomon.config import environment
from gnomon.errors import UsageError

Syntax = Literal["json", "jsonc", "toml"]
Scope = Literal["user", "project"]


@dataclass(frozen=True, slots=True)
class Machine:
    """What decides where programs keep their settings.

    Attributes:
        system: As ``sys.platform`` has it: "linux", "darwin" or "win32".
        home: The user's home.
        variable: One variable of the environment, "" where unset.
    """

    system: str = sys.platform
    home: Path = field(default_factory=Path.home)
    variable: Callable[[str], str] = environment

    def place(self, template: str) -> Path:
        """A place from the table below: in ``{home}``, or in ``{apps}``, where programs keep their settings."""
        base, _, rest = template.partition("/")
        return (self.home if base == "{home}" else self._apps) / rest

    @property
    def _apps(self) -> Path:
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        name, default = ("APPDATA", "AppData/Roaming") if self.system == "win32" else ("XDG_CONFIG_HOME", ".config")
        given = Path(self.variable(name))
        return given if given.is_absolute() else self.home / default


_RESTART = "Restart it to take effect."
_QUIT = "Quit it from its menu (closing the window is not enough) and start it again."
_AT_ONCE = "It takes effect at once."


@dataclass(frozen=True, slots=True)
class Agent:
    """One coding agent.

    Attributes:
        title: Its name.
        user: Template of the user's settings file per system; "*" for all others.
        project: Settings file inside a project, "" where it has none.
        key: Under which key servers are listed.
        syntax: Of its settings files.
        moved_by: Variable of the environment that names another folder for the user's file.
        extra: What an entry has besides program and arguments.
        root_variable: What stands for the project's folder in its settings; "" where servers are started in it.
        restart: What the user has to do for it to take effect.
        restart_without: The same once it is taken out.
    """

    title: str
    user: Mapping[str, str]
    project: str
    key: str = "mcpServers"
    syntax: Syntax = "json"
    moved_by: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    root_variable: str = ""
    restart: str = _RESTART
    restart_without: str = _RESTART


AGENTS: dict[str, Agent] = {
    "claude-code": Agent("Claude Code", {"*": "{home}/.claude.json"}, ".mcp.json", moved_by="CLAUDE_CONFIG_DIR"),
    "claude-desktop": Agent(
        "Claude Desktop",
        {"*": "{apps}/Claude/claude_desktop_config.json"},
        "",
        restart=_QUIT,
        restart_without=_QUIT,
    ),
    "cursor": Agent(
        "Cursor",
        {"*": "{home}/.cursor/mcp.json"},
        ".cursor/mcp.json",
        syntax="jsonc",
        root_variable="${workspaceFolder}",
    ),
    "codex": Agent(
        "Codex",
        {"*": "{home}/.codex/config.toml"},
        ".codex/config.toml",
        key="mcp_servers",
        syntax="toml",
        moved_by="CODEX_HOME",
    ),
    "vscode": Agent(
        "VS Code",
        {"*": "{apps}/Code/User/mcp.json"},
        ".vscode/mcp.json",
        key="servers",
        syntax="jsonc",
        extra={"type": "stdio"},
        root_variable="${workspaceFolder}",
        restart="It asks once whether the server may start.",
    ),
    "zed": Agent(
        "Zed",
        {
            "*": "{apps}/zed/settings.json",
            "darwin": "{home}/.config/zed/settings.json",
            "win32": "{apps}/Zed/settings.json",
        },
        ".zed/settings.json",
        key="context_servers",
        syntax="jsonc",
        restart=_AT_ONCE,
        restart_without=_AT_ONCE,
    ),
    "windsurf": Agent("Windsurf", {"*": "{home}/.codeium/windsurf/mcp_config.json"}, "", syntax="jsonc"),
    "gemini": Agent("Gemini CLI", {"*": "{home}/.gemini/settings.json"}, ".gemini/settings.json", syntax="jsonc"),
}
_ALIASES = {
    "claude": "claude-code",
    "vs-code": "vscode",
    "code": "vscode",
    "gemini-cli": "gemini",
    "codex-cli": "codex",
}


def find_agent(name: str) -> Agent:
    """The row for a name as people type it: "Claude Code", "vs-code", "gemini".

    Raises:
        UsageError: There is none; the text lists all.
    """
    agent = AGENTS.get(_slug(name))
    if agent is None:
        raise UsageError(f"unknown agent {name!r}; known are: {', '.join(AGENTS)}")
    return agent


def _slug(name: str) -> str:
    slug = "-".join(name.lower().replace("_", " ").replace("-", " ").split())
    return _ALIASES.get(slug, slug)


def find_agents(words: Sequence[str]) -> list[Agent]:
    """The rows for names as people type them one after the other; a name may be of several words ("Claude Code").

    Raises:
        UsageError: One of them names no agent; the text lists all.
    """
    found: list[Agent] = []
    rest = list(words)
    while rest:
        lengths = range(len(rest), 0, -1)
        size = next((n for n in lengths if _slug(" ".join(rest[:n])) in AGENTS), 1)
        agent = find_agent(" ".join(rest[:size]))
        found += [] if agent in found else [agent]
        rest = rest[size:]
    return found


def user_file(agent: Agent, machine: Machine) -> Path:
    """The user's own settings file of an agent, existing or not."""
    usual = machine.place(agent.user.get(machine.system, agent.user["*"]))
    moved = machine.variable(agent.moved_by) if agent.moved_by else ""
    return Path(moved) / usual.name if moved else usual


def project_file(agent: Agent) -> str:
    """The settings file of an agent inside a project, relative to it.

    Raises:
        UsageError: The agent has none.
    """
    if not agent.project:
        raise UsageError(f"{agent.title} has no settings per project; use --scope user")
    return agent.project
