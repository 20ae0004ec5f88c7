"""Tests of chunk: what holds for every kind of document, whatever is in it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.chunk import CHUNKER_VERSION, chunk
from gnomon.chunk.base import ChunkLimits
from gnomon.chunk.graphemes import joins
from gnomon.lines import LineIndex
from gnomon.values import Chunk, Extracted, Kind
from tests.fakes.tokens import PieceTokens

SMALL = ChunkLimits(target_tokens=24, overlap_tokens=6, hard_tokens=32)

LANGUAGES: list[tuple[Kind, str]] = [
    ("code", "python"),
    ("code", "javascript"),
    ("code", "go"),
    ("code", "elixir"),
    ("code", "kotlin"),
    ("code", "haskell"),
    ("code", "sql"),
    ("code", ""),
    ("prose", "markdown"),
    ("prose", "rst"),
    ("prose", "asciidoc"),
    ("prose", "org"),
    ("prose", "latex"),
    ("prose", "pdf"),
    ("prose", ""),
    ("data", "json"),
    ("data", "yaml"),
    ("data", "toml"),
    ("data", "csv"),
    ("data", ""),
]

# Pieces that mean something to one of the chunkers, mixed with what means nothing to any.
_PIECES = st.sampled_from(
    [
        *("\n", "\n\n", "\r\n", "\r", "  ", "    ", "\t", " \n", "\u2028", "\x0c", "\x85"),
        *(
            "# Title\n",
            "## Part\n",
            "Title\n=====\n",
            "~~~\n",
            "```py\n",
            "```\n",
            "<!--",
            "-->",
            "- item\n",
            "1. one\n",
        ),
        *(
            "| a | b |\n|---|---|\n",
            "| 1 | 2 |\n",
            "> quote\n",
            ".. code::\n",
            "#+begin_src\n",
            "[section]\n",
            "key: value\n",
        ),
        *(
            "def f(a):\n",
            "class A:\n",
            "function f() {\n",
            "}\n",
            "{",
            "(",
            ");\n",
            '"',
            "'",
            "//",
            "/*",
            "*/",
            "# note\n",
        ),
        *(
            "word ",
            "a longer sentence of words. ",
            "設定ファイルを読む。",
            "한국어 문장입니다. ",
            "x" * 130,
            "y" * 600,
            "ab" * 30 + " ",
        ),
        *(
            "\U0001f469\u200d\U0001f467",
            "e\u0301",
            "\U0001f1e9\U0001f1ea",
            "\ud83d",
            "\udce9",
            "\x00",
            "\ufeff",
            "\u1100\u1161",
        ),
    ]
)
_TEXTS = st.lists(_PIECES | st.text(max_size=12), max_size=60).map("".join)


def cut(text: str, kind: Kind, language: str, limits: ChunkLimits = SMALL, body_start: int = 0) -> list[Chunk]:
    """Chunks of a text, cut small."""
    document = Extracted(text, kind, language)
    return chunk(document, path="any/file", tokens=PieceTokens(), limits=limits, body_start=body_start)


@pytest.mark.parametrize(("kind", "language"), LANGUAGES)
@given(text=_TEXTS, data=st.data())
@settings(max_examples=60)
def test_chunks_cover_fit_and_stay_in_order(kind: Kind, language: str, text: str, data: st.DataObject) -> None:
    """Every non-blank character is in a chunk, no chunk is above the window, lines are those of an editor."""
    body_start = data.draw(st.integers(0, len(text))) if data.draw(st.booleans()) else 0
    chunks = cut(text, kind, language, body_start=body_start)

    covered = set[int]()
    tokens, lines = PieceTokens(), LineIndex(text)
    for at, piece in enumerate(chunks):
        span = piece.span
        covered.update(range(span.start, span.end))
        assert piece.ordinal == at
        assert body_start <= span.start < span.end <= len(text)
        assert piece.text == text[span.start : span.end]
        assert piece.text.strip()
        assert tokens.count(piece.embedded) <= SMALL.hard_tokens
        assert tokens.count(replace(piece, embed_text="").embedded) <= SMALL.hard_tokens
        assert piece.start_line == lines.line_at(span.start)
        assert piece.end_line == lines.line_at(span.end - 1)
        assert not (body_start < span.start and joins(text, span.start))
        assert not (span.end < len(text) and joins(text, span.end))
    assert [piece.span.start for piece in chunks] == sorted(piece.span.start for piece in chunks)
    lost = [at for at in range(body_start, len(text)) if at not in covered and not text[at].isspace()]
    assert not lost


@pytest.mark.parametrize(("kind", "language"), LANGUAGES)
@given(text=_TEXTS)
@settings(max_examples=10)
def test_the_same_document_gives_the_same_chunks(kind: Kind, language: str, text: str) -> None:
    """Nothing depends on what was cut before."""
    assert cut(text, kind, language) == cut(text, kind, language)


@pytest.mark.parametrize(("kind", "language"), LANGUAGES)
def test_a_text_is_tokenised_once(kind: Kind, language: str) -> None:
    """One pass over the document; beside it only short lines of context are counted."""
    text = "".join(f"# Part {n}\n\ndef name_{n}(a, b):\n    return a + b + {n}\n\n" for n in range(60))
    tokens = PieceTokens()

    chunks = chunk(Extracted(text, kind, language), path="p", tokens=tokens, limits=ChunkLimits())

    assert chunks
    assert sum(map(len, tokens.calls)) < 1.2 * len(text)


@pytest.mark.parametrize(("kind", "language"), LANGUAGES)
@pytest.mark.parametrize("text", ["", " ", "\n\r\n\t", "\u3000\n"])
def test_a_blank_text_has_no_chunks(kind: Kind, language: str, text: str) -> None:
    """Nothing to embed, nothing to store."""
    assert cut(text, kind, language) == []


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("kind", "language"), [("code", "python"), ("prose", "markdown"), ("data", "yaml")])
def test_lines_are_the_same_for_every_line_end(kind: Kind, language: str, end: str) -> None:
    """LF, CR LF and CR give the same chunks on the same lines."""
    rows = [f"name_{n}: value {n}" if n % 4 else "" for n in range(40)]

    found = [(c.start_line, c.end_line) for c in cut(end.join(rows), kind, language)]

    assert found == [(c.start_line, c.end_line) for c in cut("\n".join(rows), kind, language)]
    assert found[0][0] == 2


def test_the_path_is_in_no_chunk() -> None:
    """A renamed file keeps its vectors."""
    document = Extracted("# A\n\ntext\n", "prose", "markdown")

    one, other = (
        chunk(document, path=path, tokens=PieceTokens(), limits=ChunkLimits()) for path in ("a/one.md", "b/other.md")
    )

    assert one == other


def test_the_version_is_text() -> None:
    """It becomes part of the index fingerprint."""
    assert CHUNKER_VERSION
