"""The commands around a project, as they are typed."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from gnomon.cli.shell import run_command_line
from gnomon.project.hook_state import HookState


def run(*words: str) -> int:
    """Run one command line."""
    return run_command_line(words, program="gnomon")


def type_in(monkeypatch: pytest.MonkeyPatch, text: str | bytes) -> None:
    """What the agent sends on standard input."""
    message = text if isinstance(text, bytes) else text.encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(message), encoding="utf-8"))


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The workers that would have been started, by their settings file."""
    started: list[Path] = []
    monkeypatch.setattr("gnomon.project.background.start_worker", started.append)
    return started


@pytest.fixture
def project(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that has been set up, as the working directory."""
    monkeypatch.chdir(root)
    assert run("scaffold", ".", "--yes", "--hook", "--desc", "Notes") == 0
    return root


def test_scaffold_says_what_it_wrote_and_then_that_all_is_there(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line per file; a second run writes nothing."""
    assert run("scaffold", str(root), "--hook") == 0
    said = capsys.readouterr().out
    written = [line.rpartition("/")[2] for line in said.splitlines() if line.startswith("create  ")]
    assert written == ["config.json", ".mcp.json", "settings.local.json", ".gitignore"]
    assert run("scaffold", str(root), "--hook") == 0
    assert "nothing was written" in capsys.readouterr().out


def test_scaffold_dry_run_prints_a_patch_only(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written."""
    assert run("scaffold", str(root), "--dry-run", "--include", "docs,adr", "--include", "*.md") == 0
    said = capsys.readouterr().out
    assert said.count("--- /dev/null\n") == 3
    assert '+    "*.md"' in said
    assert list(root.iterdir()) == []


def test_scaffold_asks_a_person_first(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No is no."""
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: "n")
    assert run("scaffold", str(root)) == 130
    assert list(root.iterdir()) == []
    assert run("scaffold", str(root), "--yes") == 0
    assert (root / ".rag" / "config.json").is_file()


def test_scaffold_of_a_missing_folder_is_the_users_mistake(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The folder is named."""
    assert run("scaffold", str(root / "none")) == 2
    assert "no such folder" in capsys.readouterr().err


def test_scaffold_puts_settings_where_config_says(root: Path) -> None:
    """Inside the project; the registration names them there."""
    assert run("scaffold", str(root), "--config", "kb/config.json") == 0
    mcp = json.loads((root / ".mcp.json").read_text("utf-8"))
    assert mcp["mcpServers"]["my-project"]["args"] == ["serve", "--config", "kb/config.json"]
    assert json.loads((root / "kb" / "config.json").read_text("utf-8"))["vaultPath"] == ".."
    assert run("scaffold", str(root), "--config", "/etc/config.json") == 2


def test_b7_hook_notes_an_edit_returns_and_starts_a_worker(
    project: Path, monkeypatch: pytest.MonkeyPatch, workers: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a word to the agent."""
    capsys.readouterr()
    type_in(monkeypatch, json.dumps({"tool_name": "Write", "tool_input": {"file_path": str(project / "a.md")}}))
    assert run("hook", "--config", ".rag/config.json") == 0
    assert workers == [project / ".rag" / "config.json"]
    assert HookState(project / ".rag").has_edit
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("message", ["", "{", "[]", b"\xff", '{"tool_input": {"file_path": "/elsewhere/a.md"}}'])
def test_hook_ignores_what_is_no_edit_of_the_project(
    project: Path, monkeypatch: pytest.MonkeyPatch, workers: list[Path], message: str | bytes
) -> None:
    """It never disturbs the agent."""
    type_in(monkeypatch, message)
    assert run("hook") == 0
    assert workers == []
    assert not HookState(project / ".rag").has_edit


def test_b7_hook_tells_the_user_once_when_runs_fail(
    project: Path, monkeypatch: pytest.MonkeyPatch, workers: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """As a message that Claude Code shows, with the place of the details."""
    HookState(project / ".rag").fail("no model")
    capsys.readouterr()
    for _ in range(3):
        type_in(monkeypatch, json.dumps({"tool_input": {"file_path": "a.md"}, "cwd": str(project)}))
        assert run("hook") == 0
    message = json.loads(capsys.readouterr().out)["systemMessage"]
    assert "no model" in message
    assert str(project / ".rag" / "hook.log") in message


def test_hook_with_broken_settings_warns_once_and_keeps_the_change(
    project: Path, monkeypatch: pytest.MonkeyPatch, workers: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """The agent goes on working; the edit is indexed when the settings are mended."""
    file = project / ".rag" / "config.json"
    file.write_text('{"include": ', "utf-8")
    capsys.readouterr()
    for _ in range(2):
        type_in(monkeypatch, json.dumps({"tool_input": {"file_path": str(project / "a.md")}}))
        assert run("hook") == 0
    assert "line 1, column" in json.loads(capsys.readouterr().out)["systemMessage"]
    assert HookState(project / ".rag").has_edit


def test_hook_without_settings_does_nothing(root: Path, monkeypatch: pytest.MonkeyPatch, workers: list[Path]) -> None:
    """A project whose settings are gone is left alone."""
    monkeypatch.chdir(root)
    type_in(monkeypatch, json.dumps({"tool_input": {"file_path": str(root / "a.md")}}))
    assert run("hook", "--config", ".rag/config.json") == 0
    assert (workers, list(root.iterdir())) == ([], [])


def test_hook_typed_by_a_person_explains_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would wait for a message that never comes."""
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    assert run("hook") == 2
    assert "scaffold . --hook" in capsys.readouterr().err


def test_worker_runs_the_index_of_the_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hidden half of the command: what was noted is worked off."""
    from gnomon.project.hook import Outcome

    runs: list[Path] = []

    def run_index(file: Path) -> Outcome:
        runs.append(file)
        return Outcome(0)

    monkeypatch.setattr("gnomon.project.background.run_index", run_index)
    monkeypatch.setattr("os.nice", lambda _: 0, raising=False)
    HookState(project / ".rag").mark()
    assert run("hook", "--worker", "--config", str(project / ".rag" / "config.json")) == 0
    assert runs == [project / ".rag" / "config.json"]
    assert not HookState(project / ".rag").has_work


def test_b7_hook_returns_at_once_since_it_imports_nothing_heavy(project: Path) -> None:
    """It returns at once because it loads neither the corpus nor a numeric library nor a lock library."""
    code = (
        "import io, sys; from gnomon.cli.shell import run_command_line;"
        "import gnomon.project.background as background; background.start_worker = lambda file: print('started');"
        "sys.stdin = io.TextIOWrapper(io.BytesIO(sys.argv[1].encode()), encoding='utf-8');"
        "run_command_line(['hook'], program='gnomon');"
        "heavy = {'numpy', 'onnxruntime', 'filelock', 'tomlkit', 'gnomon.corpus', 'gnomon.index', 'gnomon.discover'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    message = json.dumps({"tool_input": {"file_path": str(project / "a.md")}})
    command = [sys.executable, "-c", code, message]
    ended = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, cwd=project)
    assert (ended.stdout, ended.stderr) == ("started\n[]\n", "")


def test_trust_is_given_to_the_file_as_it_is_and_taken_back(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The reasons are shown; a change needs trust anew."""
    from gnomon.config import load_config
    from gnomon.trust import is_trusted

    file = project / ".rag" / "config.json"
    assert run("trust") == 0
    assert "nothing that needs trust" in capsys.readouterr().out
    file.write_text('{"vaultPath": "../.."}', "utf-8")
    assert run("trust") == 0
    assert 'vaultPath "../.." is outside the project' in capsys.readouterr().out
    assert is_trusted(load_config(file))
    assert run("trust", "--revoke") == 0
    assert not is_trusted(load_config(file))
    assert run("trust", "--revoke") == 1


def test_install_registers_shows_and_takes_out(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole round trip by command line; the file that it made is gone again."""
    monkeypatch.chdir(root)
    assert run("install", "Claude", "Code", "--dry-run") == 0
    assert '+    "gnomon": {' in capsys.readouterr().out
    assert not (home / ".claude.json").exists()
    assert run("install", "claude-code") == 0
    assert "Registered with Claude Code" in capsys.readouterr().out
    assert run("install", "claude-code") == 0
    assert "already" in capsys.readouterr().out
    assert run("install", "claude-code", "--uninstall") == 0
    assert not (home / ".claude.json").exists()
    assert "delete  " in (said := capsys.readouterr().out)
    assert "No longer registered with Claude Code" in said
    assert run("install", "claude-code", "--uninstall") == 0
    assert "not registered" in capsys.readouterr().out
    assert run("install", "emacs") == 2


def test_install_takes_several_agents(home: Path, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is registered, a name of two words is one agent, and a wrong one changes nothing for the others."""
    assert run("install", "cursor", "emacs") == 2
    assert "unknown agent 'emacs'" in capsys.readouterr().err
    assert not (home / ".cursor").exists()
    assert run("install", "cursor", "codex", "claude", "code", "cursor", "--dry-run") == 0
    assert capsys.readouterr().out.count("--- /dev/null\n") == 3
    assert run("install", "cursor", "codex") == 0
    said = capsys.readouterr().out
    assert "Registered with Cursor" in said
    assert "Registered with Codex" in said


def test_message_nested_too_deeply_is_no_edit(
    project: Path, workers: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that is sent stops the agent."""
    assert project.is_dir()
    type_in(monkeypatch, "[" * 100_000)
    assert run("hook", "--config", ".rag/config.json") == 0
    assert workers == []
