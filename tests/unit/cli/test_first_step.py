"""What is said where nothing is indexed: the way to something that is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.fakes.embedder import FakeEmbedder
from tests.unit.cli.conftest import Run

_ADD = "add a folder: gnomon add PATH, then run: gnomon index"


@pytest.fixture
def emptied(folders: Path, run: Run, embedder: FakeEmbedder) -> Path:
    """The working directory; its folders were indexed, and removed."""
    assert run("index")[0] == 0
    assert run("remove", "notes", "httpie")[0] == 0
    return folders


@pytest.mark.parametrize("ranking", ["hybrid", "grounded"])
def test_search_after_the_last_folder_went_says_how_to_add_one(emptied: Path, run: Run, ranking: str) -> None:
    """Not that nothing is relevant, as if something had been searched."""
    code, out, err = run("search", "heron", "--ranking", ranking)
    assert (code, _ADD in out, "No relevant" in out) == (1, True, False), err


def test_grep_and_status_say_it_too(emptied: Path, run: Run) -> None:
    """A pattern that no file can match is no absent line."""
    assert run("grep", "heron") == (2, "", f"gnomon: no folder to search; {_ADD}\n")
    assert f"folder      none; {_ADD}\n" in run("status")[1]


def test_folders_that_are_not_on_disk_are_named(folders: Path, run: Run, embedder: FakeEmbedder) -> None:
    """They may be on a disk that is not there at present."""
    shutil.rmtree(folders / "notes")
    shutil.rmtree(folders / "code")
    assert f"bring back {folders}/notes" in run("search", "heron")[2]


def test_folders_that_were_never_indexed_only_need_that(folders: Path, run: Run, embedder: FakeEmbedder) -> None:
    """One command, not two."""
    assert run("search", "heron")[2].endswith("; run: gnomon index\n")
