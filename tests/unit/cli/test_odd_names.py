"""Folders and files whose names are not text, or are more than a line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gnomon.cli.shell import run_command_line
from gnomon.errors import EXIT_USER
from tests.fakes.embedder import FakeEmbedder
from tests.unit.cli.conftest import Run

_NAMES = [os.fsdecode(b"caf\xe9"), "new\nline"]


@pytest.mark.parametrize("name", _NAMES)
def test_folder_is_added_searched_and_removed_by_the_name_that_is_shown(
    folders: Path, run: Run, embedder: FakeEmbedder, name: str
) -> None:
    """A name that is not UTF-8 used to end ``add`` in a fault of ours."""
    (folders / name).mkdir()
    (folders / name / "a.md").write_text("the wombat\n", "utf-8")
    assert run("add", name)[0] == 0
    assert run("index", "--quiet")[0] == 0
    shown = run("list")[1].splitlines()[-1].split("\t")[0]
    assert "wombat" in run("search", "wombat", "--folder", shown)[1]
    assert run("remove", shown)[0] == 0
    assert len(run("list")[1].splitlines()) == 2


@pytest.mark.parametrize(
    "arguments", [("search", "heron"), ("grep", "heron"), ("status", "--skipped"), ("doctor",), ("config",)]
)
def test_json_holds_no_half_of_a_character_and_line_ends_as_they_are(
    folders: Path, run: Run, embedder: FakeEmbedder, arguments: tuple[str, ...]
) -> None:
    """Readers that are strict refuse the one, and a path that is read from it has to lead to the other."""
    for name in _NAMES:
        (folders / "notes" / f"{name}.md").write_text("---\nstatus: draft\n---\nheron\n", "utf-8")
        (folders / "notes" / f"{name}.bin").write_bytes(b"\0\0")
        (folders / name).mkdir()
        # An empty folder would be warned of, and the runner of tests sends no half of a character to its parent.
        (folders / name / "a.md").write_text("reed\n", "utf-8")
        assert run("add", name)[0] == 0
    assert run("index", "--quiet")[0] == 0
    told = json.dumps(json.loads(run(*arguments, "--json")[1]), ensure_ascii=False)
    told.encode()
    assert r"caf\\xe9" in told
    assert r"new\nline" in told


@pytest.mark.parametrize("arguments", [("index",), ("search", "heron", "--config"), ("cat",)])
def test_error_holds_nothing_that_a_terminal_obeys(
    folders: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that somebody else named may be in any of them."""
    assert run_command_line([*arguments, str(folders / "esc\x1b[31m" / "x")], program="gnomon") == EXIT_USER
    told = capsys.readouterr().err
    assert "esc\\x1b[31m" in told
    assert "\x1b" not in told
