"""``gnomon why PATH``: the rule, where it stands, for files, folders and paths that are not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.discover import DiscoveryRules, Verdict, explain
from gnomon.errors import FolderError
from gnomon.values import Folder, SkipReason
from tests.unit.discover.folders import git, lay_out, make_repository

RULES = DiscoveryRules(max_file_size_bytes=100)


def why(root: Path, path: str) -> tuple[SkipReason | None, str]:
    """Reason and rule."""
    verdict = explain(Folder("f", root), path, RULES)
    assert verdict.included == (verdict.reason is None)
    return verdict.reason, verdict.rule


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Tracked, untracked, ignored, negated and hidden files."""
    return make_repository(
        tmp_path,
        {".gitignore": "*.log\n!keep.log\nout/\n", "a": "", "forced.log": "", ".indexignore": "h*\n!hallo\n/dir/\n"},
        {"b": "", "keep.log": "", "x.log": "", "out/y": "", "hidden": "", "hallo": "", "dir/z": ""},
    )


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("a", "tracked by git"),
        ("forced.log", "tracked by git"),
        ("b", "not ignored by git"),
        ("keep.log", "not ignored by git (line 2 of .gitignore: !keep.log)"),
        ("hallo", "not ignored by git; re-included by line 2 of .indexignore: !hallo"),
        ("", "the folder itself"),
    ],
)
def test_rule_that_admits_is_named(repository: Path, path: str, rule: str) -> None:
    """Also where a later line takes back an earlier one."""
    assert why(repository, path) == (None, rule)


@pytest.mark.parametrize(
    ("path", "reason", "rule"),
    [
        ("x.log", SkipReason.GIT_IGNORED, "line 1 of .gitignore: *.log"),
        ("out/y", SkipReason.GIT_IGNORED, "line 3 of .gitignore: out/"),
        ("out", SkipReason.GIT_IGNORED, "line 3 of .gitignore: out/"),
        ("hidden", SkipReason.INDEX_IGNORED, "line 1 of .indexignore: h*"),
        ("dir/z", SkipReason.INDEX_IGNORED, "by the folder dir: line 3 of .indexignore: /dir/"),
        ("dir", SkipReason.INDEX_IGNORED, "line 3 of .indexignore: /dir/"),
        (".git/config", SkipReason.GIT_IGNORED, "git's own files"),
        ("new.log", SkipReason.GIT_IGNORED, "line 1 of .gitignore: *.log"),
        ("out/new", SkipReason.GIT_IGNORED, "line 3 of .gitignore: out/"),
        ("dir/new", SkipReason.INDEX_IGNORED, "by the folder dir: line 3 of .indexignore: /dir/"),
        ("new.pem", SkipReason.SECRET_FILE, "name matches *.pem"),
        ("new.md", SkipReason.VANISHED, "no such file; no rule would leave it out"),
        ("a/b", SkipReason.VANISHED, "no such file; no rule would leave it out"),
    ],
)
def test_rule_that_leaves_out_is_named_with_its_place(
    repository: Path, path: str, reason: SkipReason, rule: str
) -> None:
    """File, line and pattern; for paths that do not exist as well."""
    assert why(repository, path) == (reason, rule)


def test_excludes_outside_the_work_tree_are_named(repository: Path, own_git_settings: Path) -> None:
    """The rules people forget."""
    lay_out(repository, {".git/info/exclude": "b\n"})
    lay_out(own_git_settings, {".config/git/ignore": "everywhere\n"})
    assert why(repository, "b")[1] == "line 1 of .git/info/exclude: b"
    assert why(repository, "everywhere")[1] == f"line 1 of {own_git_settings}/.config/git/ignore: everywhere"


def test_content_is_looked_at(tmp_path: Path) -> None:
    """What only reading shows is said too."""
    (tmp_path / "bin").write_bytes(b"\x7fELF\0\0")
    lay_out(tmp_path, {"big": "x" * 101, "ok": "x"})
    assert why(tmp_path, "bin")[0] is SkipReason.BINARY_CONTENT
    assert why(tmp_path, "big") == (SkipReason.TOO_LARGE, "101 bytes; maxFileSizeBytes is 100")
    assert why(tmp_path, "ok") == (None, "plain file")


def test_links_above_a_path_are_named(tmp_path: Path) -> None:
    """A path below a link is not where it seems to be."""
    lay_out(tmp_path, {"real/a": ""})
    (tmp_path / "link").symlink_to("real")
    assert why(tmp_path, "link/a") == (SkipReason.SYMLINK, "by the folder link: to real")
    assert why(tmp_path, "link") == (SkipReason.SYMLINK, "to real")


def test_repositories_above_a_path_are_named(tmp_path: Path) -> None:
    """Inside git they belong to themselves; in a plain folder they bring their rules."""
    make_repository(tmp_path / "outer", {"a": ""})
    make_repository(tmp_path / "outer" / "dep", {"x": ""})
    git(tmp_path / "outer", "submodule", "add", "-q", str(tmp_path / "outer" / "dep"), "sub")
    make_repository(tmp_path / "plain" / "one", {".gitignore": "y\n", "x": ""}, {"y": ""})
    assert why(tmp_path / "outer", "dep/x")[0] is SkipReason.NESTED_REPOSITORY
    assert why(tmp_path / "outer", "sub/x")[1].startswith("by the folder sub: submodule")
    assert why(tmp_path / "outer", "sub")[1].startswith("submodule")
    assert why(tmp_path / "plain", "one/x") == (None, "tracked by git")
    assert why(tmp_path / "plain", "one/y") == (SkipReason.GIT_IGNORED, "line 1 of .gitignore: y")


def test_folders_are_explained_as_folders(tmp_path: Path) -> None:
    """One that is looked into is included."""
    lay_out(tmp_path, {"src/a": "", "node_modules/b": ""})
    assert why(tmp_path, "src/") == (None, "a folder whose files are judged one by one (plain file)")
    assert why(tmp_path, "node_modules/b") == (
        SkipReason.DEFAULT_IGNORED,
        "by the folder node_modules: built-in list: node_modules/",
    )


def test_lost_folder_is_an_error(tmp_path: Path) -> None:
    """Its files are not called gone."""
    with pytest.raises(FolderError):
        explain(Folder("x", tmp_path / "x"), "a", RULES)


def test_verdict_is_a_value() -> None:
    """Two of the same content are equal, for tools that compare."""
    assert Verdict(included=True, reason=None, rule="r") == Verdict(included=True, reason=None, rule="r")
