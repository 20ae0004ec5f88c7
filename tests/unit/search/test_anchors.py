"""A hit says which page it is on, also where its passage runs over the end of one."""

from __future__ import annotations

import pytest

from gnomon.search.hits import anchor_of
from gnomon.values import Anchor, Chunk, Span

_TEXT = "alpha one. " * 3 + "beta two. " * 5 + "gamma"
_PAGES = (Anchor(0, "page 1"), Anchor(33, "page 2"), Anchor(83, "page 3"))


def _chunk(start: int, end: int) -> Chunk:
    return Chunk(0, Span(start, end), 1, 1, _TEXT[start:end])


@pytest.mark.parametrize(("word", "page"), [("alpha", "page 1"), ("two", "page 2"), ("gamma", "page 3")])
def test_page_is_that_of_the_words_asked_for(word: str, page: str) -> None:
    """The whole document is one passage; the word is on one page."""
    assert anchor_of(_PAGES, [_chunk(0, len(_TEXT))], ["of", word]) == page


def test_page_is_that_of_most_of_the_text_where_no_word_tells() -> None:
    """A passage that begins at the foot of a page is about the next one."""
    assert anchor_of(_PAGES, [_chunk(22, 80)], ["absent"]) == "page 2"


def test_passage_on_one_page_is_on_that_page() -> None:
    """Whatever words are asked for."""
    assert anchor_of(_PAGES, [_chunk(2, 20)], ["gamma"]) == "page 1"


def test_text_before_the_first_anchor_has_the_first() -> None:
    """A heading above the first page belongs to it."""
    assert anchor_of((Anchor(10, "page 1"),), [_chunk(0, 8)]) == "page 1"


def test_document_with_lines_has_no_page() -> None:
    """Lines are the way back there."""
    assert anchor_of((), [_chunk(0, 20)], ["alpha"]) == ""
