"""One meaning for path patterns, wherever they are given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.discover import matches_glob


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*.py", "a.py"),
        ("*.py", "src/deep/a.py"),
        ("src/*.py", "src/a.py"),
        ("src/**/*.py", "src/a.py"),
        ("src/**/*.py", "src/x/y/a.py"),
        ("**/test_*.py", "test_a.py"),
        ("**", "a/b"),
        ("src/**", "src/a/b"),
        ("docs", "docs/a/b.md"),
        ("docs", "x/docs/a.md"),
        ("src/api/", "src/api/a.py"),
        ("./src/api", "src/api/a.py"),
        ("/src/*.py", "src/a.py"),
        ("*.{ts,tsx}", "a/b.tsx"),
        ("{src,lib}/*.{c,h}", "lib/a.h"),
        ("pages/[slug].tsx", "pages/[slug].tsx"),
        ("[ab].md", "b.md"),
        ("[unclosed", "x/[unclosed"),
        ("a\\*b", "a*b"),
        ("a\\/b", "a/b"),
        ("[\\]]", "]"),
        ("[[:digit:]x]", "7"),
        ("a\\", "a\\"),
        ("[[:nope:]]", "[[:nope:]]"),
        ("*", "a\nb"),
        ("a*", "a\n"),
        ("caf?.md", "caf\udce9.md"),
    ],
)
def test_pattern_admits(pattern: str, path: str) -> None:
    """Names at any depth, whole paths where there is a slash, everything below a folder."""
    assert matches_glob(path, pattern)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("", "a"),
        ("*.py", "a.pyc"),
        ("*.py", "a.py\n"),
        ("src/*.py", "src/x/a.py"),
        ("src/*.py", "lib/src/a.py"),
        ("api/", "api"),
        ("src/**", "src"),
        ("doc*", "docs/a.md"),
        ("/docs", "x/docs"),
        ("a?b", "a/b"),
        ("a[/]b", "a/b"),
        ("A.md", "a.md"),
        ("a\\", "a"),
        ("[!a]", "a"),
        ("[[:nope:]]", "n"),
        ("[b-a]c", "ac"),
        ("x" * 5000, "x"),
        ("*.{ts,tsx}", "a.t"),
    ],
)
def test_pattern_leaves_out(pattern: str, path: str) -> None:
    """Wildcards stay within a part; case matters; a pattern is matched to its end."""
    assert not matches_glob(path, pattern)


@given(st.text(min_size=1, max_size=40), st.text(max_size=40))
def test_any_text_is_a_pattern(pattern: str, path: str) -> None:
    """No pattern is an error, and each admits the path that is spelled like it."""
    matches_glob(path, pattern)
    assert matches_glob(pattern, pattern)


def test_many_braces_are_taken_literally_not_multiplied() -> None:
    """Thirty pairs would stand for a billion patterns."""
    pattern = "{a,b}" * 30
    assert not matches_glob("a" * 30, pattern)
    assert matches_glob(pattern, pattern)
