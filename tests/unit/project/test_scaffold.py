"""``scaffold`` (B6): everything is there after the first run, and nothing is lost or doubled by another."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gnomon.config import load_config
from gnomon.errors import ConfigError, ConfinementError, UsageError
from gnomon.project.agents import Machine
from gnomon.project.changes import apply
from gnomon.project.scaffold import ScaffoldOptions, plan_scaffold
from gnomon.trust import untrusted_reasons

Plain = dict[str, Any]


def scaffold(
    root: Path, machine: Machine, settings: Mapping[str, Any] | None = None, *, hook: bool = False, local: bool = False
) -> None:
    """Plan and write."""
    apply(plan_scaffold(root, ScaffoldOptions(settings or {}, hook=hook, local=local), machine))


def read(root: Path, name: str) -> Plain:
    """A JSON file of the project."""
    plain: Plain = json.loads((root / name).read_text("utf-8"))
    return plain


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file and its content."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_plan_writes_nothing(root: Path, machine: Machine) -> None:
    """Planning has no effect, so a dry run is one."""
    assert any(change.is_needed for change in plan_scaffold(root, ScaffoldOptions(hook=True), machine))
    assert snapshot(root) == {}


def test_settings_of_a_new_project_cover_it_and_need_no_trust(root: Path, machine: Machine) -> None:
    """The project's own folder is searched; the file says nothing that reaches further."""
    scaffold(root, machine)
    config = load_config(root / ".rag" / "config.json")
    assert [folder.root for folder in config.folders] == [root]
    assert config.project_root == root
    assert config["serverName"] == "my-project"
    assert config.ranking == "grounded"
    assert untrusted_reasons(config) == []


def test_b6_scaffold_flags_become_settings(root: Path, machine: Machine) -> None:
    """Name, include and description are keys of the settings file."""
    scaffold(root, machine, {"serverName": "kb", "include": ["docs", "*.md"], "toolDescription": "Décisions"})
    settings = read(root, ".rag/config.json")
    assert (settings["serverName"], settings["include"], settings["toolDescription"]) == (
        "kb",
        ["docs", "*.md"],
        "Décisions",
    )


def test_second_run_changes_nothing(root: Path, machine: Machine) -> None:
    """Byte for byte."""
    scaffold(root, machine, {"serverName": "kb"}, hook=True)
    before = snapshot(root)
    scaffold(root, machine, hook=True)
    assert snapshot(root) == before


def test_b6_scaffold_keeps_settings_on_a_second_run_and_changes_only_flags_given_then(
    root: Path, machine: Machine
) -> None:
    """Keys set by hand, unknown ones, their order and the indentation stay; only flags given then are changed."""
    text = '{\n    "custom": {"b": 1.50},\n    "vaultPath": "..",\n    "toolDescription": "old", "minScore": 0.6\n}\n'
    (root / ".rag").mkdir()
    (root / ".rag" / "config.json").write_text(text, "utf-8")
    scaffold(root, machine)
    assert (root / ".rag" / "config.json").read_text("utf-8") == text
    scaffold(root, machine, {"toolDescription": "new"})
    assert (root / ".rag" / "config.json").read_text("utf-8") == text.replace('"old"', '"new"')


def test_b6_scaffold_writes_a_registration_that_can_be_committed(root: Path, machine: Machine) -> None:
    """Nothing in it speaks of this machine."""
    scaffold(root, machine)
    assert read(root, ".mcp.json") == {
        "mcpServers": {"my-project": {"command": "gnomon", "args": ["serve", "--config", ".rag/config.json"]}}
    }


def test_b6_scaffold_keeps_other_servers(root: Path, machine: Machine) -> None:
    """The file grows by our entry and is otherwise as it was."""
    text = '{\n\t"mcpServers": {\n\t\t"other": {"command": "x", "env": {"K": "\\u00e9"}}\n\t},\n\t"more": [1, 2]\n}'
    (root / ".mcp.json").write_text(text, "utf-8")
    scaffold(root, machine)
    after = (root / ".mcp.json").read_text("utf-8")
    first, last = text.split("\n\t},\n")
    assert after.startswith(first + ",\n\t\t")
    assert after.endswith("\n\t},\n" + last)
    assert list(json.loads(after)["mcpServers"]) == ["other", "my-project"]


def test_environment_of_our_entry_is_kept(root: Path, machine: Machine) -> None:
    """What the user added to the entry survives."""
    (root / ".mcp.json").write_text(
        '{"mcpServers": {"my-project": {"command": "docs-rag", "env": {"A": "1"}}}}', "utf-8"
    )
    scaffold(root, machine)
    entry = read(root, ".mcp.json")["mcpServers"]["my-project"]
    assert entry == {"command": "gnomon", "env": {"A": "1"}, "args": ["serve", "--config", ".rag/config.json"]}


def test_renamed_server_leaves_no_double(root: Path, machine: Machine) -> None:
    """The entry under the former name goes; other servers, also ours for other settings, stay."""
    scaffold(root, machine, {"serverName": "old"})
    mcp = read(root, ".mcp.json")
    mcp["mcpServers"]["gnomon"] = {"command": "gnomon", "args": ["mcp"]}
    (root / ".mcp.json").write_text(json.dumps(mcp), "utf-8")
    scaffold(root, machine, {"serverName": "new"})
    assert list(read(root, ".mcp.json")["mcpServers"]) == ["gnomon", "new"]


def test_name_of_another_server_is_not_taken(root: Path, machine: Machine) -> None:
    """Somebody else's entry is never overwritten."""
    (root / ".mcp.json").write_text('{"mcpServers": {"kb": {"command": "npx"}}}', "utf-8")
    with pytest.raises(UsageError, match='another server named "kb"; choose one with --name'):
        scaffold(root, machine, {"serverName": "kb"})
    assert list(snapshot(root)) == [".mcp.json"]


@pytest.mark.parametrize("name", [".mcp.json", ".claude/settings.local.json", ".rag/config.json"])
@pytest.mark.parametrize(
    ("text", "place"), [('{"a": 1,\n  "b" 2}', "line 2, column 7"), ('{"mcpServers": {', "line 1, column 17")]
)
def test_broken_file_is_refused_with_its_place_and_nothing_is_written(
    root: Path, machine: Machine, name: str, text: str, place: str
) -> None:
    """No file of the project is touched, the broken one least of all."""
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_text(text, "utf-8")
    before = snapshot(root)
    with pytest.raises(ConfigError, match=rf"{Path(name).name}, {place}: "):
        scaffold(root, machine, hook=True)
    assert snapshot(root) == before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".mcp.json", '{"mcpServers": []}'),
        (".mcp.json", '{"mcpServers": {"my-project": null}}'),
        (".mcp.json", "[]"),
        (".claude/settings.local.json", '{"hooks": []}'),
        (".claude/settings.local.json", '{"hooks": {"PostToolUse": {}}}'),
        (".rag/config.json", "[]"),
        (".rag/config.json", '{"indexPath": 1}'),
    ],
)
def test_file_of_another_shape_is_refused(root: Path, machine: Machine, name: str, text: str) -> None:
    """Nothing is guessed about it and nothing is written."""
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_text(text, "utf-8")
    before = snapshot(root)
    with pytest.raises((ConfigError, UsageError)):
        scaffold(root, machine, hook=True)
    assert snapshot(root) == before


def test_b6_scaffold_adds_the_index_to_gitignore_once(root: Path, machine: Machine) -> None:
    """Lines are added behind those that are there, in any spelling, and not a second time."""
    (root / ".gitignore").write_text("*.log\n.rag/index", "utf-8")
    scaffold(root, machine)
    scaffold(root, machine, hook=True)
    lines = (root / ".gitignore").read_text("utf-8").splitlines()
    assert lines[:2] == ["*.log", ".rag/index"]
    assert [line for line in lines[2:] if line.startswith("/")] == ["/.rag/hook.*", "/.claude/settings.local.json"]


def test_index_elsewhere_in_the_project_is_kept_out_of_git(root: Path, machine: Machine) -> None:
    """The line is for where the settings put it, taken by its letters."""
    (root / ".rag").mkdir()
    (root / ".rag" / "config.json").write_text('{"indexPath": "../in[1]/kb.db"}', "utf-8")
    scaffold(root, machine)
    assert "/in\\[1]/kb.gnomon/" in (root / ".gitignore").read_text("utf-8").splitlines()


def test_b6_scaffold_writes_the_hook_beside_other_hooks_once(root: Path, machine: Machine) -> None:
    """Permissions and the user's own hooks stay."""
    file = root / ".claude" / "settings.local.json"
    file.parent.mkdir()
    theirs = {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo gnomonhook"}]}
    file.write_text(
        json.dumps({"permissions": {"allow": ["x"]}, "hooks": {"PostToolUse": [theirs], "Stop": []}}), "utf-8"
    )
    scaffold(root, machine, hook=True)
    scaffold(root, machine, hook=True)
    settings = read(root, ".claude/settings.local.json")
    ours = {
        "matcher": "Write|Edit|MultiEdit",
        "hooks": [{"type": "command", "command": "gnomon hook --config .rag/config.json", "timeout": 10}],
    }
    assert settings == {"permissions": {"allow": ["x"]}, "hooks": {"PostToolUse": [theirs, ours], "Stop": []}}


def test_b6_scaffold_writes_the_hook_only_when_asked_for(root: Path, machine: Machine) -> None:
    """Without the flag Claude Code's settings are not touched."""
    scaffold(root, machine)
    assert not (root / ".claude").exists()


def test_hook_of_the_predecessor_is_taken_over(root: Path, machine: Machine) -> None:
    """Its command is replaced in place, so that no edit is indexed twice."""
    file = root / ".claude" / "settings.local.json"
    file.parent.mkdir()
    hook = {"type": "command", "command": "docs-rag hook --config .rag/config.json"}
    file.write_text(json.dumps({"hooks": {"PostToolUse": [{"matcher": "Write", "hooks": [hook]}]}}), "utf-8")
    scaffold(root, machine, hook=True)
    groups = read(root, ".claude/settings.local.json")["hooks"]["PostToolUse"]
    assert groups == [{"matcher": "Write", "hooks": [{**hook, "command": "gnomon hook --config .rag/config.json"}]}]


def test_b6_scaffold_local_registers_for_the_user_only(root: Path, machine: Machine, home: Path) -> None:
    """No file of the project names this machine, but the ignored one; Claude Code's own file gets the entry."""
    (home / ".claude.json").write_text('{"numStartups": 3}', "utf-8")
    scaffold(root, machine, local=True, hook=True)
    assert not (root / ".mcp.json").exists()
    entry = read(home, ".claude.json")["projects"][str(root)]["mcpServers"]["my-project"]
    assert entry["command"].startswith(str(Path(sys.executable).parent))
    assert entry["args"][-3:] == ["serve", "--config", str(root / ".rag" / "config.json")]
    committed = b"".join(text for name, text in snapshot(root).items() if "settings.local" not in name)
    assert str(Path(sys.executable).parent).encode() not in committed
    assert "/.claude/settings.local.json" in (root / ".gitignore").read_text("utf-8")


@pytest.mark.parametrize("name", [".rag", ".mcp.json", ".gitignore", ".claude"])
def test_link_out_of_the_project_is_refused(root: Path, machine: Machine, tmp_path: Path, name: str) -> None:
    """A checked-in link does not make us write elsewhere."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / name).symlink_to(outside if name in {".rag", ".claude"} else outside / "file")
    with pytest.raises(ConfinementError):
        scaffold(root, machine, hook=True)
    assert snapshot(outside) == {}


@pytest.mark.parametrize(
    "settings",
    [
        {"serverName": "no spaces"},
        {"serverName": ""},
        {"include": ["../x"]},
        {"include": ["/etc"]},
        {"vaultPath": "../.."},
    ],
)
def test_flag_that_makes_no_sense_is_refused(root: Path, machine: Machine, settings: Plain) -> None:
    """Before anything is written."""
    with pytest.raises(UsageError):
        scaffold(root, machine, settings)
    assert snapshot(root) == {}
