"""Tokenizers that are pure functions of their text."""

from __future__ import annotations

import re
from collections.abc import Sequence

_TOKEN = re.compile(r"\w+|[^\w\s]")
_PIECED_WORD = re.compile(r"[^\W_\u3040-\u30ff\u4e00-\u9fff]+|[^\s\x00-\x1f]")
_PIECE_CHARS = 4
_MAX_WORD_CHARS = 100


class FakeTokens:
    """Counts words and signs, and how often it was asked.

    Attributes:
        calls: Every text asked for, in order.
    """

    def __init__(self) -> None:
        self.calls: list[str] = []

    def token_starts(self, text: str) -> Sequence[int]:
        """See ``chunk.base.TokenCounter``."""
        self.calls.append(text)
        return self._starts(text)

    def count(self, text: str) -> int:
        """Number of tokens of a text by itself."""
        return len(self._starts(text))

    def _starts(self, text: str) -> list[int]:
        return [match.start() for match in _TOKEN.finditer(text)]


class PieceTokens(FakeTokens):
    """As awkward as the tokenizers of models: the tokens of a slice are not the slice of the tokens.

    Words are cut into pieces of four letters, a word of more than 100 characters is one unknown token, signs and
    ideographs stand alone, control characters are dropped.
    """

    def _starts(self, text: str) -> list[int]:
        found: list[int] = []
        for word in _PIECED_WORD.finditer(text):
            long = word.end() - word.start() > _MAX_WORD_CHARS
            found.extend([word.start()] if long else range(word.start(), word.end(), _PIECE_CHARS))
        return found
