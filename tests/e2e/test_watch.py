"""``gnomon watch`` keeps an index fresh by itself, through checkouts and rebases."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import Program

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(300)]

_PATIENCE_SECONDS = 100.0


def _git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


def _write(root: Path, name: str, word: str) -> None:
    (root / name).write_text(f"# Note\n\nHere is a {word}.\n", encoding="utf-8")


@pytest.fixture
def folder(gnomon: Program) -> Path:
    """Twenty files on ``main``, two of them otherwise on ``topic``, which forked one commit ago."""
    root = gnomon.home / "docs"
    root.mkdir()
    _git(root, "init", "-q", "-b", "main")
    for number in range(20):
        _write(root, f"n{number}.md", f"zebra{number}")
    _git(root, "add", ".")
    _git(root, "commit", "-q", "-m", "one")
    _git(root, "checkout", "-q", "-b", "topic")
    for number in (1, 2):
        _write(root, f"n{number}.md", f"kingfisher{number}")
        _git(root, "commit", "-q", "-a", "-m", f"topic {number}")
    _git(root, "checkout", "-q", "main")
    _write(root, "n9.md", "pelican")
    _git(root, "commit", "-q", "-a", "-m", "two")
    gnomon("add", str(root))
    return root


@pytest.fixture
def watcher(gnomon: Program, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """The command at work, with the index made."""
    process = gnomon.start("watch")
    try:
        assert process.stdout
        assert "watching" in process.stdout.readline()
        assert "20 indexed" in process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.communicate()


def _until(true: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.2)  # polls another process; no other way to see how far it is
    return False


def _finds(gnomon: Program, word: str) -> bool:
    found = gnomon("search", "--json", "--words-only", word, code=None).stdout
    return word in found if found.startswith("[") else False


def test_saved_file_and_rebase_are_followed(gnomon: Program, folder: Path, watcher: subprocess.Popen[str]) -> None:
    """What is on disk in the end is what is found; Ctrl-C ends the command well."""
    _write(folder, "new.md", "wombat")
    assert _until(lambda: _finds(gnomon, "wombat"))
    _git(folder, "checkout", "-q", "topic")
    _git(folder, "rebase", "-q", "main")
    assert _until(lambda: _finds(gnomon, "kingfisher2") and _finds(gnomon, "pelican") and not _finds(gnomon, "zebra1"))
    assert json.loads(gnomon("status", "--json").stdout)["documents"] == 21
    watcher.send_signal(signal.SIGINT)
    watcher.communicate(timeout=30)
    assert watcher.returncode == 0


def test_watch_is_installed_shown_and_removed(gnomon: Program, folder: Path) -> None:
    """A file for the service manager, in the user's own place."""
    shown = gnomon("watch", "--install", "--dry-run").stdout
    place = Path(shown.splitlines()[0].removeprefix("would write "))
    assert not place.exists()
    assert str(place) in gnomon("watch", "--install").stdout
    assert "watch" in place.read_text("utf-8")
    gnomon("watch", "--uninstall", "--dry-run")
    assert place.exists()
    gnomon("watch", "--uninstall")
    assert not place.exists()
    assert "there is no" in gnomon("watch", "--uninstall").stdout


def test_watch_without_folders_says_what_to_do(gnomon: Program) -> None:
    """As indexing does."""
    assert "gnomon add" in gnomon("watch", code=2).stderr
