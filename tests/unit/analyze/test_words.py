"""Tests of analyze: what a text is found by."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.analyze import analyze, chunk_words
from gnomon.analyze.words import _TOKEN, memory, parts, tokens
from gnomon.values import Chunk, Span


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("2026.4.10", "Released 2026.4.10."),
        ("E-1042", "raise Fault('E-1042')"),
        ("ERR_TOKEN_EXPIRED", "code = ERR_TOKEN_EXPIRED;"),
        ("C++", "written in C++, then in Rust"),
        ("std::vector<int>", "std::vector<int> rows;"),
        ("src/main.py", "run src/main.py first"),
        ("@nasa", "as @nasa said"),
        ("real-time", "a real-time clock"),
        ("設定", "Pythonの設定ファイル"),
        ("世紀", "8世紀の首都"),
        ("데이터", "데이터베이스를 연결한다"),
        ("cafe", "un café noir"),
        ("café", "un cafe\N{COMBINING ACUTE ACCENT} noir"),
        ("Lodz", "z Łodzi do Łódź"),
        ("Kobenhavn", "fra København"),
        ("user name", "def getUserName():"),
        ("get_user_name", "getUserName()"),
        ("get-user-name", "GetUserName()"),
        ("session", "SESSIONS = []"),
        ("utf8", "the utf-8 codec"),
        ("\uff21\uff22\uff23", "abc"),
        ("ß", "ß"),
        ("домов", "новый дом"),
    ],
)
def test_a_line_is_found_by_every_word_of_its_query(query: str, line: str) -> None:
    """The words of the query that a person would type are among the words of the line."""
    assert set(analyze(query)) <= set(analyze(line))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("HTTPServer", ["http", "server"]),
        ("getUserName", ["get", "user", "name"]),
        ("sha256_sum", ["sha", "256", "sum"]),
        ("straßeName", ["straße", "name"]),
        ("x", ["x"]),
        ("xY", ["x", "y"]),
    ],
)
def test_identifiers_split_where_their_writers_mean_it(name: str, expected: list[str]) -> None:
    """Case changes, digits and underscores part a name; single letters go where longer parts are left."""
    assert parts(name) == expected


def test_c_plus_plus_is_more_than_c() -> None:
    """The language is a word of its own beside its letter."""
    assert "c++" in analyze("C++")
    assert "c++" not in analyze("i++ in C")


def test_stop_words_are_kept_in_texts() -> None:
    """Only a question may drop them: a text that is nothing but stop words is still found."""
    assert analyze("to be or not to be") == ["to", "be", "or", "not", "to", "be"]


def test_german_prose_is_found_by_other_forms_of_its_words() -> None:
    """A text that is plainly German has German stems beside the English ones."""
    text = "Die Verteidigung der Mannschaft gab nur wenige Punkte ab, und das war auch gut so."
    assert set(analyze("Verteidigungen", language="german")) & set(analyze(text)) >= {"verteid"}


def test_code_is_taken_to_be_english() -> None:
    """A few words that are also German do not make code German."""
    assert "verteid" not in analyze("if die is None:\n    return self.verteidigung(was, **kwargs)  # the default")


def test_encoded_data_is_neither_split_nor_remembered() -> None:
    """A token of thousands of characters costs one short word."""
    blob = "aB3" * 5000
    assert analyze(blob) == [blob[:80].lower()]
    assert blob not in memory("english")


@given(st.text())
def test_any_text_gives_the_same_words_twice(text: str) -> None:
    """No input is an error, no word is empty or holds white space, and nothing depends on what came before."""
    words = analyze(text)
    assert words == analyze(text)
    assert all(word and word == "".join(word.split()) for word in words)


@given(st.text(alphabet="vVcCgfJa01+#@-._ \n(", max_size=30))
def test_the_quick_pattern_finds_the_same_tokens(text: str) -> None:
    """The one for ASCII is written for speed; the one for all of Unicode says what it means."""
    assert tokens(text) == re.findall(_TOKEN, text)


@given(st.text(alphabet="éàüñçößaeiounstr ", max_size=60))
def test_composed_and_decomposed_accents_are_one(text: str) -> None:
    """NFC and NFD spellings of a text are found alike."""
    assert analyze(unicodedata.normalize("NFD", text)) == analyze(unicodedata.normalize("NFC", text))


def test_chunk_words_fill_every_field() -> None:
    """Body, symbols, headings and path are analyzed apart; a title that repeats the first heading counts once."""
    chunk = Chunk(
        ordinal=0,
        span=Span(0, 9),
        start_line=1,
        end_line=1,
        text="refreshes",
        breadcrumb=("Auth", "Tokens"),
        symbols=("SessionStore.refresh",),
        signature="def refresh(self):",
    )
    words = chunk_words(chunk, "src/auth/session.py", "Auth")
    assert words.body == ("refresh",)
    assert words.symbols == ("sessionstor", "session", "store", "refresh", "def", "refresh", "self")
    assert words.headings == ("auth", "token")
    assert words.path == ("src", "auth", "session", "py")
