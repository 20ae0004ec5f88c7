"""Paths as they are typed in a shell."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run


@pytest.mark.parametrize(
    ("here", "typed"),
    [
        ("notes", "../notes/vpn.md"),
        ("code/httpie", "../../notes/vpn.md"),
        (".", "notes/vpn.md"),
        (".", "./notes/../notes/vpn.md"),
        ("code", "vpn.md"),
        (".", "~/top/notes/vpn.md"),
    ],
)
def test_path_is_read_from_the_working_directory(
    folders: Path, run: Run, monkeypatch: pytest.MonkeyPatch, here: str, typed: str
) -> None:
    """Relative to it, else to a folder; what counts is where it leads."""
    monkeypatch.chdir(folders / here)
    code, out, err = run("cat", typed)
    assert (code, "heron" in out) == (0, True), err
    assert run("why", typed)[0] == 0


def test_path_from_the_parent_of_a_folder_is_found(folders: Path, run: Run) -> None:
    """Though no folder has such a path in it."""
    assert run("cat", "code/httpie/setup.cfg")[1].startswith("[metadata]")


def test_working_directory_comes_first(folders: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both folders have the name; in one of them it is that one's."""
    assert "in several folders" in run("cat", "readme.md")[2]
    monkeypatch.chdir(folders / "notes")
    assert run("cat", "readme.md")[1].startswith("# Notes")


def test_file_beside_the_folders_is_said_to_be_outside(
    folders: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is there, so that "no such file" would be wrong."""
    monkeypatch.chdir(folders)
    assert "outside" in run("why", "private.md")[1]


@pytest.mark.parametrize(
    "typed",
    ["../private.md", "../../private.md", "/etc/passwd", "../notes/link.md", "~nobody-at-all/x", "a\0b", "x" * 5000],
)
def test_path_that_leads_out_is_refused(folders: Path, run: Run, monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    """From anywhere, and through a link too."""
    (folders / "notes" / "link.md").symlink_to(folders / "private.md")
    monkeypatch.chdir(folders / "notes")
    code, out, err = run("cat", typed)
    assert (code, out) == (2, ""), err


def test_why_goes_on_after_a_path_it_cannot_answer_for(folders: Path, run: Run) -> None:
    """The exit code is that of the worst."""
    code, out, err = run("why", "private.md", "https://example.org/a", "", "notes/vpn.md")
    assert code == 2
    assert [line.split(";")[0] for line in out.splitlines()] == ["private.md: out", "notes/vpn.md: in"]
    assert err.count("\n") == 2


def test_why_names_the_rule_and_does_not_promise_the_index(folders: Path, run: Run) -> None:
    """An ignored file is not waiting for a run."""
    code, out, _ = run("why", "code/httpie/build/out.log")
    assert code == 1
    assert ".indexignore" in out
    assert "not in the index yet" not in out
    assert "not in the index yet" in run("why", "notes/vpn.md")[1]


@pytest.mark.parametrize(
    ("typed", "counts"), [("notes", "2 files in, 0 out"), ("code/httpie", "4 files in, 1 out"), ("notes/vpn.md", "")]
)
def test_why_of_a_folder_counts(folders: Path, run: Run, typed: str, counts: str) -> None:
    """How many of its files are in and out."""
    code, out, _ = run("why", typed)
    assert code == 0
    assert counts in out
    assert ("files in" in out) == bool(counts)
