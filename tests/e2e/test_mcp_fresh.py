"""A running server follows the disk, the settings and other processes by itself."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Program
from tests.e2e.mcp_process import LineClient, serving

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(300)]

_PATIENCE_SECONDS = 100.0


@pytest.fixture
def folder(gnomon: Program) -> Path:
    """A git work tree with two files on ``main`` and one of them otherwise on ``other``."""
    root = gnomon.home / "docs"
    root.mkdir()
    _write(root / "one.md", "The heron stands in the reeds.")
    _write(root / "two.md", "The otter swims in the river.")
    for command in ("init -q -b main", "add .", "commit -q -m one", "checkout -q -b other"):
        _git(root, *command.split())
    _write(root / "one.md", "The kingfisher dives for minnows.")
    for command in ("commit -q -a -m two", "checkout -q main"):
        _git(root, *command.split())
    gnomon("add", str(root))
    gnomon("index")
    return root


def _git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


def _write(path: Path, text: str) -> None:
    path.write_text(f"# Note\n\n{text}\n", "utf-8")


@pytest.fixture
def client(gnomon: Program, folder: Path) -> Iterator[LineClient]:
    """A server that has caught up and is watching."""
    with serving(gnomon) as client:
        client.initialize()
        assert _until(lambda: client.call("status")["changedFiles"] == 0)
        yield client


def _until(true: Callable[[], Any]) -> bool:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.1)  # polls another process; no other way to see how far it is
    return False


def _finds(client: LineClient, word: str) -> list[str]:
    hits = client.call("search", query=word)["hits"]
    return [Path(hit["filePath"]).name for hit in hits if word in hit["text"]]


def test_file_saved_by_renaming_is_found_anew(client: LineClient, folder: Path) -> None:
    """Editors write beside the file and rename."""
    beside = folder / ".one.md.tmp"
    _write(beside, "The pelican carries fish in its pouch.")
    beside.replace(folder / "one.md")
    assert _until(lambda: _finds(client, "pelican") == ["one.md"])
    assert _finds(client, "heron") == []
    assert _until(lambda: client.call("status")["changedFiles"] == 0)


def test_new_and_deleted_files_are_followed(client: LineClient, folder: Path) -> None:
    """Also when a whole folder goes at once."""
    (folder / "sub").mkdir()
    _write(folder / "sub" / "three.md", "The stork nests on the chimney.")
    assert _until(lambda: _finds(client, "stork") == ["three.md"])
    (folder / "sub" / "three.md").unlink()
    (folder / "sub").rmdir()
    (folder / "two.md").unlink()
    assert _until(lambda: _finds(client, "stork") == _finds(client, "otter") == [])


def test_renamed_folder_is_followed(client: LineClient, folder: Path) -> None:
    """The system tells of the folder only, not of the files in it."""
    (folder / "sub").mkdir()
    _write(folder / "sub" / "three.md", "The stork nests on the chimney.")
    assert _until(lambda: _finds(client, "stork") == ["three.md"])
    (folder / "sub").rename(folder / "moved")
    expected = str(folder / "moved" / "three.md")
    assert _until(lambda: [h["filePath"] for h in client.call("search", query="stork")["hits"]][:1] == [expected])


def test_branch_switch_is_followed(client: LineClient, folder: Path) -> None:
    """What the branch holds is what is found, there and back."""
    _git(folder, "checkout", "-q", "other")
    assert _until(lambda: _finds(client, "kingfisher") == ["one.md"] and _finds(client, "heron") == [])
    _git(folder, "checkout", "-q", "main")
    assert _until(lambda: _finds(client, "heron") == ["one.md"] and _finds(client, "kingfisher") == [])


def test_what_is_not_indexed_starts_no_run(client: LineClient, folder: Path) -> None:
    """Git's own files and ignored ones change nothing: the time of the last run stays."""
    first = client.call("status")["lastRun"]
    _write(folder / ".gitignore", "build/")
    assert _until(lambda: client.call("status")["lastRun"] != first)
    before = client.call("status")["lastRun"]
    (folder / "build").mkdir()
    _write(folder / "build" / "out.md", "The emu runs.")
    (folder / ".git" / "churn").write_text("x", "utf-8")
    time.sleep(4)  # long enough for a run that must not come
    assert client.call("status")["lastRun"] == before


def test_run_of_another_process_is_picked_up(client: LineClient, gnomon: Program, folder: Path) -> None:
    """Also one that replaces the whole index."""
    before = client.call("search", query="heron")["generation"]
    gnomon("index", "--force")
    found = client.call("search", query="heron")
    assert found["generation"] != before
    assert found["staleHits"] == 0


def test_folder_added_while_serving_is_searched_and_watched(client: LineClient, gnomon: Program) -> None:
    """The settings are read again when they change."""
    more = gnomon.home / "more"
    more.mkdir()
    _write(more / "four.md", "The albatross crosses the ocean.")
    gnomon("add", str(more))
    assert _until(lambda: _finds(client, "albatross") == ["four.md"])
    assert client.call("cat_file", filePath=str(more / "four.md"))["lineCount"] == 3
    _write(more / "four.md", "The penguin slides on its belly.")
    assert _until(lambda: _finds(client, "penguin") == ["four.md"])


def test_watch_that_is_turned_off_changes_nothing(gnomon: Program, folder: Path) -> None:
    """Hits of a changed file are marked, and nobody claims to know more."""
    settings = gnomon.home / "config" / "gnomon" / "config.json"
    settings.write_text(json.dumps({**json.loads(settings.read_text("utf-8")), "watch": False}), "utf-8")
    with serving(gnomon) as client:
        client.initialize()
        client.until_model_is_ready()
        _write(folder / "one.md", "The pelican carries fish in its pouch.")
        time.sleep(3)  # long enough for a run that must not come
        found = client.call("search", query="heron")
        assert found["changedFiles"] == -1
        assert found["staleHits"] == 1
        assert found["hits"][0]["stale"] is True


def test_index_inside_its_folder_does_not_feed_itself(gnomon: Program, folder: Path) -> None:
    """Writing the index must not look like a change to index."""
    place = {"XDG_DATA_HOME": str(folder / "data"), "GNOMON_INDEX_DIR": str(folder / "index-of-it")}
    inside = Program(gnomon.home, {**gnomon.environment, **place})
    inside("index")
    with serving(inside) as client:
        client.initialize()
        assert _until(lambda: client.call("status")["changedFiles"] == 0)
        _write(folder / "one.md", "The pelican carries fish in its pouch.")
        assert _until(lambda: _finds(client, "pelican") == ["one.md"])
        time.sleep(2)  # for runs that were started by this one
        before = client.call("status")["generation"]
        time.sleep(3)
        assert client.call("status")["generation"] == before


def test_where_watching_is_impossible_a_question_compares_the_disk(gnomon: Program, folder: Path) -> None:
    """A system out of watches is no reason for old answers."""
    broken = "import watchfiles\ndef watch(*a, **k):\n    raise OSError('no watches left')\nwatchfiles.watch = watch\n"
    with serving(gnomon, prelude=broken) as client:
        client.initialize()
        assert _until(lambda: client.call("status")["modelState"] == "ready")
        _write(folder / "one.md", "The pelican carries fish in its pouch.")
        os.utime(folder / "one.md")
        assert _until(lambda: _finds(client, "pelican") == ["one.md"])
