"""WordPiece gives what Hugging Face ``tokenizers`` gives: stored, character by character, generated, documents."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.embed import DEFAULT_MODEL, MODELS
from gnomon.embed.onnx import packaged_files
from gnomon.embed.wordpiece import WordPieceTokenizer

ROOT = Path(__file__).parents[3]
CASES = json.loads(Path(__file__).with_name("wordpiece.json").read_text("utf-8"))
VOCABULARY = packaged_files(MODELS[DEFAULT_MODEL]).tokenizer
TOKENIZER = WordPieceTokenizer(VOCABULARY.read_bytes())

# Of the tokens of the texts of ``many_characters``; computed with tokenizers 0.23.3.
CHARACTERS_SHA256 = "1f4eefb41b45d77707234affde37e132ea224855141ca03d0a5687df4729e37b"

ACCENTS = st.sampled_from("\u0301\u0323\u0334\u0344\u0345\u05b0\u093c\u0f73\u3099\u302a")
MOVED = st.sampled_from("\u1b44\u302e\ua953\U0001d15e\U0001d165\U0001d16d\U0001e000\U0001e944")
OTHERS = st.sampled_from(
    "aZ0 \t\n\r\x00\x0b\x0c\x85\xa0\xad\u200b\ufffd\u3000=<.,[]_\u037e\u2260ßİΣςﬁ한각中\uf900か゛😀\u0378"
)
SCRIPTS = st.one_of(
    st.characters(max_codepoint=0x24F),
    st.characters(min_codepoint=0x250, max_codepoint=0x10FF),
    st.characters(min_codepoint=0x2E80, max_codepoint=0xD7A3),
    st.characters(min_codepoint=0x1D100, max_codepoint=0x1D1FF),
)
MIXED = st.lists(st.one_of(ACCENTS, MOVED, OTHERS, SCRIPTS), max_size=60).map("".join)


def ours(text: str) -> tuple[list[int], list[int]]:
    """Ids without the model's markers, and where the tokens start."""
    (ids,) = TOKENIZER.ids([text])
    return ids[1:-1], list(TOKENIZER.starts(text))


@pytest.fixture(scope="session")
def reference() -> Any:
    """The same tokenizer in the library we do without; here only to compare."""
    from tools.model.wordpiece_golden import reference as build

    return build()


def expected(reference: Any, text: str) -> tuple[list[int], list[int]]:
    """What ``ours`` should be."""
    encoding = reference.encode(text)
    return encoding.ids, [start for start, _ in encoding.offsets]


@pytest.mark.parametrize("case", CASES, ids=lambda case: ascii(case["text"][:24]))
def test_stored_texts_have_their_stored_tokens(case: dict[str, Any]) -> None:
    """Ids and starts of texts chosen for what is hard in them."""
    assert ours(case["text"]) == (case["ids"], case["starts"])


def test_characters_have_their_stored_tokens() -> None:
    """In any Python, whatever its own tables of Unicode say."""
    digest = hashlib.sha256()
    for text in many_characters():
        digest.update(repr(ours(text)).encode())
    assert digest.hexdigest() == CHARACTERS_SHA256


def test_characters_are_as_in_the_library(reference: Any) -> None:
    """The stored digest is that of the library."""
    digest = hashlib.sha256()
    for text in many_characters():
        digest.update(repr(expected(reference, text)).encode())
    assert digest.hexdigest() == CHARACTERS_SHA256


@settings(max_examples=300)
@given(text=st.text(st.characters(exclude_categories=["Cs"])) | MIXED)
def test_any_text_is_as_in_the_library(reference: Any, text: str) -> None:
    """Ids and starts are equal whatever the text."""
    assert ours(text) == expected(reference, text)


def test_documents_of_this_project_are_as_in_the_library(reference: Any) -> None:
    """What people index: Markdown and Python, lists, tables, code."""
    files = [
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("src/gnomon/embed/*.py"),
        *ROOT.glob("tests/golden/lifecycle/*.txt"),
    ]
    texts = [file.read_text("utf-8")[:60_000] for file in files]
    assert texts
    assert [ours(text) for text in texts] == [expected(reference, text) for text in texts]


def many_characters() -> Iterator[str]:
    """Texts of up to 4,096 words, each with one character between two letters: all that rules name, and some others."""
    named = ((0, 0x3400), (0xA000, 0xAC00), (0xF900, 0x12000), (0x1D000, 0x1EA00), (0xE0000, 0xE0200))
    codes = {code for first, end in named for code in range(first, end)} | set(range(0, sys.maxunicode + 1, 61))
    words = [f"a{chr(code)}b" for code in sorted(codes) if not 0xD800 <= code < 0xE000]
    return (" ".join(words[at : at + 4096]) for at in range(0, len(words), 4096))
