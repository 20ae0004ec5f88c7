"""Bytes through every text step in a row, as a run takes them: nothing breaks, nothing is lost, nothing takes long.

The unit tests of each step have fuzzing of their own; here the output of one is the input of the next.
"""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gnomon.analyze import analyze_query, chunk_words
from gnomon.chunk import ChunkLimits, chunk
from gnomon.chunk.graphemes import joins
from gnomon.errors import DocumentError
from gnomon.extract import extract
from gnomon.extract.encodings import decode
from gnomon.extract.secrets import redact_document
from gnomon.lifecycle import read_lifecycle
from gnomon.lines import LineIndex, lines
from gnomon.values import Chunk, Extracted
from tests.fakes.tokens import PieceTokens

pytestmark = pytest.mark.slow

_LIMITS = ChunkLimits(target_tokens=40, overlap_tokens=8, hard_tokens=56)
_NAMES = [
    *("a.md", "a.txt", "a.rst", "a.adoc", "a.org", "a.tex", "a.html", "a.srt"),
    *("a.json", "a.yaml", "a.toml", "a.csv", "a.log", "a.xml", "a.ini"),
    *("a.py", "a.js", "a.go", "a.rb", "a.hs", "a.sql", "a.c", "a.xyz"),
]
# What some step looks at, whole and broken; the rest is drawn.
_WORDS = [
    *(
        "---\n",
        "+++\n",
        "status: superseded\n",
        "superseded_by: [a, b\n",
        "&a *a\n",
        "!!python/object:os.system\n",
        "...\n",
    ),
    *(
        "# T\n",
        "## T\n",
        "===\n",
        "~~~\n",
        "```\n",
        "````x\n",
        "> ",
        "- ",
        "1. ",
        "| a | b |\n|--|--|\n",
        "<!--",
        "-->",
    ),
    *(
        "<pre>",
        "</p>",
        "<td>",
        "{% x %}",
        "{{",
        "\\section{",
        "\\begin{verbatim}\n",
        "* TODO ",
        "#+begin_src\n",
        ".. code::\n",
    ),
    *("{", "}", "[", "]", "(", ")", '"', "'", '"""', "//", "/*", "*/", "#", "def f(x):\n", "class A {\n", "=>", ";\n"),
    *(
        '"k": ',
        "key: ",
        "[s]\n",
        "a,b;c\t",
        "<a b='c'>",
        "\x1b[31m",
        "password = ",
        "ghp_",
        "-----BEGIN PRIVATE KEY-----\n",
    ),
    *("\n", "\n\n", "\r\n", "\r", "\x85", "\u2028", "\x0c", "\t", "    ", "\u200b", "\ufeff", "\0"),
    *(
        "e\u0301",
        "\u0301",
        "👩\u200d👩\u200d👧",
        "🇩🇪",
        "👍🏽",
        "ｶﾞ",
        "検索",
        "검색",
        "größe",
        "ﷺ",
        "x" * 300,
        "1.2.3",
        "camelCaseWord",
    ),
]
_TEXTS = st.lists(st.one_of(st.sampled_from(_WORDS), st.text(max_size=8)), max_size=60).map("".join)
_CODECS = st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252", "cp932", "gb18030", "koi8_r"])
_RUN = settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def _steps(name: str, content: bytes) -> tuple[Extracted, int, list[Chunk]]:
    """What the index run does with one file: the text, where its body starts, and the chunks."""
    document, _ = redact_document(extract(name, content))
    life = read_lifecycle(document.text, path=name, language=document.language)
    chunks = chunk(document, path=name, tokens=PieceTokens(), limits=_LIMITS, body_start=life.body_start)
    for piece in chunks:
        chunk_words(piece, name, document.title)
    return document, life.body_start, chunks


def _check(document: Extracted, body_start: int, chunks: list[Chunk]) -> None:
    text = document.text
    covered = bytearray(len(text))
    index = LineIndex(text)
    for piece in chunks:
        start, end = piece.span.start, piece.span.end
        assert piece.text == text[start:end]
        assert (piece.start_line, piece.end_line) == (index.line_at(start), index.line_at(end - 1))
        covered[start:end] = b"\1" * (end - start)
        # A cut inside of what people see as one character would show halves of it; long runs have to be cut. White
        # space at the end is left out, also behind a joiner.
        assert (
            end == len(text)
            or text[end].isspace()
            or len(piece.text) < 4
            or not joins(text, end)
            or len(piece.text) > _LONG_CHARS
        )
    assert [at for at in range(body_start, len(text)) if not covered[at] and not text[at].isspace()] == []


_LONG_CHARS = 100


@_RUN
@given(name=st.sampled_from(_NAMES), text=_TEXTS, codec=_CODECS)
def test_text_goes_through_all_steps_whole(name: str, text: str, codec: str) -> None:
    """Every character after the front matter is in a chunk, lines are those of an editor, no emoji is cut."""
    try:
        found = _steps(name, text.encode(codec, "replace"))
    except DocumentError:
        return
    _check(*found)


@_RUN
@given(name=st.sampled_from(_NAMES), content=st.lists(st.one_of(st.binary(max_size=12), _TEXTS.map(str.encode))))
def test_bytes_go_through_all_steps_or_are_refused(name: str, content: list[bytes]) -> None:
    """No exception but the refusal."""
    try:
        found = _steps(name, b"".join(content))
    except DocumentError:
        return
    _check(*found)


@_RUN
@given(text=_TEXTS, codec=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]))
def test_decoding_loses_no_character(text: str, codec: str) -> None:
    """What was written in Unicode comes back but for NUL and a mark at the start."""
    try:
        decoded = decode(text.encode(codec)).text
    except DocumentError:
        return  # mostly control characters
    kept = text.replace("\0", "\ufffd")
    assert decoded == (kept.removeprefix("\ufeff") if codec == "utf-8" else kept) or "\0" in text or "\x1b$" in text


@_RUN
@given(text=_TEXTS)
def test_front_matter_ends_at_a_line(text: str) -> None:
    """What is taken for front matter is whole lines at the start, so that lines still count from the top."""
    for fence in ("---", "+++"):
        source = f"{fence}\n{text}"
        start = read_lifecycle(source, path="a.md", language="markdown").body_start
        assert 0 <= start <= len(source)
        assert start in {0, len(source)} or source[start - 1] in "\r\n"


@_RUN
@given(text=_TEXTS)
def test_either_form_of_a_word_is_the_same_word(text: str) -> None:
    """A question in NFD finds what was written in NFC, and the reverse."""
    composed = unicodedata.normalize("NFC", text).replace("\n", " ")
    decomposed = unicodedata.normalize("NFD", composed)
    assert set(analyze_query(composed).words.any_of) == set(analyze_query(decomposed).words.any_of)


@_RUN
@given(text=_TEXTS)
def test_lines_are_those_of_the_index(text: str) -> None:
    """What ``cat`` shows as line n is what a hit calls line n."""
    index = LineIndex(text)
    shown = lines(text)
    assert index.count == len(shown)
    assert all(
        text[slice(*index.span_of(number))].rstrip("\r\n") == line.rstrip("\r\n")
        for number, line in enumerate(shown, 1)
    )


_UNITS = [
    *(
        "(",
        "[",
        "{",
        "<",
        ">",
        "- ",
        "* ",
        "#",
        "`",
        "```\n",
        "~~~\n",
        "**a*",
        "[a](",
        "![",
        "_a ",
        "|",
        "|-|-|\n",
        "<div>",
    ),
    *(
        "<!--",
        "&amp;",
        "{{",
        '"',
        "'",
        '"""',
        "/*",
        "//",
        "\\begin{verbatim}\n",
        "*  ",
        ".. \n",
        "  ",
        "\t",
        "\r",
        "\n",
        "\x0c",
    ),
    *(
        "---\n",
        "a: &a [*a]\n",
        "- - ",
        "? ",
        "password=",
        "ey",
        "://",
        "a.",
        "A",
        "aB",
        "1.",
        "é",
        "e\u0301",
        "\u0301",
        "検",
        "👩\u200d",
    ),
    *(
        "def f():\n",
        "if x:\n ",
        "class A{",
        "x,",
        "<a>",
        "=",
        "status: x\n",
        "superseded by ",
        "://a:b@",
        "--",
        "::",
        "\x1b[",
    ),
]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "name", ["a.md", "a.txt", "a.rst", "a.html", "a.json", "a.yaml", "a.csv", "a.py", "a.js", "a.xyz"]
)
def test_hostile_repetition_takes_bounded_time(name: str) -> None:
    """10,000 times the same, after something and before something: a second of CPU time each at most."""
    slow = []
    for unit in _UNITS:
        begun = time.process_time()
        try:
            _steps(name, f"# Title\n\n{unit * 10_000}\n\nend\n".encode())
        except DocumentError:
            continue
        seconds = time.process_time() - begun
        if seconds > _MOST_SECONDS * max(1.0, len(unit) / 2):
            slow.append((unit, round(seconds, 1)))
    assert slow == []


_MOST_SECONDS = 1.0
