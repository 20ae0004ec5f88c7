"""Untrusted text on its way to an agent or a terminal."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from gnomon.mcp.passages import fit, tokens
from gnomon.mcp.text import clean, fenced, grep_text, line
from gnomon.values import Hit, Span

_BITS = st.lists(st.sampled_from(["`", "```", "~~~", "\n", "x", "\x1b[31m", "\x9b", "\x07", "\udce9", "\u202e", "\r"]))


@given(_BITS.map("".join))
def test_nothing_inside_closes_the_fence(text: str) -> None:
    """The closing fence is the only line that could close it."""
    first, *body, last = fenced(text).split("\n")
    assert re.fullmatch("`{3,}", first)
    assert last == first
    assert not any(re.fullmatch(f" {{0,3}}{first}`*\\s*", row) for row in body)


@given(_BITS.map("".join))
def test_no_terminal_obeys_cleaned_text(text: str) -> None:
    """No control but tab and line ends; and every encoding carries it."""
    cleaned = clean(text)
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", cleaned)
    cleaned.encode("utf-8")


@given(_BITS.map("".join))
def test_line_is_one_line(text: str) -> None:
    """A file name cannot add a line to an answer."""
    assert len(line(text).splitlines()) <= 1


def _hit(rank: int, text: str) -> Hit:
    lines = text.count("\n") + 1
    return Hit(rank, "/f", f"{rank}.md", Span(0, len(text)), 1, lines, text, score=1.0, label="both")


def test_best_passages_that_fit_are_kept() -> None:
    """A large one is passed over for smaller ones after it; ranks stay."""
    hits = [_hit(1, "a b\n" * 20), _hit(2, "a b\n" * 2000), _hit(3, "a b\n" * 20)]
    assert [hit.rank for hit in fit(hits, 200)] == [1, 3]
    assert len(fit(hits, None)) == 3


@given(st.integers(50, 400), st.text(st.characters(codec="utf-8"), min_size=1, max_size=4000))
def test_single_passage_is_cut_to_fit(limit: int, text: str) -> None:
    """However long the first passage is, and in whatever script, the limit holds."""
    (hit,) = fit([_hit(1, text)], limit)
    assert tokens(hit.text) <= limit
    assert text.startswith(hit.text)
    assert len(hit.span) == len(hit.text)


def test_glob_without_a_file_is_told_apart_from_no_line() -> None:
    """A typing error in it is not an absent line."""
    nothing = {"matches": [], "truncated": False, "filesSearched": 0, "filesUnread": 0}
    assert "relative to the folder" in grep_text(nothing)
    assert grep_text({**nothing, "filesSearched": 1}) == "No matching lines."
