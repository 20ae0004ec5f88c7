"""What every chunker promises, over generated texts of every kind."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.chunk import ChunkLimits, chunk
from gnomon.lines import LineIndex
from gnomon.values import Chunk, Extracted, Kind
from tests.fakes.tokens import FakeTokens

LIMITS = ChunkLimits(target_tokens=20, overlap_tokens=5, hard_tokens=32)
LANGUAGES: list[tuple[Kind, str]] = [
    *(("code", name) for name in ("python", "javascript", "c", "haskell", "bash", "unheard-of")),
    *(("prose", name) for name in ("markdown", "rst", "asciidoc", "org", "plain", "pdf")),
    *(("data", name) for name in ("yaml", "json", "csv", "toml", "ini", "dotenv", "properties", "gitconfig", "log")),
]
_PIECES = st.sampled_from(
    [
        "# Title\n",
        "## Sub *part*\n",
        "Heading\n=======\n",
        "```python\n",
        "~~~\n",
        "~~~~^^^^\n",
        "def f(x):\n    return x\n",
        "class A {\n  int b(int c) { return c; }\n}\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "- item one\n- item two\n",
        "word " * 30,
        "x" * 700,
        "日本語の文章です。次の文。",
        "e\u0301 👩‍👩‍👧 ",
        "\r\n",
        "\r",
        "\n\n",
        "key: value\n  nested: 1\n",
        '{"a": [1, 2, {"b": 3}]}\n',
        "A sentence ends. Another one begins! ",
        "\t\t\t}\n",
        "\x00\x0c",
    ]
)
_TEXTS = st.lists(st.one_of(_PIECES, st.text(max_size=40)), max_size=30).map("".join)


def _cut(text: str, kind: Kind, language: str, start: int = 0) -> list[Chunk]:
    return chunk(Extracted(text, kind, language), path="x", tokens=FakeTokens(), limits=LIMITS, body_start=start)


@settings(max_examples=150, deadline=None)
@given(text=_TEXTS, form=st.sampled_from(LANGUAGES), start=st.integers(0, 50))
def test_nothing_is_lost_and_nothing_is_above_the_window(text: str, form: tuple[Kind, str], start: int) -> None:
    """Spans cover every non-blank character, are true to the text, and fit the model with their context."""
    start = min(start, len(text))
    covered = bytearray(len(text))
    for number, piece in enumerate(_cut(text, *form, start)):
        span = piece.span
        assert piece.ordinal == number
        assert piece.text == text[span.start : span.end]
        assert piece.text.strip()
        assert len(FakeTokens().token_starts(piece.embedded)) <= LIMITS.hard_tokens
        covered[span.start : span.end] = b"\1" * len(span)
    assert [c for at, c in enumerate(text) if at >= start and not c.isspace() and not covered[at]] == []
    assert not any(covered[:start])


@settings(max_examples=80, deadline=None)
@given(text=_TEXTS, form=st.sampled_from(LANGUAGES))
def test_lines_are_those_of_an_editor(text: str, form: tuple[Kind, str]) -> None:
    """Start and end line hold the first and last character of a chunk, whatever ends the lines."""
    index = LineIndex(text)
    for piece in _cut(text, *form):
        assert piece.start_line == index.line_at(piece.span.start)
        assert piece.end_line == index.line_at(piece.span.end - 1)


@settings(max_examples=60, deadline=None)
@given(text=_TEXTS, form=st.sampled_from(LANGUAGES))
def test_the_same_text_gives_the_same_chunks(text: str, form: tuple[Kind, str]) -> None:
    """Chunks are a pure function of their document."""
    assert _cut(text, *form) == _cut(text, *form)


@pytest.mark.parametrize(("kind", "language"), LANGUAGES)
def test_text_is_tokenised_once(kind: Kind, language: str) -> None:
    """The whole text goes through the tokenizer one time; what follows are context lines and cuts inside words."""
    tokens = FakeTokens()
    text = "# A\n\nSome words here.\n\n" * 60
    chunk(Extracted(text, kind, language), path="x", tokens=tokens, limits=LIMITS)
    assert sum(len(call) for call in tokens.calls if len(call) > 200) == len(text)


def test_empty_document_has_no_chunks() -> None:
    """White space is no passage."""
    assert _cut(" \n\t\n", "prose", "markdown") == []


@pytest.mark.parametrize("kind", ["code", "prose", "data"])
def test_hostile_nesting_ends(kind: Kind) -> None:
    """40,000 levels of brackets fall back; nothing hangs or overflows."""
    text = "[" * 40_000 + "]" * 40_000
    assert sum(len(piece.span) for piece in _cut(text, kind, "json" if kind == "data" else "javascript")) == 80_000
