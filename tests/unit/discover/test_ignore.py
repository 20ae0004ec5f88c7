"""Ignore rules mean what they mean to git."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gnomon.discover.ignore import IgnoreRules, parse_rules, read_ignore_file
from gnomon.errors import FolderError

_WRITTEN = (
    r"a b ab .c * ** ? / / **/ /** [ab] [!a] [a-c] []a] [[:alpha:]] \* \a ! # \20 20 [ ] \ *** [b-a] [^b] {a,b} [/a]"
)
_ATOMS = st.sampled_from(_WRITTEN.split()).map(lambda atom: atom.replace("20", " "))
# Git strips the literal start of a pattern before it looks, so that it takes the stars of "a**/b" for a leading "**/".
# The manual says otherwise; we follow the manual, and leave such patterns out of the comparison.
_GIT_QUIRK = re.compile(r"[^/!]\*\*")
_PATTERNS = st.lists(_ATOMS, min_size=1, max_size=6).map("".join).filter(lambda pattern: not _GIT_QUIRK.search(pattern))
_PARTS = st.sampled_from(["a", "b", "ab", "ba", "abc", "a.c", ".c", "*", "c", "a b", "!a", "#a", "a ", "[", "a\nb"])
_PATHS = st.lists(_PARTS, min_size=1, max_size=4).map("/".join)


def rules(*lines: str) -> IgnoreRules:
    """Rules of one file at the top."""
    return IgnoreRules(parse_rules(lines, source=".indexignore"))


def git_hides(repository: Path, paths: list[str]) -> list[bool]:
    """What git says of paths that need not exist."""
    given_paths = b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths)
    done = subprocess.run(
        ["git", "-C", str(repository), "check-ignore", "--no-index", "-v", "-n", "-z", "--stdin"],
        input=given_paths,
        capture_output=True,
        check=False,
    )
    fields = done.stdout.split(b"\0")[:-1]
    return [pattern != b"" and not pattern.startswith(b"!") for pattern in fields[2::4]]


@pytest.fixture(scope="module")
def empty_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose ignore file the examples write."""
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(patterns=st.lists(_PATTERNS, min_size=1, max_size=4), paths=st.lists(_PATHS, min_size=1, max_size=12))
def test_rules_decide_as_git_does(empty_repository: Path, patterns: list[str], paths: list[str]) -> None:
    """Any patterns and paths get git's own answer."""
    (empty_repository / ".gitignore").write_text("\n".join(patterns) + "\n")
    ours = [rules(*patterns).hiding(path) is not None for path in paths]
    assert ours == git_hides(empty_repository, paths)


def test_negation_readmits_what_an_earlier_line_hides() -> None:
    """The last line that matches decides."""
    ruling = rules("*.log", "!keep.log", "/build/")
    assert ruling.hiding("a/x.log") is not None
    assert ruling.hiding("a/keep.log") is None
    assert str(ruling.hiding("build/keep.log")) == "line 3 of .indexignore: /build/"


@pytest.mark.parametrize("line", ["", "# note", "/", "!", "[a", "a\\", "[[:nope:]]", "?" * 5000])
def test_line_that_means_nothing_hides_nothing(line: str) -> None:
    """Blank lines, comments, and patterns that git takes for none."""
    assert [p for p in ("", "a", "n", "[a", "# note", "x" * 5000) if rules(line).hiding(p)] == []


def test_rules_of_a_base_reach_only_below_it() -> None:
    """Patterns of an ignore file further down are relative to where it stands."""
    ruling = IgnoreRules(parse_rules(["*.md", "/top"], source="sub/.gitignore", base="sub"))
    hidden = [p for p in ("a.md", "sub/a.md", "sub/x/a.md", "sub/top", "sub/x/top") if ruling.hiding(p)]
    assert hidden == ["sub/a.md", "sub/x/a.md", "sub/top"]


@pytest.mark.parametrize("pattern", ["*a" * 400 + "b", "**/a/" * 200 + "b", "[" * 4000, "?" * 4000, "a**" * 500 + "b"])
@pytest.mark.timeout(20)
def test_hostile_patterns_cost_little(pattern: str) -> None:
    """A pattern from a cloned repository cannot hold the run; a backtracking engine would never end here."""
    assert rules(pattern).hiding("/".join(["a" * 250] * 16)) is None


def test_bytes_that_are_no_text_match_names_that_are_none(tmp_path: Path) -> None:
    """An ignore file names an undecodable file by its very bytes."""
    (tmp_path / "i").write_bytes(b"\xef\xbb\xbfcaf\xe9.md\r\n")
    lines = read_ignore_file(tmp_path / "i")
    assert lines is not None
    assert rules(*lines).hiding(os.fsdecode(b"caf\xe9.md")) is not None


def test_link_in_place_of_an_ignore_file_is_refused(tmp_path: Path) -> None:
    """What it hides is not known, so nothing may be indexed."""
    (tmp_path / "real").write_text("*.md")
    (tmp_path / "i").symlink_to("real")
    with pytest.raises(FolderError, match="symbolic link"):
        read_ignore_file(tmp_path / "i")
    assert read_ignore_file(tmp_path / "i", follow=True) == ["*.md"]


def test_oversized_ignore_file_is_refused(tmp_path: Path) -> None:
    """It is named, instead of being read in part."""
    (tmp_path / "i").write_text("a\n" * 200_000)
    with pytest.raises(FolderError, match="larger than"):
        read_ignore_file(tmp_path / "i")


@pytest.mark.parametrize("make", [lambda p: None, Path.mkdir, os.mkfifo])
def test_absent_or_irregular_ignore_file_is_none(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """A folder or a pipe of that name is no ignore file, and does not hold us."""
    make(tmp_path / "i")
    assert read_ignore_file(tmp_path / "i") is None
