"""Lines are counted as editors count them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.lines import LineIndex, lines

_BREAKY = st.text(st.sampled_from("ab\r\n\x85\u2028\u2029\x0c\x0b\x1c\U0001f468"), max_size=60)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("a\r\nb", ["a", "b"]),
        ("a\rb\r", ["a", "b"]),
        ("a\n\rb", ["a", "", "b"]),
        ("a\x85b\u2028c\u2029d\x0ce\x0bf\x1cg", ["a\x85b\u2028c\u2029d\x0ce\x0bf\x1cg"]),
    ],
)
def test_only_lf_crlf_and_cr_end_a_line(text: str, expected: list[str]) -> None:
    """The characters that only ``str.splitlines`` knows stay inside their line."""
    assert lines(text) == expected
    assert LineIndex(text).count == len(expected)


@pytest.mark.parametrize(("offset", "line"), [(0, 1), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3)])
def test_offset_gives_its_line(offset: int, line: int) -> None:
    """A line end belongs to the line it ends."""
    assert LineIndex("a\r\nb\nc").line_at(offset) == line


@pytest.mark.parametrize("offset", [-1, 2])
def test_offset_outside_the_text_is_refused(offset: int) -> None:
    """No silent answer for a place that does not exist."""
    with pytest.raises(ValueError, match="outside"):
        LineIndex("a").line_at(offset)


@pytest.mark.parametrize("line", [0, 2])
def test_line_outside_the_text_is_refused(line: int) -> None:
    """No silent answer for a line that does not exist."""
    with pytest.raises(ValueError, match="outside"):
        LineIndex("a\n").span_of(line)


@given(_BREAKY)
def test_spans_of_all_lines_rebuild_the_text(text: str) -> None:
    """Line spans tile the text, and each agrees with ``lines`` and ``line_at``."""
    index = LineIndex(text)
    spans = [index.span_of(line) for line in range(1, index.count + 1)]
    assert "".join(text[start:end] for start, end in spans) == text
    assert [text[start:end].rstrip("\r\n") for start, end in spans] == lines(text)
    for line, (start, end) in enumerate(spans, start=1):
        assert all(index.line_at(offset) == line for offset in range(start, end))
