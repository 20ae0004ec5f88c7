"""Text in slices, without surrogates, and the estimate of an unknown model's tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gnomon.embed.text import encodable, estimated_token_starts, slices


@given(st.text(alphabet=st.characters(), max_size=200), st.integers(1, 40))
def test_slices_join_to_the_text_and_keep_the_limit(text: str, limit: int) -> None:
    """Nothing is lost or repeated, and no slice is empty or above the limit."""
    ranges = list(slices(text, limit))
    assert "".join(text[begin:end] for begin, end in ranges) == text
    assert all(0 < end - begin <= limit for begin, end in ranges)


@given(st.text(alphabet="ab \n", max_size=200), st.integers(8, 40))
def test_slices_do_not_cut_words_shorter_than_the_limit(text: str, limit: int) -> None:
    """A cut stands at white space unless a word alone fills the slice."""
    for _, end in list(slices(text, limit))[:-1]:
        begin = max(text.rfind(" ", 0, end), text.rfind("\n", 0, end))
        assert text[end].isspace() or end - begin >= limit


@given(st.text(alphabet=st.characters(codec=None), max_size=50))
def test_encodable_text_has_the_same_length_and_encodes(text: str) -> None:
    """Offsets stay valid and every tokenizer takes it."""
    clean = encodable(text)
    assert len(clean) == len(text)
    clean.encode()


def test_encodable_text_is_left_alone() -> None:
    """The common case copies nothing."""
    text = "caf\u00e9 \u65e5\u672c"
    assert encodable(text) is text


@given(st.text(max_size=100))
def test_estimate_counts_every_visible_character_once(text: str) -> None:
    """Starts ascend, none is white space, and each stretch without white space begins with one."""
    starts = estimated_token_starts(text)
    assert starts == sorted(set(starts))
    assert all(not text[start].isspace() for start in starts)
    stretches = {i for i, c in enumerate(text) if not c.isspace() and (i == 0 or text[i - 1].isspace())}
    assert stretches <= set(starts)


def test_cjk_is_estimated_at_a_token_per_character() -> None:
    """Scripts without spaces are not one word."""
    assert len(estimated_token_starts("\u8a2d\u5b9a\u30d5\u30a1\u30a4\u30eb")) == 6
