"""What ``gnomon grep`` prints into a pipe, and what it says beside the lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run


@pytest.fixture
def broken(folders: Path) -> Path:
    """The folders with a document that cannot be read."""
    (folders / "notes" / "broken.docx").write_bytes(b"PK\x03\x04 and no more")
    return folders


def test_unread_files_are_counted_only_where_it_matters(broken: Path, run: Run) -> None:
    """Where nothing matched the pattern might be in them; else for who asks."""
    assert run("grep", "heron")[2] == ""
    assert "1 file could not be read" in run("grep", "heron", "--verbose")[2]
    code, out, err = run("grep", "zebra")
    assert (code, out) == (1, "")
    assert err == "no match (1 file could not be read; see: gnomon status --skipped)\n"


def test_line_in_a_pipe_has_a_path_that_other_programs_open(
    folders: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the working directory, in full where it is elsewhere, as ``search`` has it; tabs of the line stay."""
    (folders / "code" / "httpie" / "Makefile").write_text("all:\n\tbuild heron\n", "utf-8")
    assert run("grep", "heron")[1] == "notes/vpn.md:3:The gateway is heron.\ncode/httpie/Makefile:2:\tbuild heron\n"
    monkeypatch.chdir(folders / "notes")
    assert run("grep", "heron", "--folder", "httpie")[1].startswith(f"{folders}/code/httpie/Makefile:2:")


def test_no_match_is_said(folders: Path, run: Run) -> None:
    """On standard error, so that a pipe gets lines alone."""
    assert run("grep", "zebra") == (1, "", "no match\n")


def test_glob_that_no_file_matches_is_told_apart(folders: Path, run: Run) -> None:
    """A typing error in it is not an absent line; a path from the working directory is no error."""
    assert "no file matches scr/** (globs are relative" in run("grep", "heron", "--path", "scr/**")[2]
    assert "vpn.md:3" in run("grep", "heron", "--path", "notes/*.md")[1]
