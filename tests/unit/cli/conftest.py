"""A user's folders, each added, with nothing of the user who runs the tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gnomon.cli.shell import run_command_line

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs one command line; exit code, standard output, standard error."""

    def run_it(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = run_command_line(words, program="gnomon")
        told = capsys.readouterr()
        return code, told.out, told.err

    return run_it


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """The working directory, above the folders ``notes`` and ``code/httpie`` that are added and not indexed."""
    for name in ("SS_CONFIG_PATH", "GNOMON_CONFIG_PATH", "SS_INDEX_DIR", "GNOMON_INDEX_DIR", "CLAUDE_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    top = tmp_path / "top"
    files = {
        "notes/vpn.md": "# VPN\n\nThe gateway is heron.\n",
        "notes/readme.md": "# Notes\n\nOf mine.\n",
        "code/httpie/setup.cfg": "[metadata]\nname = httpie\n",
        "code/httpie/readme.md": "# HTTPie\n\nA client.\n",
        "code/httpie/httpie/core.py": "def main():\n    raise SystemExit\n",
        "code/httpie/build/out.log": "heron\n",
        "code/httpie/.indexignore": "build/\n",
        "private.md": "heron\n",
    }
    for path, text in files.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(text, "utf-8")
    monkeypatch.chdir(top)
    assert run("add", "notes", "code/httpie")[0] == 0
    return top
