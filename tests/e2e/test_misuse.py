"""What people and scripts do wrong, and what the system does to them: a clear sentence, an exit code, nothing lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Program

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def indexed(gnomon: Program) -> Path:
    """A folder of five notes, indexed."""
    root = gnomon.home / "docs"
    root.mkdir()
    for number in range(5):
        (root / f"n{number}.md").write_text(f"# Note {number}\n\nThe marker is zebra{number}.\n", "utf-8")
    gnomon("index", str(root))
    return root


def _database(gnomon: Program) -> Path:
    return gnomon.home / "data" / "gnomon" / "index" / "gnomon.db"


@pytest.mark.parametrize("damage", ["middle", "short"])
def test_force_rebuilds_a_damaged_index(gnomon: Program, indexed: Path, damage: str) -> None:
    """What the message tells to do works, and the old file is set aside."""
    database = _database(gnomon)
    data = bytearray(database.read_bytes())
    if damage == "short":
        data = data[:50]
    else:
        data[4096 : len(data) * 3 // 4] = bytes(len(data) * 3 // 4 - 4096)
    database.write_bytes(data)
    gnomon("index", "--force")
    assert json.loads(gnomon("search", "--json", "zebra3").stdout)[0]["path"] == "n3.md"


def test_folders_added_at_once_are_all_kept(gnomon: Program) -> None:
    """Two processes that change the settings do not lose each other's change."""
    names = [f"f{number}" for number in range(6)]
    for name in names:
        (gnomon.home / name).mkdir()
    processes = [gnomon.start("add", name) for name in names]
    for process in processes:
        process.communicate(timeout=120)
    assert {line.split("\t")[0] for line in gnomon("list").stdout.splitlines()} == set(names)


@pytest.mark.parametrize("command", ["add", "remove"])
def test_empty_name_means_no_folder(gnomon: Program, indexed: Path, command: str) -> None:
    """An unset variable of a script must not name the working directory."""
    assert gnomon(command, "", code=None).returncode in {1, 2}
    assert gnomon("list").stdout.startswith("docs\t")


def test_vanished_folder_is_named(gnomon: Program, indexed: Path) -> None:
    """A folder of the settings that is not on disk is said, and its index is kept."""
    other = gnomon.home / "other"
    other.mkdir()
    gnomon("add", str(other))
    indexed.rename(gnomon.home / "moved")
    assert "not on disk" in gnomon("index").stdout
    other.rmdir()
    assert "not on disk" in gnomon("index", code=2).stderr
    assert json.loads(gnomon("search", "--json", "zebra3").stdout)[0]["stale"] is True


@pytest.mark.parametrize("command", ["list", "mcp", "serve"])
def test_missing_settings_file_is_named(gnomon: Program, command: str) -> None:
    """A mistyped ``--config`` is not an empty corpus, for a server neither."""
    assert "no settings file" in gnomon(command, "--config", "/nonexistent.json", code=2).stderr


@pytest.mark.parametrize(
    "arguments",
    [("list",), ("search", "--words-only", "zebra3"), ("cat", "docs/n1.md"), ("status", "--json")],
)
def test_output_that_takes_nothing_is_no_fault(gnomon: Program, indexed: Path, arguments: tuple[str, ...]) -> None:
    """A full disk or a closed output is the user's to mend, not a traceback."""
    for target in ("/dev/full", None):
        with open(target or os.devnull, "w", encoding="utf-8") as out:  # noqa: PTH123 - a device
            done = subprocess.run(
                [
                    "sh",
                    "-c",
                    'exec "$@" >&-' if target is None else 'exec "$@"',
                    "sh",
                    sys.executable,
                    "-m",
                    "gnomon",
                    *list(arguments),
                ],
                stdout=out,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                env=gnomon.environment,
                cwd=gnomon.home,
                check=False,
            )
        assert done.returncode in {0, 2}, done.stderr
        assert "fault" not in done.stderr
        assert "Traceback" not in done.stderr


def test_settings_that_are_no_file_are_refused(gnomon: Program) -> None:
    """A device or a pipe is not waited for."""
    assert "no settings file" in gnomon("list", "--config", "/dev/zero", code=2).stderr


def test_removed_working_directory_changes_nothing(gnomon: Program, indexed: Path) -> None:
    """Absolute settings need no working directory."""
    gone = gnomon.home / "gone"
    command = f'mkdir "{gone}" && cd "{gone}" && rmdir "{gone}" && "{sys.executable}" -m gnomon list'
    done = subprocess.run(
        ["sh", "-c", command],
        capture_output=True,
        encoding="utf-8",
        env=gnomon.environment,
        cwd=gnomon.home,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_filter_that_admits_nothing_says_so(gnomon: Program, indexed: Path) -> None:
    """No such language is told apart from nothing relevant."""
    assert "filters" in gnomon("search", "--lang", "klingon", "zebra3", code=1).stdout


@pytest.mark.parametrize("lines", ["0-0", "9-3", "x"])
def test_range_that_holds_no_line_is_refused(gnomon: Program, indexed: Path, lines: str) -> None:
    """Lines count from 1."""
    gnomon("cat", "docs/n1.md", "--lines", lines, code=2)
