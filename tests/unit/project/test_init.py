"""``init`` (B6): questions to a person, defaults to a script, settings either way."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gnomon.cli.shell import run_command_line
from gnomon.config import user_config_file


@pytest.fixture
def project(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project, as the working directory."""
    (root / "docs").mkdir()
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """A person at the terminal who gives these answers; the questions are collected."""

    def sit_down(*answers: str) -> list[str]:
        asked: list[str] = []
        left = list(answers)

        def reply(prompt: str) -> str:
            asked.append(prompt)
            if not left:
                raise EOFError
            return left.pop(0)

        monkeypatch.setattr("builtins.input", reply)
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
        return asked

    return sit_down


def init(*options: str) -> int:
    """Run the command."""
    return run_command_line(["init", *options], program="gnomon")


def settings(project: Path) -> dict[str, Any]:
    """What was written."""
    plain: dict[str, Any] = json.loads((project / ".rag" / "config.json").read_text("utf-8"))
    return plain


def test_b6_init_answers_become_settings(project: Path, answer: Callable[..., list[str]]) -> None:
    """Each question decides one key."""
    asked = answer("kb", "Our decisions", "docs", "adr, *.md", "bge-m3")
    assert init() == 0
    assert settings(project) == {
        "vaultPath": "../docs",
        "include": ["adr", "*.md"],
        "serverName": "kb",
        "toolDescription": "Our decisions",
        "embedModel": "bge-m3",
    }
    assert len(asked) == 5


def test_empty_answers_take_the_defaults_that_are_shown(project: Path, answer: Callable[..., list[str]]) -> None:
    """Return five times is a working project."""
    asked = answer("", "", "", "", "")
    assert init() == 0
    assert settings(project)["vaultPath"] == ".."
    assert [q[q.index("[") :] for q in asked][::2] == ["[my-project]: ", "[.]: ", "[the one that comes with gnomon]: "]


def test_answer_that_makes_no_sense_is_asked_for_again(
    project: Path, answer: Callable[..., list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    """With the reason, and without starting over."""
    asked = answer("no spaces", "kb", "", "../..", "nowhere", "docs", "", "")
    assert init() == 0
    assert settings(project)["serverName"] == "kb"
    assert len(asked) == 8
    said = capsys.readouterr().err
    assert "letters, digits" in said
    assert "inside the project" in said
    assert "no such folder" in said


def test_b6_init_yes_takes_the_defaults_without_a_question(project: Path) -> None:
    """--yes and options are enough."""
    assert init("--yes", "--name", "kb", "--docs", "docs", "--model", "bge-m3") == 0
    written = settings(project)
    assert (written["serverName"], written["vaultPath"], written["embedModel"]) == ("kb", "../docs", "bge-m3")


def test_without_a_terminal_it_says_so(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A clear sentence with the way out, and nothing is written."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert init() == 2
    assert "no terminal" in (said := capsys.readouterr().err)
    assert "gnomon init --yes" in said
    assert not (project / ".rag").exists()


def test_end_of_input_writes_nothing(project: Path, answer: Callable[..., list[str]]) -> None:
    """Ctrl-D in the middle is a no."""
    answer("kb")
    assert init() == 130
    assert not (project / ".rag").exists()


def test_settings_that_are_there_are_the_defaults_and_stay(project: Path, answer: Callable[..., list[str]]) -> None:
    """A second run asks about them and changes what is answered."""
    (project / ".rag").mkdir()
    text = '{"serverName": "old", "vaultPath": "../docs", "extra": 1}'
    (project / ".rag" / "config.json").write_text(text, "utf-8")
    asked = answer("", "", "", "", "")
    assert init() == 0
    assert (project / ".rag" / "config.json").read_text("utf-8") == text
    assert ["[old]" in asked[0], "[docs]" in asked[2]] == [True, True]


def test_settings_are_found_from_a_folder_inside_the_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The project's file is changed, no second one is made."""
    assert init("--yes") == 0
    monkeypatch.chdir(project / "docs")
    assert init("--yes", "--name", "kb") == 0
    assert settings(project)["serverName"] == "kb"
    assert not (project / "docs" / ".rag").exists()


def test_dry_run_without_a_terminal_takes_the_defaults(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody can answer, and nothing is written that an answer would have changed."""
    assert init("--dry-run", "--desc", "Herons.") == 0
    assert '+  "toolDescription": "Herons."' in capsys.readouterr().out
    assert not (project / ".rag").exists()


def test_dry_run_shows_the_file_and_writes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As a patch."""
    assert init("--yes", "--dry-run") == 0
    assert '+  "serverName": "my-project",' in capsys.readouterr().out
    assert not (project / ".rag").exists()


def test_index_is_kept_out_of_commits(project: Path) -> None:
    """It holds the plain text of everything indexed; the lines are those of ``scaffold``, once, after what is there."""
    (project / ".gitignore").write_text("*.log\n", "utf-8")
    assert init("--yes") == 0
    text = (project / ".gitignore").read_text("utf-8")
    assert text.splitlines() == ["*.log", "", "# gnomon: made anew on each machine", "/.rag/index/", "/.rag/hook.*"]
    assert init("--yes") == 0
    assert run_command_line(["scaffold", ".", "--yes"], program="gnomon") == 0
    assert (project / ".gitignore").read_text("utf-8") == text


def test_project_that_has_settings_gets_the_lines_too(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One that an earlier version made; a dry run shows them and writes nothing."""
    (project / ".rag").mkdir()
    (project / ".rag" / "config.json").write_text('{"serverName": "kb"}', "utf-8")
    assert init("--yes", "--dry-run") == 0
    assert "+/.rag/index/" in capsys.readouterr().out
    assert not (project / ".gitignore").exists()
    assert init("--yes") == 0
    assert "/.rag/index/" in (project / ".gitignore").read_text("utf-8").splitlines()


def test_git_sees_nothing_of_the_index(project: Path) -> None:
    """Also what a run leaves there while it goes."""
    subprocess.run(["git", "init", "-q", "."], check=True)
    assert init("--yes") == 0
    (project / ".rag" / "index").mkdir()
    for name in ("index/gnomon.db", "index/write.pid", "hook.log"):
        (project / ".rag" / name).write_text("x", "utf-8")
    listed = subprocess.run(["git", "status", "--porcelain", "-uall", "."], check=True, capture_output=True, text=True)
    assert listed.stdout.split() == ["??", ".gitignore", "??", ".rag/config.json"]


def test_settings_at_the_top_hide_no_file_of_the_project(project: Path) -> None:
    """Their index is not in the project, and ``hook.py`` may be somebody's own."""
    assert init("--yes", "--config", "gnomon.json") == 0
    assert (project / "gnomon.json").exists()
    assert not (project / ".gitignore").exists()


@pytest.mark.parametrize("command", [("init", "--yes"), ("scaffold", ".", "--yes")])
def test_project_that_another_index_holds_is_told_that_it_gets_its_own(
    project: Path, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Else what was found there a moment ago is gone without a word; once is enough."""
    assert run_command_line(["add", "."], program="gnomon") == 0
    capsys.readouterr()
    for times in (1, 0):
        assert run_command_line([*command], program="gnomon") == 0
        told = (
            f"{project} is in the settings {user_config_file()} too. In this project commands use an index of its own"
        )
        said = capsys.readouterr().out
        assert (said.count(told), said.count("which is empty until: gnomon index")) == (times, times)


def test_project_that_no_other_index_holds_is_told_nothing_of_one(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that is added elsewhere is none of its business."""
    assert run_command_line(["add", "docs"], program="gnomon") == 0
    assert init("--yes") == 0
    assert "an index of its own" not in capsys.readouterr().out


def test_init_says_how_it_will_be_searched(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither the ranking nor what is left out can be guessed from the file that it writes."""
    assert init("--yes") == 0
    told = capsys.readouterr().out
    assert "Ranking: grounded" in told
    assert "paths with archive, plans (setting defaultExclude; --all lifts it)" in told


def test_init_tells_of_settings_that_are_there(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are kept."""
    assert init("--yes") == 0
    file = project / ".rag" / "config.json"
    file.write_text(json.dumps({**settings(project), "defaultExclude": ["old"]}), "utf-8")
    capsys.readouterr()
    assert init("--yes") == 0
    assert "paths with old (" in capsys.readouterr().out
    file.write_text(json.dumps({**settings(project), "ranking": "hybrid"}), "utf-8")
    capsys.readouterr()
    assert init("--yes") == 0
    assert "Ranking" not in capsys.readouterr().out
