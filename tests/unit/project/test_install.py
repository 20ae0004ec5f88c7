"""``install`` registers the server in each agent's own file and leaves all else in it alone."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from gnomon.errors import ConfigError, UsageError
from gnomon.project.agents import AGENTS, Machine, find_agent, user_file
from gnomon.project.changes import apply, unified_diff
from gnomon.project.install import InstallOptions, plan_install
from gnomon.project.jsonc import parse
from gnomon.project.server import this_installation

UNINSTALL = InstallOptions(uninstall=True)

EXISTING = {
    "json": '{\n  "theme": "dark",\n  "%s": {\n    "other": {\n      "command": "x"\n    }\n  },\n  "z": 1.0\n}\n',
    "jsonc": '// mine\n{\n  "theme": "dark", // dark\n  "%s": {\n    // other\n    "other": { "a": "x" },\n  },\n}\n',
    "toml": '# mine\ntheme = "dark" # dark\n\n[%s.other] # other\ncommand = "x"\n\n# the end\n[last]\nz = 1.0\n',
}


def plain_of(text: str, syntax: str) -> Any:
    """The value of a settings file, read by another parser where there is one."""
    if syntax == "toml":
        return tomllib.loads(text)
    if syntax == "json":
        return json.loads(text)
    root = parse(text, comments=True)
    return root.plain() if root else None


@pytest.mark.parametrize("agent_id", AGENTS)
def test_entry_is_written_where_nothing_was(agent_id: str, root: Path, machine: Machine) -> None:
    """The file is made with the server in it, started by absolute path: desktop programs have no PATH."""
    agent = AGENTS[agent_id]
    change = plan_install(agent, root, InstallOptions(), machine)
    apply([change])
    entry = plain_of(user_file(agent, machine).read_text("utf-8"), agent.syntax)[agent.key]["gnomon"]
    assert Path(entry["command"]).is_absolute()
    assert entry["args"] == [*this_installation().arguments, "mcp"]
    assert entry.keys() - {"command", "args"} == agent.extra.keys()


@pytest.mark.parametrize("agent_id", AGENTS)
def test_other_entries_and_comments_stay_and_a_second_run_changes_nothing(
    agent_id: str, root: Path, machine: Machine
) -> None:
    """Every line that was there is there still, in order; taking the server out gives the file as it was."""
    agent = AGENTS[agent_id]
    text = EXISTING[agent.syntax] % agent.key
    file = user_file(agent, machine)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    apply([plan_install(agent, root, InstallOptions(), machine)])
    installed = file.read_text("utf-8")
    lines = iter([line.rstrip(",") for line in installed.splitlines()])
    assert all(line.rstrip(",") in lines for line in text.splitlines())
    assert set(plain_of(installed, agent.syntax)[agent.key]) == {"other", "gnomon"}
    assert not plan_install(agent, root, InstallOptions(), machine).is_needed
    apply([plan_install(agent, root, UNINSTALL, machine)])
    assert file.read_text("utf-8") == text
    assert not plan_install(agent, root, UNINSTALL, machine).is_needed


@pytest.mark.parametrize("agent_id", AGENTS)
def test_file_that_was_made_for_the_entry_goes_with_it(agent_id: str, root: Path, machine: Machine) -> None:
    """Nothing is left behind; the plan says so beforehand."""
    agent = AGENTS[agent_id]
    apply([plan_install(agent, root, InstallOptions(), machine)])
    change = plan_install(agent, root, UNINSTALL, machine)
    assert "\n+++ /dev/null\n" in unified_diff(change)
    apply([change])
    assert not user_file(agent, machine).exists()
    assert not plan_install(agent, root, UNINSTALL, machine).is_needed


def test_file_that_somebody_linked_stays(root: Path, machine: Machine, tmp_path: Path) -> None:
    """It lies among their own settings, and the link would lead nowhere."""
    kept, link = tmp_path / "dotfiles.json", user_file(AGENTS["cursor"], machine)
    kept.write_text("{}\n", "utf-8")
    link.parent.mkdir(parents=True)
    link.symlink_to(kept)
    for options in (InstallOptions(), UNINSTALL):
        apply([plan_install(AGENTS["cursor"], root, options, machine)])
    assert json.loads(kept.read_text("utf-8")) == {"mcpServers": {}}


@pytest.mark.parametrize("rest", ["// mine\n", '{"theme": "dark"}\n'])
def test_file_that_says_anything_else_stays(root: Path, machine: Machine, rest: str) -> None:
    """A comment is somebody's, too."""
    file = user_file(AGENTS["cursor"], machine)
    file.parent.mkdir(parents=True)
    file.write_text(rest, "utf-8")
    for options in (InstallOptions(), UNINSTALL):
        apply([plan_install(AGENTS["cursor"], root, options, machine)])
    assert rest.strip()[:8] in file.read_text("utf-8")


def test_plan_shows_a_diff_and_writes_nothing(root: Path, machine: Machine) -> None:
    """A dry run is the plan without its end."""
    diff = unified_diff(plan_install(AGENTS["codex"], root, InstallOptions(), machine))
    assert "+[mcp_servers.gnomon]\n" in diff
    assert not user_file(AGENTS["codex"], machine).exists()


def test_entry_of_a_former_installation_is_brought_up_to_date(root: Path, machine: Machine) -> None:
    """The program moved; what the user added to the entry stays."""
    file = user_file(AGENTS["vscode"], machine)
    file.parent.mkdir(parents=True)
    file.write_text('{"servers": {"gnomon": {"command": "/old/bin/gnomon", "env": {"A": "1"}}}} // end', "utf-8")
    apply([plan_install(AGENTS["vscode"], root, InstallOptions(), machine)])
    text = file.read_text("utf-8")
    assert plain_of(text, "jsonc")["servers"]["gnomon"]["env"] == {"A": "1"}
    assert "/old/bin" not in text
    assert text.endswith("}} // end")


@pytest.mark.parametrize("options", [InstallOptions(), UNINSTALL])
def test_entry_of_another_program_is_not_touched(root: Path, machine: Machine, options: InstallOptions) -> None:
    """Neither replaced nor removed."""
    user_file(AGENTS["claude-code"], machine).write_text('{"mcpServers": {"gnomon": {"url": "https://x"}}}', "utf-8")
    with pytest.raises(UsageError, match="another"):
        plan_install(AGENTS["claude-code"], root, options, machine)


@pytest.mark.parametrize(
    ("agent_id", "text", "place"),
    [
        ("claude-code", '{"a": 1,}', "line 1, column 8"),
        ("claude-desktop", "{\n  // c\n}", "line 2, column 3"),
        ("vscode", '{"servers": {]}', "line 1, column 14"),
        ("codex", "a = \n", r"line 1, column 5"),
        ("cursor", '{"mcpServers": []}', "mcpServers is not an object"),
        ("codex", "mcp_servers = 1", "mcp_servers is not an object"),
    ],
)
def test_broken_settings_are_refused_with_their_place(
    root: Path, machine: Machine, agent_id: str, text: str, place: str
) -> None:
    """The agent would not read the file either; it is named and left as it is."""
    file = user_file(AGENTS[agent_id], machine)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=rf"{file.name}.*{place}"):
        plan_install(AGENTS[agent_id], root, InstallOptions(), machine)
    assert file.read_text("utf-8") == text


@pytest.mark.parametrize("agent_id", [a for a in AGENTS if AGENTS[a].project])
def test_registration_in_a_project_can_be_committed(agent_id: str, root: Path, machine: Machine) -> None:
    """It starts the program by name, with the project's settings, under the project's name."""
    (root / ".rag").mkdir()
    (root / ".rag" / "config.json").write_text('{"serverName": "kb"}', "utf-8")
    agent = AGENTS[agent_id]
    apply([plan_install(agent, root, InstallOptions("project"), machine)])
    entry = plain_of((root / agent.project).read_text("utf-8"), agent.syntax)[agent.key]["kb"]
    assert entry["command"] == "gnomon"
    assert entry["args"] == ["serve", "--config", f"{agent.root_variable or '.'}/.rag/config.json".removeprefix("./")]


def test_agent_without_project_settings_says_so(root: Path, machine: Machine) -> None:
    """The sentence names the scope that works."""
    with pytest.raises(UsageError, match="use --scope user"):
        plan_install(AGENTS["windsurf"], root, InstallOptions("project"), machine)


def test_settings_outside_the_project_are_not_committed(root: Path, machine: Machine, tmp_path: Path) -> None:
    """A path of this machine does not get into a project's file."""
    with pytest.raises(UsageError, match="outside the project"):
        plan_install(AGENTS["cursor"], root, InstallOptions("project", config=tmp_path / "c.json"), machine)


@pytest.mark.parametrize(
    ("system", "agent_id", "place"),
    [
        ("linux", "claude-desktop", "~/.config/Claude/claude_desktop_config.json"),
        ("darwin", "claude-desktop", "~/Library/Application Support/Claude/claude_desktop_config.json"),
        ("win32", "claude-desktop", "~/AppData/Roaming/Claude/claude_desktop_config.json"),
        ("linux", "vscode", "~/.config/Code/User/mcp.json"),
        ("darwin", "vscode", "~/Library/Application Support/Code/User/mcp.json"),
        ("win32", "vscode", "~/AppData/Roaming/Code/User/mcp.json"),
        ("linux", "zed", "~/.config/zed/settings.json"),
        ("darwin", "zed", "~/.config/zed/settings.json"),
        ("win32", "zed", "~/AppData/Roaming/Zed/settings.json"),
        ("linux", "claude-code", "~/.claude.json"),
        ("win32", "codex", "~/.codex/config.toml"),
        ("darwin", "cursor", "~/.cursor/mcp.json"),
        ("linux", "windsurf", "~/.codeium/windsurf/mcp_config.json"),
        ("linux", "gemini", "~/.gemini/settings.json"),
    ],
)
def test_settings_are_where_the_system_keeps_them(system: str, agent_id: str, place: str, home: Path) -> None:
    """One table for all systems."""
    assert user_file(AGENTS[agent_id], Machine(system, home, lambda _: "")) == home / place.removeprefix("~/")


def test_environment_moves_settings(home: Path, tmp_path: Path) -> None:
    """The variables that the agents themselves follow."""
    moved = Machine("linux", home, lambda name: str(tmp_path / name))
    assert user_file(AGENTS["codex"], moved) == tmp_path / "CODEX_HOME" / "config.toml"
    assert user_file(AGENTS["claude-code"], moved) == tmp_path / "CLAUDE_CONFIG_DIR" / ".claude.json"
    assert user_file(AGENTS["vscode"], moved) == tmp_path / "XDG_CONFIG_HOME" / "Code" / "User" / "mcp.json"


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("Claude Code", "Claude Code"),
        ("claude", "Claude Code"),
        ("VS Code", "VS Code"),
        ("vs-code", "VS Code"),
        ("Gemini CLI", "Gemini CLI"),
        ("CODEX", "Codex"),
    ],
)
def test_agent_is_found_by_the_names_people_use(typed: str, title: str) -> None:
    """Case, blanks and hyphens do not matter."""
    assert find_agent(typed).title == title


def test_unknown_agent_is_answered_with_the_known_ones() -> None:
    """The user need not look them up."""
    with pytest.raises(UsageError, match="claude-code, claude-desktop, cursor"):
        find_agent("emacs")


def test_program_is_started_without_modules_of_the_working_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A project with a file json.py in it must not have it run."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert this_installation().arguments == ("-P", "-m", "gnomon")


@pytest.mark.parametrize("agent_id", AGENTS)
def test_settings_nested_too_deeply_are_refused(agent_id: str, root: Path, machine: Machine) -> None:
    """In every syntax; the file stays as it is."""
    agent = AGENTS[agent_id]
    deep = "[" * 100_000 + "1" + "]" * 100_000
    file = user_file(agent, machine)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"deep = {deep}\n" if agent.syntax == "toml" else f'{{"deep": {deep}}}', "utf-8")
    with pytest.raises(ConfigError, match=str(file)):
        plan_install(agent, root, InstallOptions(), machine)
