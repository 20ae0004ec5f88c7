"""Tests of chunk.tokens: what a slice costs, and where it is cut to size."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.chunk.tokens import MAX_CHARS_PER_TOKEN, TokenIndex
from tests.fakes.tokens import PieceTokens


def test_a_slice_at_white_space_costs_its_own_tokens() -> None:
    """The one pass over the whole text answers for every slice of whole words."""
    text = "alpha beta-gamma delta epsilon"
    index = TokenIndex(text, PieceTokens())

    assert index.tokens(6, 22) == PieceTokens().count(text[6:22])


def test_what_is_before_the_start_is_not_tokenised() -> None:
    """Front matter costs nothing."""
    tokens = PieceTokens()

    index = TokenIndex("status: draft\nbody text", tokens, start=14)

    assert tokens.calls == ["body text"]
    assert index.tokens(14, 23) == 2


def test_a_large_text_is_tokenised_in_blocks_at_line_ends() -> None:
    """Memory stays flat, and no word is torn by a block."""
    text = "some words on a line\n" * 30_000
    tokens = PieceTokens()

    index = TokenIndex(text, tokens)

    assert len(tokens.calls) > 1
    assert all(call.endswith("\n") for call in tokens.calls)
    assert index.tokens(0, len(text)) == 30_000 * PieceTokens().count("some words on a line")


def test_blanks_without_end_have_a_cost() -> None:
    """A chunk cannot be of any length because its characters are no tokens."""
    index = TokenIndex(" " * 10_000, PieceTokens())

    assert index.cost(0, 10_000) == 10_000 // MAX_CHARS_PER_TOKEN


def test_a_cut_prefers_white_space_then_a_sign() -> None:
    """Words stay whole where they can."""
    words, path = "one two three four five six seven", "aaaa/bbbb/cccc/dddd/eeee/ffff"

    assert words[: TokenIndex(words, PieceTokens()).end_within(0, len(words), 5)] == "one two three four "
    assert path[: TokenIndex(path, PieceTokens()).end_within(0, len(path), 6)] == "aaaa/bbbb/cccc/"


@given(
    st.lists(
        st.sampled_from(["word ", "x" * 150, "漢字", "ab" * 20, "- ", "\x01", "\U0001f600" * 9, "e\u0301"]), max_size=30
    ),
    st.integers(1, 30),
)
@settings(deadline=None)
def test_a_cut_slice_is_within_its_room(pieces: list[str], room: int) -> None:
    """By the tokenizer's own count of the slice, also where words are torn."""
    text = "".join(pieces)
    index = TokenIndex(text, PieceTokens())

    start = 0
    while start < len(text):
        end = index.end_within(start, len(text), room)
        assert end > start
        assert PieceTokens().count(text[start:end]) <= room or end == start + 1
        start = end


def test_last_words_begin_at_a_word() -> None:
    """An overlap starts with a whole word."""
    text = "alphabetical beta gamma"
    index = TokenIndex(text, PieceTokens())

    assert text[index.last_words(0, len(text), 2) :] == "gamma"
    assert text[index.last_words(0, len(text), 5) :] == "beta gamma"
    assert index.last_words(0, len(text), 1) == len(text)
