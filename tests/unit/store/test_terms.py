"""One analyzed word is one token of FTS5, whatever it holds."""

from __future__ import annotations

import re
import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from gnomon.store.schema import _TOKENIZER
from gnomon.store.terms import all_of, any_of, encode, encode_all

ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=20)


def decode(token: str) -> str:
    """Inverse of ``encode``; the store never needs it."""
    return re.sub("%([0-9a-f]+);", lambda match: chr(int(match[1], 16)), token)


@given(ANY_TEXT)
def test_encoding_is_reversible(word: str) -> None:
    """So different words are different tokens."""
    assert decode(encode(word)) == word


@given(st.lists(ANY_TEXT.filter(bool), min_size=1, max_size=4, unique=True))
def test_each_word_is_one_token(words: list[str]) -> None:
    """As FTS5 itself counts them."""
    connection = sqlite3.connect(":memory:")
    connection.execute(f'CREATE VIRTUAL TABLE w USING fts5(body, content="", tokenize="{_TOKENIZER}")')
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(w, row)")
    connection.execute("INSERT INTO w (rowid, body) VALUES (1, ?)", (encode_all(words),))
    assert {term for (term,) in connection.execute("SELECT term FROM v")} == {encode(word) for word in words}
    for expression in (any_of(words), all_of(words)):
        assert connection.execute("SELECT rowid FROM w WHERE w MATCH ?", (expression,)).fetchall() == [(1,)]
    connection.close()


@given(st.lists(ANY_TEXT, max_size=5))
def test_encoding_many_is_encoding_each(words: list[str]) -> None:
    """The shortcut for plain words changes nothing; empty words are left out."""
    assert encode_all(words) == " ".join(encode(word) for word in words if word)


def test_plain_words_stay_readable() -> None:
    """What most words look like is stored as it is."""
    for word in ("session_store", "2026.4.10", "c++", "größe", "文字", "%".replace("%", "x")):
        assert encode(word) == word
