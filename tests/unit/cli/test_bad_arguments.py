"""What a command complains of goes to standard error, and its exit code says that nothing was done."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.cli.parser import COMMANDS
from gnomon.errors import EXIT_NOTHING_FOUND, EXIT_USER
from tests.fakes.embedder import FakeEmbedder
from tests.unit.cli.conftest import Run

# Words behind each command that it can make nothing of.
_BAD = {
    "add": ["nope"],
    "list": ["--config", "nope.json"],
    "ls": ["--config", "nope.json"],
    "remove": ["nope"],
    "config": ["nope"],
    "index": ["nope"],
    "search": ["heron", "--folder", "nope"],
    "related": ["nope.md"],
    "grep": ["("],
    "cat": ["nope.md"],
    "status": ["--config", "nope.json"],
    "why": [""],
    "doctor": ["nope"],
    "calibrate": ["nope.jsonl"],
    "evaluate": ["nope.jsonl"],
    "bundle": ["import", "nope.bundle"],
    "watch": ["--config", "nope.json"],
    "optimize": ["nope"],
    "migrate": ["--to", "nope"],
    "mcp": ["--port", "nope"],
    "serve": ["--config", "nope.json"],
    "init": ["--include", "../elsewhere"],
    "scaffold": ["nope"],
    "hook": ["nope"],
    "trust": ["--config", "nope.json"],
    "install": ["nope"],
}


def test_every_command_is_given_something_bad() -> None:
    """A new command has to be added here."""
    assert set(_BAD) == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_complaint_goes_to_standard_error(folders: Path, run: Run, embedder: FakeEmbedder, command: str) -> None:
    """In one line with the program's name, and nothing of it where a script reads the answer."""
    run("index", "--quiet")
    code, out, err = run(command, *_BAD[command])
    assert (code, out) == (EXIT_NOTHING_FOUND if command == "remove" else EXIT_USER, "")
    assert err.startswith("gnomon")


@pytest.mark.parametrize("command", COMMANDS)
def test_option_that_is_none_is_refused(folders: Path, run: Run, command: str) -> None:
    """By all commands alike."""
    code, out, err = run(command, "--nope")
    assert (code, out) == (EXIT_USER, "")
    assert err.startswith(f"gnomon {command}: ")


def test_what_can_be_done_is_done(folders: Path, run: Run, embedder: FakeEmbedder) -> None:
    """One name that is none costs only itself."""
    (folders / "more").mkdir()
    code, out, err = run("add", "nope", "more")
    assert (code, out.splitlines()[0], err) == (
        EXIT_USER,
        f"added {folders / 'more'}",
        "gnomon: no such folder: nope\n",
    )
    code, out, err = run("remove", "nope", "more")
    assert (code, out) == (EXIT_NOTHING_FOUND, f"removed {folders / 'more'}; 0 documents forgotten\n")
    assert err == "gnomon: no such folder in the settings: nope (see: gnomon list)\n"
