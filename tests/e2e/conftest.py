"""Runs the program as its users do: a process, its own places, nothing of this process shared."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Program:
    """The program with settings and index of its own.

    Attributes:
        home: Scratch place that holds settings, index and working directory.
        environment: Of each process.
    """

    home: Path
    environment: dict[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, code: int | None = 0, timeout: float = 300) -> subprocess.CompletedProcess[str]:
        """Run it to its end and check its exit code (None: any)."""
        done: subprocess.CompletedProcess[str] = subprocess.run(
            [sys.executable, "-m", "gnomon", *arguments],
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            cwd=self.home,
            env=self.environment,
            timeout=timeout,
            check=False,
        )
        assert code is None or done.returncode == code, f"{arguments} ended with {done.returncode}: {done.stderr}"
        return done

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start it and return at once; the caller ends it."""
        return subprocess.Popen(
            [sys.executable, "-m", "gnomon", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            cwd=self.home,
            env=self.environment,
        )


@pytest.fixture
def gnomon(tmp_path: Path) -> Program:
    """The program in an empty place."""
    return _program(tmp_path / "home")


@pytest.fixture(scope="session")
def shared_program(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Program]:
    """Makes programs that live as long as the session, for corpora that are dear to index."""
    return lambda name: _program(tmp_path_factory.mktemp(name) / "home")


def _program(home: Path) -> Program:
    home.mkdir()
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SS_", "GNOMON_", "CLAUDE_"))}
    places = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path.endswith("src")),
    }
    return Program(home, {**kept, **places})


def unhurried(program: Program) -> Program:
    """The same program, slower by a moment for each batch of vectors: a run can be met under way on any machine."""
    slow = Path(__file__).parents[1] / "fakes" / "unhurried"
    path = os.pathsep.join((str(slow), program.environment["PYTHONPATH"]))
    return Program(program.home, {**program.environment, "PYTHONPATH": path})


def many_notes(program: Program, count: int) -> Path:
    """A folder of small files, each with a word of its own ("zebra0007"), added and not indexed; none is racy."""
    root = program.home / "docs"
    root.mkdir()
    then = time.time() - 60
    for number in range(count):
        path = root / f"n{number:04d}.md"
        path.write_text(f"# Note {number}\n\nThe marker is zebra{number:04d} and nothing else matters.\n", "utf-8")
        os.utime(path, (then, then))
    program("add", str(root))
    return root
