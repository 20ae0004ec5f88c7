"""Tests of analyze_query: what a question asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.analyze import QueryKind, analyze_query
from gnomon.analyze.query import contains_phrase, fold_text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SessionStore", "identifier"),
        ("render_template()", "identifier"),
        ("Rack::Builder", "identifier"),
        ("std::vector<int>", "identifier"),
        ("g", "identifier"),
        ("2026.4.10", "identifier"),
        ("v1.2-rc3", "identifier"),
        ("127.0.0.1:8080", "identifier"),
        ("42", "keywords"),
        ("src/main.py", "path"),
        ("pyproject.toml", "path"),
        ("TypeError: x is not iterable", "error"),
        ("ERR_TOKEN_EXPIRED when logging in", "error"),
        ("error: linker not found", "error"),
        ("how do sessions expire", "question"),
        ("Wo liegt die Datei", "question"),
        ("首都はどこですか\uff1f", "question"),
        ("session expiry rules", "keywords"),
        ("error handling middleware", "keywords"),
        ("", "keywords"),
    ],
)
def test_kinds_of_questions_are_told_apart(text: str, kind: QueryKind) -> None:
    """The form of a question says what it is."""
    assert analyze_query(text).kind == kind


@pytest.mark.parametrize("text", ['"-postgres" backups', '"tar -xzf" backups'])
def test_what_is_quoted_excludes_nothing(text: str) -> None:
    """It used to be asked for and left out at the same time, so that nothing could answer."""
    query = analyze_query(text)
    assert (query.excluded, query.words.none_of) == ((), ())
    assert len(query.words.all_of) == len(query.terms) - 1


def test_quoted_phrases_must_occur_and_still_score() -> None:
    """The words of a phrase are required, and are looked up like the rest."""
    query = analyze_query('refresh "session store"')
    assert query.phrases == ("session store",)
    assert query.words.all_of == ("session", "store")
    assert set(query.words.any_of) >= {"refresh", "session", "store"}
    assert query.text == "refresh session store"


def test_a_word_after_a_dash_must_not_occur() -> None:
    """The exclusion leaves the text that is embedded; of a phrase no single word is excluded."""
    query = analyze_query('session -redis -"in memory"')
    assert query.words.none_of == ("redi",)
    assert query.excluded == ("redis", "in memory")
    assert query.text == "session"


@pytest.mark.parametrize("text", ["tar -x", "real-time", "a - b", "x-y", "ls --all", "-5 degrees", "-foo"])
def test_other_dashes_are_plain_text(text: str) -> None:
    """Options, hyphens, minus signs and a lone exclusion exclude nothing."""
    assert analyze_query(text).words.none_of == ()


def test_stop_words_go_unless_nothing_else_is_there() -> None:
    """A question of stop words alone is still looked up."""
    assert analyze_query("how is the session kept").terms == ("session", "kept")
    assert analyze_query("to be or not to be").words.any_of[:2] == ("to", "be")


def test_neighbours_are_also_looked_up_as_one_word() -> None:
    """Two words of the question may be one in the text; they do not count as terms of their own."""
    query = analyze_query("web socket client")
    assert "websocket" in query.words.any_of
    assert "websocket" not in query.terms


@pytest.mark.parametrize(
    ("text", "identifiers"),
    [
        ("how Picker:move_selection works", ("Picker:move_selection",)),
        ("where is SessionStore used", ("SessionStore",)),
        ("call render() twice", ("render",)),
        ("the `flush` option", ("flush",)),
        ("view", ("view",)),
        ("HTTPServer and parseJSON", ("HTTPServer", "parseJSON")),
        ("plain words only", ()),
    ],
)
def test_names_of_code_are_recognised(text: str, identifiers: tuple[str, ...]) -> None:
    """Case, underscores, qualifiers, backticks and calls make a name."""
    assert analyze_query(text).identifiers == identifiers


@pytest.mark.parametrize(
    ("text", "literal"),
    [("C++ templates", "C++"), ("a std::vector<int> of", "std::vector<int>"), ("see src/main.py.", "src/main.py"),
     ("by @nasa", "@nasa"), ("a real-time clock", "real-time"), ("since 2026.4.10", "2026.4.10")],
)  # fmt: skip
def test_pieces_with_punctuation_are_kept_as_typed(text: str, literal: str) -> None:
    """They are looked for letter by letter among the candidates."""
    assert analyze_query(text).literals == (literal,)


def test_letters_with_a_number_are_kept_as_typed_where_they_are_the_question() -> None:
    """Every other number behind the same letters shares a word with it; only the whole is what is asked for."""
    assert analyze_query("h264").literals == ("h264",)
    assert analyze_query("encode h264 streams").literals == ()


@pytest.mark.parametrize(
    ("text", "prefers"),
    [("how do I configure the proxy", "prose"), ("where is the parser implemented", "code"),
     ("installation of the function", ""), ("session expiry", "")],
)  # fmt: skip
def test_a_question_may_say_which_kind_it_wants(text: str, prefers: str) -> None:
    """Guides are asked for in other words than implementations."""
    assert analyze_query(text).prefers == prefers


@given(st.one_of(st.text(max_size=300), st.text(alphabet="+-\":*~()' aB_é", max_size=5000)))
def test_no_input_is_an_error(text: str) -> None:
    """Any text is read, keeps its words bounded and repeats none; names are pieces of it."""
    query = analyze_query(text)
    assert len(query.words.any_of) <= 64
    assert len(set(query.words.any_of)) == len(query.words.any_of)
    assert query.is_empty == (not query.words.any_of and not query.words.all_of)
    assert all(piece in text for piece in (*query.literals, *query.identifiers))


@pytest.mark.parametrize(
    ("text", "phrase", "expected"),
    [
        ("the Session-Store of", "session store", True),
        ("the sessions store", "session store", False),
        ("category", "cat", False),
        ("Un Café noir", "cafe", True),
        ("日本の首都", "の首", True),
    ],
)
def test_phrases_match_whole_words_across_punctuation(text: str, phrase: str, *, expected: bool) -> None:
    """Case, accents and what stands between the words do not matter; word borders do."""
    assert contains_phrase(fold_text(text), phrase) is expected


@pytest.mark.timeout(20)  # each took minutes where a pattern goes over a piece once per character
@pytest.mark.parametrize(
    "text",
    [
        *("a" * 10**6, "e" + "\u0301" * 10**6, '"' + "a " * 10**6, ' "a' * 10**5, "error " * 10**5, "!" * 10**6 + "x"),
        *("_" * 10**6, "a." * 10**5, "1." * 10**5, "aB" * 10**5, ("!" * 199 + " ") * 10**4, ("a_" * 99 + " ") * 10**4),
    ],
    ids=lambda text: repr(text[:3]),
)
def test_questions_without_end_are_read_as_any_other(text: str) -> None:
    """A word of a million letters, quotes that never close, punctuation without end."""
    asked = analyze_query(text)
    assert len(asked.words.any_of) <= 64
    assert asked.kind in {"keywords", "error", "identifier", "question"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("This event loop is already running", "This event loop is already running"),
        ("RuntimeError: cannot schedule new futures", "cannot schedule new futures"),
        ("zipfile.BadZipFile: File is not a zip file", "File is not a zip file"),
        ("error[E0382]: borrow of moved value", "borrow of moved value"),
        ("ValueError: 3", ""),
        ("No such option", "No such option"),
        ("No such option: --foo", "No such option"),
        ("Permission denied: '/etc/x'", "Permission denied: '/etc/x'"),
        ("invalid syntax", ""),
        ("how is an unknown option told", ""),
        ("is the loop already running?", ""),
        ("how does the loop run", ""),
        ("event loop policy", ""),
        ("session store refresh token rotation", ""),
        ("x" * 150 + " is " + "y " * 90, ""),
    ],
)
def test_message_is_what_may_stand_in_a_text_word_for_word(text: str, message: str) -> None:
    """A pasted error without its name, or a sentence; no question and no list of words."""
    assert analyze_query(text).message == message


@pytest.mark.parametrize(
    ("text", "kind", "identifiers"),
    [
        ("class Popen", "identifier", ("Popen",)),
        ("export async function loadAll(", "identifier", ("loadAll",)),
        ("struct std::Vec {", "identifier", ("std::Vec",)),
        ("def copytree", "keywords", ("copytree",)),
        ("class hierarchy", "keywords", ("hierarchy",)),
        ("class Popen with pipes", "keywords", ()),
    ],
)
def test_declaration_asks_for_its_name(text: str, kind: str, identifiers: tuple[str, ...]) -> None:
    """Alone where it is written as no plain word is, else as one name among words."""
    asked = analyze_query(text)
    assert asked.kind == kind
    assert set(identifiers) <= set(asked.identifiers)


@pytest.mark.parametrize(
    "text", ["requests per minute", "parse comment", "var declaration", "pod restart policy", "bin folder", "man page"]
)
def test_one_foreign_function_word_makes_no_foreign_question(text: str) -> None:
    """Each of them is a word of English, or of computers."""
    assert analyze_query(text).is_english


@pytest.mark.parametrize(
    "text", ["wie ist der Schlüssel", "où est la clé", "Größe der Datei", "wo wird das gespeichert"]
)
def test_more_of_them_or_other_letters_do(text: str) -> None:
    """Endings are then cut as that language has them."""
    assert not analyze_query(text).is_english
