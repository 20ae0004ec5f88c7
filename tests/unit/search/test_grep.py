"""Exact search: by lines, in linear time, over files and documents alike."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.errors import DocumentError, UsageError
from gnomon.lines import lines
from gnomon.search.grep import MAX_LINE_CHARS, GrepResult, GrepText, grep
from gnomon.values import Anchor, Extracted, Folder, SkipReason

FOLDER = Folder("f", Path("/f"))


def text(content: str, path: str = "a.txt", *anchors: Anchor) -> GrepText:
    """One text to search."""
    return GrepText(FOLDER, path, lambda: Extracted(content, "prose", "", anchors=anchors))


def found(pattern: str, content: str) -> list[tuple[int, str]]:
    """Line and text of each match, letters in the case given."""
    return [(m.line, m.text) for m in grep(pattern, files=[text(content)], case_sensitive=True).matches]


@pytest.mark.parametrize(
    ("pattern", "content", "expected"),
    [
        ("b", "a\nb\nc b\n", [(2, "b"), (3, "c b")]),
        ("b", "a\r\nb\rc\nb", [(2, "b"), (4, "b")]),
        ("foo$", "foo\r\nfoo x\r\nfoo", [(1, "foo"), (3, "foo")]),
        ("^b", "a b\nb a\n", [(2, "b a")]),
        ("^", "a\n\nb\n", [(1, "a"), (2, ""), (3, "b")]),
        ("^$", "", [(1, "")]),
        ("^$", "a\n", []),
        ("a.*c", "a\nc\nabc\n", [(3, "abc")]),
        (r"a\s+b", "a\nb\na b\n", [(3, "a b")]),
        ("[^x]+", "ab\ncd\nx\n", [(1, "ab"), (2, "cd")]),
        (r"a\nb", "a\nb\n", []),
        ("a|aa", "aa aa\n", [(1, "aa aa")]),
        ("größe", "Größe größe\n", [(1, "Größe größe")]),
        (r"\x{1F98A}", "the 🦊\n", [(1, "the 🦊")]),
        ("b", "a\x85b\u2028b\x0cb\n", [(1, "a\x85b\u2028b\x0cb")]),
    ],
)
def test_lines_match_as_an_editor_counts_them(pattern: str, content: str, expected: list[tuple[int, str]]) -> None:
    """LF, CR LF and CR end a line; nothing matches across them; a line counts once."""
    assert found(pattern, content) == expected


@given(st.text(st.sampled_from("ab \r\n"), max_size=40), st.sampled_from(["a", "^b", "a$", "a *b", "[^a]b", "^ *$"]))
def test_matches_are_the_lines_that_match_by_themselves(content: str, pattern: str) -> None:
    """The same as going through the lines one by one."""
    each = enumerate(lines(content), start=1)
    assert found(pattern, content) == [(n, line) for n, line in each if re.search(pattern, line)]


def test_case_is_ignored_unless_asked_for() -> None:
    """In any script that has cases."""
    assert len(grep("straße", files=[text("STRAßE\nÄ\n")]).matches) == 1
    assert len(grep("ä", files=[text("STRAßE\nÄ\n")]).matches) == 1
    assert grep("ä", files=[text("Ä\n")], case_sensitive=True).matches == ()


def test_match_is_marked_in_the_line() -> None:
    """For whoever highlights it."""
    (match,) = grep("fö+", files=[text("x\nein föö bar\n")]).matches
    assert match.text[match.match.start : match.match.end] == "föö"


@pytest.mark.parametrize(("before", "after"), [(0, 5000), (5000, 0), (5000, 5000), (10, 5000), (294, 0), (295, 0)])
@pytest.mark.parametrize("letter", ["x", "é", "🦊"])
def test_long_line_is_cut_around_the_match(before: int, after: int, letter: str) -> None:
    """A minified file does not flood the answer; what is missing shows as an ellipsis."""
    (match,) = grep("needle", files=[text(letter * before + "needle" + letter * after)]).matches
    assert match.text[match.match.start : match.match.end] == "needle"
    assert len(match.text.strip("…")) <= MAX_LINE_CHARS
    assert match.text.startswith("…") == (before > 294)
    assert match.text.endswith("…") == (after > 0 or before > 5000)


def test_match_longer_than_a_line_may_be_is_cut_itself() -> None:
    """Its start is kept."""
    (match,) = grep("x+", files=[text("y" + "x" * 10_000)]).matches
    assert match.text == "…" + "x" * MAX_LINE_CHARS + "…"


def test_documents_say_the_page_instead_of_the_line() -> None:
    """The line of an extracted text is nowhere in the original."""
    file = text("one\ntwo\nthree\nfour\n", "a.pdf", Anchor(0, "page 1"), Anchor(8, "page 2"))
    assert [m.anchor for m in grep("o|e", files=[file]).matches] == ["page 1", "page 1", "page 2", "page 2"]
    assert [m.anchor for m in grep("o", files=[text("o", "a.pdf", Anchor(1, "page 1"))]).matches] == ["page 1"]
    assert [m.anchor for m in grep("a", files=[text("a\nb", "a.pdf", Anchor(2, "page 1"))]).matches] == [""]


@pytest.mark.parametrize(("limit", "count", "cut"), [(1, 1, True), (3, 3, True), (4, 4, False), (50, 4, False)])
def test_result_says_when_it_is_cut(limit: int, count: int, *, cut: bool) -> None:
    """Exactly as many as asked for is not cut; no file is read that is not needed."""
    taken: list[str] = []

    def note(path: str, content: str) -> GrepText:
        def extract() -> Extracted:
            taken.append(path)
            return Extracted(content, "prose", "")

        return GrepText(FOLDER, path, extract)

    result = grep("a", files=[note("1", "a\na\n"), note("2", "a\n"), note("3", "a\n")], max_results=limit)
    assert (len(result.matches), result.truncated, result.files_searched) == (count, cut, len(taken))
    assert limit > 1 or taken == ["1"]


def test_only_paths_of_the_glob_are_read() -> None:
    """The others are not even extracted."""
    files = [text("a", "x.py"), text("a", "docs/x.md"), GrepText(FOLDER, "y.py", _fail)]
    result = grep("a", files=files, file_glob="docs/**")
    assert [m.path for m in result.matches] == ["docs/x.md"]
    assert result.files_searched == 1


def _fail() -> Extracted:
    raise DocumentError(SkipReason.UNREADABLE)


def test_text_that_cannot_be_had_is_counted_not_fatal() -> None:
    """One damaged document does not cost the search."""
    result = grep("a", files=[GrepText(FOLDER, "x", _fail), text("a")])
    assert (len(result.matches), result.files_searched, result.files_unread) == (1, 1, 1)


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        (r"(a)\1", "back-references are not supported"),
        (r"(?P<x>a)(?P=x)", "back-references are not supported"),
        ("(?=x)", "look-ahead and look-behind are not supported"),
        ("(?<!x)y", "look-ahead and look-behind are not supported"),
        ("(?>a)", "atomic groups and possessive repeats are not supported"),
        ("a++", "atomic groups and possessive repeats are not supported"),
        ("(", r"missing \): \("),
        ("[a", "missing ]"),
        ("*", "no argument"),
        ("a{2000}", "repetition size"),
        ("", "the pattern is empty"),
        ("x" * 20_000, "more than 10,000"),
        ("\ud800", "surrogate"),
    ],
)
def test_unusable_pattern_says_what_is_wrong(pattern: str, sentence: str) -> None:
    """In words of the pattern's author."""
    with pytest.raises(UsageError, match=sentence):
        grep(pattern, files=[text("a")])


@pytest.mark.parametrize("pattern", [r"\(\?=", "[(?=]", r"\\1", r"a\+\+", "(?i)a", r"\bfoo\b", "a{2,3}?"])
def test_pattern_that_only_looks_unsupported_works(pattern: str) -> None:
    """Escapes and sets are what they are."""
    assert isinstance(grep(pattern, files=[text("a")]), GrepResult)


def test_limit_below_one_is_refused() -> None:
    """Nothing could be returned."""
    with pytest.raises(UsageError, match="1 or more"):
        grep("a", files=[], max_results=0)


@pytest.mark.parametrize(
    ("pattern", "make", "line"),
    [
        ("(a+)+$", lambda: "a" * 300_000 + "b", 0),
        ("(x+x+)+y", lambda: "x" * 300_000, 0),
        ("z", lambda: "x" * 1_000_000 + "\n", 0),
        ("x", lambda: "\n" * 300_000 + "x", 300_001),
        ("(.*)(.*)(.*)(.*)(.*)q", lambda: "a" * 300_000, 0),
    ],
)
@pytest.mark.timeout(20)
def test_no_pattern_and_no_text_can_hold_it(pattern: str, make: Callable[[], str], line: int) -> None:
    """Long lines, many lines, and what hangs a backtracking engine: a second at most, not for ever."""
    assert [m.line for m in grep(pattern, files=[text(make())]).matches] == [line][: line > 0]


def test_half_a_surrogate_in_a_text_is_no_error() -> None:
    """Extracted text may hold one."""
    assert found("b", "a\ud800b\n") == [(1, "a?b")]
