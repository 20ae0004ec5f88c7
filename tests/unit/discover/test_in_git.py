"""What discovery yields where git rules."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from gnomon.discover import DiscoveryRules, explain
from gnomon.values import Folder, SkipReason, SourceFile
from tests.unit.discover.folders import Finder, git, lay_out, make_repository


def test_tracked_and_untracked_files_are_found_ignored_ones_named(tmp_path: Path, find: Finder) -> None:
    """Nested ignore files, negations and committed files that a rule names: git's own answer."""
    make_repository(
        tmp_path,
        {".gitignore": "*.log\n!keep.log\n/out/\n", "sub/.gitignore": "*.tmp\n", "forced.log": "", "a": ""},
        {"x.log": "", "keep.log": "", "out/deep/y": "", "sub/z.tmp": "", "z.tmp": "", "new": ""},
    )
    found = find(tmp_path)
    assert found.files == [".gitignore", "a", "forced.log", "keep.log", "new", "sub/.gitignore", "z.tmp"]
    assert found.skipped(SkipReason.GIT_IGNORED) == ["out", "sub/z.tmp", "x.log"]
    assert [f.rule for f in found.all if isinstance(f, SourceFile) and f.path in {"a", "new"}] == [
        "tracked by git",
        "not ignored by git",
    ]


def test_own_and_global_excludes_of_git_count(tmp_path: Path, find: Finder, own_git_settings: Path) -> None:
    """Rules that stand in no file of the work tree."""
    make_repository(tmp_path / "r", {}, {"a": "", "b": "", "c": ""})
    lay_out(tmp_path / "r", {".git/info/exclude": "a\n"})
    lay_out(own_git_settings, {".config/git/ignore": "b\n"})
    found = find(tmp_path / "r")
    assert (found.files, found.skipped(SkipReason.GIT_IGNORED)) == (["c"], ["a", "b"])


def test_built_in_patterns_do_not_apply_in_git(tmp_path: Path, find: Finder) -> None:
    """A tracked source folder named like build output is source."""
    assert find(make_repository(tmp_path, {"build/a.py": "", "vendor/b.py": ""})).files == ["build/a.py", "vendor/b.py"]


def test_own_ignore_file_covers_committed_files_and_folds_folders(tmp_path: Path, find: Finder) -> None:
    """Ten thousand files below one hidden folder are one skip."""
    make_repository(tmp_path, {".indexignore": "/data/\n*.csv\n!keep.csv\n", "data/a": "", "x.csv": "", "keep.csv": ""})
    found = find(tmp_path)
    assert found.files == [".indexignore", "keep.csv"]
    assert found.reasons == {"data": SkipReason.INDEX_IGNORED, "x.csv": SkipReason.INDEX_IGNORED}


def test_folder_inside_a_repository_sees_the_rules_above(tmp_path: Path, find: Finder) -> None:
    """Paths are relative to the folder, its own ignore file too."""
    make_repository(
        tmp_path, {".gitignore": "*.log\nsub/x/\n", "top": "", "sub/a": ""}, {"sub/b.log": "", "sub/x/c": ""}
    )
    lay_out(tmp_path, {"sub/.indexignore": "/hidden\n", "sub/hidden": "", ".indexignore": "a\n"})
    found = find(tmp_path / "sub")
    assert found.files == [".indexignore", "a"]
    assert found.skipped(SkipReason.GIT_IGNORED) == ["b.log", "x"]


def test_folder_that_the_repository_ignores_is_read_because_it_was_chosen(tmp_path: Path, find: Finder) -> None:
    """Notes in a home folder whose repository ignores all but dot files: a notice, and the files."""
    make_repository(tmp_path, {".gitignore": "*\n"}, {"notes/a.md": "", "notes/build/b": ""})
    found = find(tmp_path / "notes")
    assert (found.files, found.skipped(SkipReason.DEFAULT_IGNORED)) == (["a.md"], ["build"])
    assert "itself ignored by the repository" in found.warnings[0]
    assert explain(Folder("n", tmp_path / "notes"), "a.md", DiscoveryRules()).included


def test_files_gone_from_disk_go_unmentioned(tmp_path: Path, find: Finder) -> None:
    """Deleted, or never checked out: there is nothing to search."""
    make_repository(tmp_path, {"a": "", "b": "", "dir/c": ""})
    (tmp_path / "b").unlink()
    shutil.rmtree(tmp_path / "dir")
    assert [f.path for f in find(tmp_path).all] == ["a"]


def test_folder_in_place_of_a_tracked_file_is_listed_by_its_files(tmp_path: Path, find: Finder) -> None:
    """Git still tracks the file that was."""
    make_repository(tmp_path, {"a": ""})
    (tmp_path / "a").unlink()
    lay_out(tmp_path, {"a/b": ""})
    assert [f.path for f in find(tmp_path).all] == ["a/b"]


def test_unmerged_file_comes_once(tmp_path: Path, find: Finder) -> None:
    """Git lists it three times."""
    make_repository(tmp_path, {"a": "1"})
    for branch, text in (("one", "2"), ("two", "3")):
        git(tmp_path, "checkout", "-q", "-b", branch, "main")
        lay_out(tmp_path, {"a": text})
        git(tmp_path, "commit", "-q", "-am", branch)
    with pytest.raises(Exception, match="merge"):
        git(tmp_path, "merge", "one")
    assert [f.path for f in find(tmp_path).all] == ["a"]


def test_link_in_place_of_a_tracked_folder_is_not_followed(tmp_path: Path, find: Finder) -> None:
    """Git would have us read the files where the link points."""
    root = make_repository(tmp_path / "r", {"dir/a": "", "b": ""})
    lay_out(tmp_path, {"out/a": "secret"})
    shutil.rmtree(root / "dir")
    (root / "dir").symlink_to("../out")
    found = find(root)
    assert (found.files, found.reasons) == (["b"], {"dir": SkipReason.SYMLINK})


def test_many_ignored_files_of_one_folder_are_one_skip(tmp_path: Path, find: Finder) -> None:
    """The report stays readable; the folder's other files are found."""
    make_repository(tmp_path, {".gitignore": "*.o\n", "src/a.c": ""}, {f"src/{i}.o": "" for i in range(60)})
    found = find(tmp_path)
    assert found.files == [".gitignore", "src/a.c"]
    assert {path: skip.detail for path, skip in found.skips.items()} == {"src/*": "60 files"}


def test_file_called_like_such_a_skip_is_found(tmp_path: Path, find: Finder) -> None:
    """A star is a letter like any other in a name."""
    make_repository(tmp_path, {".gitignore": "*.o\n", "*": ""}, {f"{i}.o": "" for i in range(60)})
    assert find(tmp_path).files == ["*", ".gitignore"]


def test_folder_of_ignored_files_is_one_skip(tmp_path: Path, find: Finder) -> None:
    """Git names the folder and each of its files."""
    make_repository(tmp_path, {".gitignore": "*.o\n"}, {"out/a.o": "", "out/b.o": ""})
    assert find(tmp_path).skipped(SkipReason.GIT_IGNORED) == ["out"]


def test_ignored_paths_are_left_out_on_request(tmp_path: Path, find: Finder) -> None:
    """For whoever only wants the files: one process less."""
    make_repository(tmp_path, {".gitignore": "x\n"}, {"x": ""})
    assert find(tmp_path, list_ignored=False).skips == {}


def test_variables_of_a_running_hook_do_not_lead_elsewhere(
    tmp_path: Path, find: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inside a git hook these name another repository."""
    other = make_repository(tmp_path / "other", {"x": ""})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    root = tmp_path / "r"
    monkeypatch.delenv("GIT_DIR")
    make_repository(root, {"a": ""})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert find(root).files == ["a"]


@pytest.mark.parametrize(
    ("key", "value"),
    [("core.fsmonitor", "touch {}; false"), ("core.hooksPath", "{}.d"), ("core.sshCommand", "touch {}")],
)
def test_settings_of_a_repository_run_nothing(tmp_path: Path, find: Finder, key: str, value: str) -> None:
    """A cloned or unpacked repository is data."""
    trace = tmp_path / "ran"
    root = make_repository(tmp_path / "r", {"a": ""})
    hooks = lay_out(tmp_path / "ran.d", {"post-index-change": f"#!/bin/sh\ntouch {trace}\n"})
    (hooks / "post-index-change").chmod(0o755)
    git(root, "config", key, value.format(trace))
    os.utime(root / "a")
    assert find(root).files == ["a"]
    assert not trace.exists()


def test_settings_of_a_repository_do_not_move_its_work_tree(tmp_path: Path, find: Finder) -> None:
    """Else a repository could make the folder look empty, or another one look like it."""
    root = make_repository(tmp_path / "r", {"a": ""}, {"b": ""})
    lay_out(tmp_path, {"other/secret": ""})
    git(root, "config", "core.worktree", str(tmp_path / "other"))
    assert find(root).files == ["a", "b"]


def test_index_of_git_is_not_written(tmp_path: Path, find: Finder) -> None:
    """Looking must not take the lock that the user's own git needs."""
    root = make_repository(tmp_path, {"a": ""})
    os.utime(root / "a", (1, 1))
    before = (root / ".git" / "index").stat().st_mtime_ns
    find(root)
    assert (root / ".git" / "index").stat().st_mtime_ns == before
