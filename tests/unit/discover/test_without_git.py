"""What happens where git cannot be asked: its rules are kept, and it is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gnomon.discover import DiscoveryRules, explain
from gnomon.values import Folder, SkipReason
from tests.unit.discover.folders import Finder, lay_out, make_repository


@pytest.fixture
def no_git(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A search path without git; a program put there takes git's place."""
    programs = tmp_path_factory.mktemp("bin")
    monkeypatch.setenv("PATH", str(programs))
    return programs


def put_git(programs: Path, script: str) -> None:
    """Put a program in git's place."""
    (programs / "git").write_text(f"#!/bin/sh\n{script}\n")
    (programs / "git").chmod(0o755)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Rules at three depths, a negation, excludes of its own and for everywhere, a nested repository."""
    make_repository(
        tmp_path / "r",
        {".gitignore": "*.log\n/out/\n", "a": "", "sub/.gitignore": "!keep.log\nlocal\n", "build/b": ""},
        {"x.log": "", "sub/keep.log": "", "sub/local": "", "out/c": "", "sub/deep/y.log": "", "mine": "", "every": ""},
    )
    lay_out(tmp_path / "r", {".git/info/exclude": "mine\n"})
    lay_out(Path(os.environ["XDG_CONFIG_HOME"]), {"git/ignore": "every\n"})
    make_repository(tmp_path / "r" / "dep", {"z": ""})
    return tmp_path / "r"


def test_rules_are_the_same_without_git(repository: Path, find: Finder, no_git: Path) -> None:
    """All that git would hide stays hidden; a notice says what may be missing."""
    found = find(repository)
    assert found.files == [".gitignore", "a", "build/b", "sub/.gitignore", "sub/keep.log"]
    assert found.skipped(SkipReason.NESTED_REPOSITORY) == ["dep"]
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith("git is not installed; the ignore files under")


def test_folder_below_the_top_keeps_the_rules_above(repository: Path, find: Finder, no_git: Path) -> None:
    """The ignore files of the folders above it count, those beside it do not."""
    found = find(repository / "sub")
    assert found.files == [".gitignore", "keep.log"]
    assert found.skips["local"].detail == "line 2 of sub/.gitignore: local"
    assert found.skips["deep/y.log"].detail == "line 1 of .gitignore: *.log"


def test_why_agrees_without_git(repository: Path, find: Finder, no_git: Path) -> None:
    """The rule is named from the same files."""
    found = find(repository)
    said = {f.path: explain(Folder("r", repository), f.path, DiscoveryRules()) for f in found.all}
    assert {p: v.reason for p, v in said.items() if not v.included} == found.reasons
    assert said["x.log"].rule == "line 1 of .gitignore: *.log"


def test_why_looks_at_the_folders_above_without_git(repository: Path, no_git: Path) -> None:
    """A file below an ignored folder, which discovery never comes to."""
    verdict = explain(Folder("r", repository), "out/c", DiscoveryRules())
    assert verdict.rule == "by the folder out: line 2 of .gitignore: /out/"


def test_ignore_file_that_is_a_link_is_no_rule_to_git_nor_to_us(repository: Path, find: Finder, no_git: Path) -> None:
    """Git does not read it either."""
    (repository / "sub" / ".gitignore").unlink()
    (repository / "sub" / ".gitignore").symlink_to("../.gitignore")
    assert "sub/local" in find(repository).files


def test_repository_of_another_user_is_not_silently_walked(repository: Path, find: Finder, no_git: Path) -> None:
    """Git refuses it; the sentence says how to trust it."""
    put_git(no_git, "echo \"fatal: detected dubious ownership in repository at '/x'\" >&2; exit 128")
    found = find(repository)
    assert "safe.directory" in found.warnings[0]
    assert "x.log" not in found.files


def test_damaged_repository_is_not_silently_walked(repository: Path, find: Finder) -> None:
    """Git's own words are passed on."""
    (repository / ".git" / "index").write_bytes(b"rubbish")
    found = find(repository)
    assert "git failed in" in found.warnings[0]
    assert "out/c" not in found.files


def test_git_that_does_not_come_back_is_given_up(
    repository: Path, find: Finder, no_git: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe in place of an ignore file would hold it for ever."""
    monkeypatch.setattr("gnomon.discover.git.TIMEOUT_SECONDS", 0.05)
    put_git(no_git, "exec /bin/sleep 5")
    assert "did not finish" in find(repository).warnings[0]


def test_program_that_cannot_start_is_named(repository: Path, find: Finder, no_git: Path) -> None:
    """Not executable, or for another machine."""
    (no_git / "git").write_bytes(b"\x7fELF nonsense")
    (no_git / "git").chmod(0o755)
    assert "cannot be started" in find(repository).warnings[0]


def test_warnings_of_git_are_passed_on(repository: Path, find: Finder, no_git: Path) -> None:
    """It did its work, but could not look into a folder."""
    put_git(no_git, "echo \"warning: could not open directory 'x/': Permission denied\" >&2")
    assert "could not open directory 'x/'" in find(repository).warnings[0]


def test_git_beyond_a_border_it_does_not_cross_means_a_plain_folder(
    repository: Path, find: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user told git not to look further up; neither do we."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(repository))
    found = find(repository / "sub")
    assert "local" in found.files
    assert found.warnings == []


def test_missing_git_says_nothing_where_there_is_no_repository(tmp_path: Path, find: Finder, no_git: Path) -> None:
    """It would not have been asked."""
    found = find(lay_out(tmp_path, {"a": ""}))
    assert (found.files, found.warnings) == (["a"], [])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_real_refusal_of_git_is_understood(repository: Path, find: Finder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words looked for are those that git says."""
    for place in (repository, repository / ".git"):
        os.chown(place, 12345, 12345)
    assert "safe.directory" in find(repository).warnings[0]
