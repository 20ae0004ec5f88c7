"""Tests of held_words: which of some words a text has, found without analyzing all of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gnomon.analyze import analyze, held_words

_PIECES = (
    "getUserName user_names HTTPServer v2.1.3 café Łódź C++ f# @nasa real-time 東京タワー studies ugly naïve"
    " über der die das ist nicht connection-pool __init__ E-1042 2026.4.10 a_b_c straße ideas 한국어 x1y2"
    " SessionStore.refresh"
)
_TEXTS = st.lists(st.sampled_from(_PIECES.split()) | st.text(max_size=6), max_size=14).map(" ".join)


@given(text=_TEXTS, question=_TEXTS)
def test_they_are_those_of_the_whole_analysis(text: str, question: str) -> None:
    """For any text, and words of any question."""
    wanted = frozenset(analyze(question))

    assert held_words(wanted, text) == wanted & set(analyze(text))


@given(text=_TEXTS, question=_TEXTS)
def test_english_serves_for_english_words_in_any_text(text: str, question: str) -> None:
    """A text keeps the English stems besides its own."""
    wanted = frozenset(analyze(question, language="english"))

    assert held_words(wanted, text, language="english") == wanted & set(analyze(text, language="english"))
