"""``index FOLDER``: which folder is meant, and what is said of a new one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.embedder import FakeEmbedder
from tests.unit.cli.conftest import Run


def test_folder_may_be_named_as_list_shows_it(
    folders: Path, run: Run, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From inside it too, where no path is called so."""
    monkeypatch.chdir(folders / "notes")
    assert run("index", "-q", "notes") == (0, "", "")
    assert "httpie" in run("status")[1].partition("not indexed yet")[0].splitlines()[-1]


def test_path_of_that_name_goes_first(
    folders: Path, run: Run, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever sees a folder called so means that one."""
    (folders / "private" / "notes").mkdir(parents=True)
    monkeypatch.chdir(folders / "private")
    assert f"added {folders / 'private' / 'notes'}\n" in run("index", "notes")[1]


@pytest.mark.parametrize("option", ["--quiet", "--json"])
def test_new_folder_adds_no_line_to_an_output_without_any(
    folders: Path, run: Run, embedder: FakeEmbedder, option: str
) -> None:
    """Nor that it lies in another one."""
    (folders / "notes" / "deep").mkdir()
    code, out, err = run("index", option, "notes/deep")
    assert (code, "added" in out, "lies in" in out, err) == (0, False, False, "")
    assert "notes/deep" in run("list")[1]


def test_name_of_nothing_is_an_error_of_the_user(folders: Path, run: Run, embedder: FakeEmbedder) -> None:
    """The same exit code for every command that goes to work on a folder."""
    for words in (("index", "nope"), ("add", "nope"), ("search", "x", "--folder", "nope")):
        assert run(*words)[0] == 2, words
