"""Which lines ``cat --lines`` prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gnomon.cli.shell import run_command_line


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """Of a folder with a note of five lines."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("one\ntwo\nthree\nfour\nfive\n", "utf-8")
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"defaultRoots": ["notes"], "indexPath": "index"}), "utf-8")
    return file


@pytest.mark.parametrize(
    ("lines", "printed"),
    [
        ("2", "two\n"),
        ("2-3", "two\nthree\n"),
        ("4-", "four\nfive\n"),
        ("-2", "one\ntwo\n"),
        ("4-99", "four\nfive\n"),
    ],
)
def test_range_may_be_open_at_either_end(
    settings: Path, capsys: pytest.CaptureFixture[str], lines: str, printed: str
) -> None:
    """As people write ranges elsewhere."""
    assert run_command_line(["cat", "a.md", f"--lines={lines}", "--config", str(settings)], program="gnomon") == 0
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("5-2", "5-2 ends before it begins"),
        ("-", "no range of lines"),
        ("a-b", "no range of lines"),
        ("9-", "line 9 is not in a document of 5 lines"),
        ("0-2", "lines 0 to 2 are none: lines count from 1"),
    ],
)
def test_range_that_makes_no_sense_is_named(
    settings: Path, capsys: pytest.CaptureFixture[str], lines: str, told: str
) -> None:
    """With what was typed."""
    assert run_command_line(["cat", "a.md", f"--lines={lines}", "--config", str(settings)], program="gnomon") == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("place", ["notes", "notes/sub"])
def test_folder_is_called_one(settings: Path, capsys: pytest.CaptureFixture[str], place: str) -> None:
    """Also that which is searched: it is not gone from disk."""
    (settings.parent / "notes" / "sub").mkdir()
    arguments = ["cat", str(settings.parent / place), "--config", str(settings)]
    assert run_command_line(arguments, program="gnomon") == 2
    assert capsys.readouterr().err == "gnomon: not a regular file: a folder\n"
