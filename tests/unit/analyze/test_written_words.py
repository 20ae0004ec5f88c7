"""Tests of written_words: which of some words stand in a text as they are, found without analyzing all of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gnomon.analyze import written_words
from gnomon.analyze.words import AS_WRITTEN, memory, tokens

_PIECES = (
    "getUserName user_names HTTPServer v2.1.3 café Łódź C++ f# @nasa real-time 東京タワー studies ugly naïve"
    " über der die das ist nicht connection-pool __init__ E-1042 2026.4.10 a_b_c straße ideas 한국어 x1y2"
    " SessionStore.refresh re-use trying @a_b"
)
_TEXTS = st.lists(st.sampled_from(_PIECES.split()) | st.text(max_size=6), max_size=14).map(" ".join)


@given(text=_TEXTS, question=_TEXTS)
def test_they_are_those_of_the_whole_analysis(text: str, question: str) -> None:
    """For any text, and words of any question."""
    wanted, held = (
        frozenset(word for token in tokens(each) for word in memory(AS_WRITTEN)[token]) for each in (question, text)
    )

    assert written_words(wanted, text) == wanted & held
