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
    ("lines", "told"), [("5-2", "5-2 ends before it begins"), ("-", "no range of lines"), ("a-b", "no range of lines")]
)
def test_range_that_makes_no_sense_is_named(
    settings: Path, capsys: pytest.CaptureFixture[str], lines: str, told: str
) -> None:
    """With what was typed."""
    assert run_command_line(["cat", "a.md", f"--lines={lines}", "--config", str(settings)], program="gnomon") == 2
    assert told in capsys.readouterr().err
