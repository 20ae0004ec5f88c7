"""Tests of reading a person's questions."""

from __future__ import annotations

import pytest

from gnomon.errors import UsageError
from gnomon.measure.questions import Expected, read_questions
from gnomon.values import Hit, Span


def _hit(path: str, start_line: int = 1, end_line: int = 9) -> Hit:
    return Hit(1, "/root/docs", path, Span(0, 1), start_line, end_line, "", 1.0, "both")


def test_places_are_read_in_every_spelling() -> None:
    """A path, a path with lines, one line, an object; alone or in a list."""
    text = """
    # comment
    {"question": "a", "expect": "x.md"}
    {"question": "b", "expect": ["x.md:3-9", "y.md:4", {"path": "z.md", "lines": [1, 2], "grade": 2}]}
    """
    first, second = read_questions(text)
    assert first.expected == (Expected("x.md"),)
    assert first.line == 3
    assert second.expected == (Expected("x.md", 3, 9), Expected("y.md", 4, 4), Expected("z.md", 1, 2, 2.0))


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "[]",
        '{"question": ""}',
        '{"question": "a"}',
        '{"question": "a", "expect": []}',
        '{"question": "a", "expect": [7]}',
        '{"question": "a", "expect": [{"path": "x", "lines": 3}]}',
        '{"question": "a", "expect": [{"path": "x", "grade": 0}]}',
        '{"question": "a", "expect": [{"path": "x", "grade": NaN}]}',
        pytest.param('{"question": "a", "expect": [{"path": "x", "grade": 1' + "0" * 400 + "}]}", id="endless grade"),
        pytest.param("[" * 100_000, id="deep"),
    ],
)
def test_a_bad_line_is_named_by_its_number(line: str) -> None:
    """The user finds the line to mend."""
    with pytest.raises(UsageError, match="line 2"):
        read_questions('{"question": "a", "expect": "x.md"}\n' + line)


def test_no_question_at_all_is_an_error_with_an_example() -> None:
    """An empty file teaches the format."""
    with pytest.raises(UsageError, match='"expect"'):
        read_questions("\n# nothing\n")


@pytest.mark.parametrize(
    ("expected", "hit", "matches"),
    [
        (Expected("a.md"), _hit("a.md"), True),
        (Expected("a.md"), _hit("b/a.md"), True),
        (Expected("docs/a.md"), _hit("a.md"), True),
        (Expected("a.md"), _hit("ba.md"), False),
        (Expected("a.md", 10, 12), _hit("a.md", 1, 10), True),
        (Expected("a.md", 10, 12), _hit("a.md", 1, 9), False),
    ],
)
def test_a_place_matches_by_the_end_of_its_path_and_touching_lines(
    expected: Expected, hit: Hit, *, matches: bool
) -> None:
    """Whole parts of a path count, and one common line is enough."""
    assert expected.matches(hit) is matches
