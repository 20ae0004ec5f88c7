"""Repositories inside folders: whose files are whose."""

from __future__ import annotations

from pathlib import Path

from gnomon.discover import DiscoveryRules, explain
from gnomon.values import Folder, SkipReason
from tests.unit.discover.folders import Finder, git, lay_out, make_repository


def test_repository_inside_a_repository_belongs_to_itself(tmp_path: Path, find: Finder) -> None:
    """With commits or without; ignored by the outer one or not."""
    make_repository(tmp_path, {"a": ""})
    make_repository(tmp_path / "dep", {"x": ""}, {"y": ""})
    (tmp_path / "fresh").mkdir()
    git(tmp_path / "fresh", "init", "-q")
    lay_out(tmp_path, {"fresh/z": ""})
    found = find(tmp_path)
    assert found.files == ["a"]
    assert found.skipped(SkipReason.NESTED_REPOSITORY) == ["dep", "fresh"]
    assert "add it as a folder" in found.skips["dep"].detail


def test_work_tree_inside_its_repository_is_not_indexed_twice(tmp_path: Path, find: Finder) -> None:
    """A feature branch checked out below the main one."""
    make_repository(tmp_path, {"a": ""})
    git(tmp_path, "worktree", "add", "-q", "trees/feature")
    found = find(tmp_path)
    assert found.files == ["a"]
    assert found.skips["trees/feature"].detail.startswith("linked work tree")


def test_work_tree_as_the_folder_itself_is_read(tmp_path: Path, find: Finder) -> None:
    """Its git directory is a file that points to the main one's."""
    make_repository(tmp_path / "main", {".gitignore": "*.o\n", "a": ""})
    git(tmp_path / "main", "worktree", "add", "-q", "../feature")
    lay_out(tmp_path / "feature", {"b": "", "c.o": ""})
    assert find(tmp_path / "feature").files == [".gitignore", "a", "b"]


def test_submodules_are_named_checked_out_or_not(tmp_path: Path, find: Finder) -> None:
    """An entry that stands for another repository is no file."""
    make_repository(tmp_path / "lib", {"x": ""})
    root = make_repository(tmp_path / "r", {"a": ""})
    git(root, "submodule", "add", "-q", str(tmp_path / "lib"), "sub")
    git(root, "commit", "-q", "-m", "sub")
    git(tmp_path, "clone", "-q", str(root), "clone")
    there, absent = find(root), find(tmp_path / "clone")
    assert there.files == absent.files == [".gitmodules", "a"]
    assert there.skips["sub"].detail.startswith("submodule;")
    assert absent.skips["sub"].detail.startswith("submodule, not checked out;")


def test_repository_made_over_tracked_files_takes_them(tmp_path: Path, find: Finder) -> None:
    """Git still lists them for the outer one; they are not indexed by both."""
    make_repository(tmp_path, {"a": "", "sub/b": ""})
    git(tmp_path / "sub", "init", "-q")
    found = find(tmp_path)
    assert (found.files, found.reasons) == (["a"], {"sub": SkipReason.NESTED_REPOSITORY})


def test_repositories_in_a_plain_folder_keep_their_own_rules(tmp_path: Path, find: Finder) -> None:
    """A folder full of clones: what each ignores stays out, what each tracks comes in."""
    make_repository(tmp_path / "one", {".gitignore": "*.log\n", "a": "", "build/b": ""}, {"x.log": ""})
    make_repository(tmp_path / "deep" / "two", {"c": ""}, {".indexignore": "/hidden\n", "hidden": ""})
    lay_out(tmp_path, {"plain.log": "", "build/d": "", ".indexignore": "c\n"})
    found = find(tmp_path)
    assert found.files == [
        ".indexignore",
        "deep/two/.indexignore",
        "one/.gitignore",
        "one/a",
        "one/build/b",
        "plain.log",
    ]
    assert found.reasons == {
        "build": SkipReason.DEFAULT_IGNORED,
        "deep/two/c": SkipReason.INDEX_IGNORED,
        "deep/two/hidden": SkipReason.INDEX_IGNORED,
        "one/x.log": SkipReason.GIT_IGNORED,
    }
    assert found.skips["deep/two/hidden"].detail == "line 1 of deep/two/.indexignore: /hidden"


def test_work_tree_beside_its_repository_is_not_indexed_twice(tmp_path: Path, find: Finder) -> None:
    """Both lie in one plain folder; the main one is read."""
    make_repository(tmp_path / "proj", {"a": ""})
    git(tmp_path / "proj", "worktree", "add", "-q", "../proj-feature")
    found = find(tmp_path)
    assert (found.files, found.skipped(SkipReason.NESTED_REPOSITORY)) == (["proj/a"], ["proj-feature"])


def test_work_trees_of_a_bare_repository_are_read(tmp_path: Path, find: Finder) -> None:
    """There is no main one then; the history itself is no text."""
    make_repository(tmp_path / "src", {"a": ""})
    git(tmp_path, "clone", "-q", "--bare", "src", "r/proj.git")
    git(tmp_path / "r" / "proj.git", "worktree", "add", "-q", "../tree")
    found = find(tmp_path / "r")
    assert found.files == ["tree/a"]
    assert found.skips["proj.git"].detail == "bare repository: history without files"


def test_bare_git_folder_with_work_trees_beside_it_is_read(tmp_path: Path, find: Finder) -> None:
    """The lay-out proj/.git (bare) and proj/main."""
    make_repository(tmp_path / "src", {"a": ""})
    git(tmp_path, "clone", "-q", "--bare", "src", "proj/.git")
    git(tmp_path / "proj", "worktree", "add", "-q", "tree")
    assert find(tmp_path / "proj").files == ["tree/a"]


def test_empty_git_folder_makes_no_repository(tmp_path: Path, find: Finder) -> None:
    """Nor does a pointer to nowhere that git would not take."""
    lay_out(tmp_path, {"x/.git": "nonsense", "x/a": "", "b": ""})
    (tmp_path / ".git").mkdir()
    assert find(tmp_path).files == ["b", "x/a"]


def test_what_discovery_says_is_what_why_says(tmp_path: Path, find: Finder) -> None:
    """Over a folder with everything in it, path by path."""
    make_repository(
        tmp_path / "one", {".gitignore": "*.log\n/gone/\n", "a": "", "b.png": ""}, {"x.log": "", "gone/y": ""}
    )
    make_repository(tmp_path / "one" / "dep", {"x": ""})
    git(tmp_path / "one", "worktree", "add", "-q", "../tree")
    git(tmp_path, "clone", "-q", "--bare", "one", "bare.git")
    lay_out(
        tmp_path, {".indexignore": "*.csv\n", "d.csv": "", "one/e.csv": "", "node_modules/f": "", ".env": "", "g": "1"}
    )
    (tmp_path / "link").symlink_to("g")
    found = find(tmp_path)
    said = {f.path: explain(Folder("r", tmp_path), f.path, DiscoveryRules()) for f in found.all}
    assert {p for p, v in said.items() if v.included} == set(found.files)
    assert {p: v.reason for p, v in said.items() if not v.included} == found.reasons
    assert len(found.reasons) == 11
