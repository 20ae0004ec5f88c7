"""The tokenizers of local models: WordPiece by our own code, unigram by ``sentencepiece``."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Protocol

from gnomon.embed.text import encodable, slices
from gnomon.errors import MissingExtraError


class TextTokenizer(Protocol):
    """Text to the ids of one model. Safe to share between threads."""

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text, the model's markers included, not cut."""
        ...

    def starts(self, text: str) -> Sequence[int]:
        """See ``chunk.base.TokenCounter``."""
        ...


class UnigramTokenizer:
    """Reads SentencePiece models: 250,000 pieces take 55 MB here, 282 in ``tokenizers``, at seven times the speed."""

    def __init__(self, content: bytes) -> None:
        try:
            from sentencepiece import SentencePieceProcessor
        except ImportError as error:
            raise MissingExtraError(feature="the multilingual model", extra="multilingual") from error
        self._processor = SentencePieceProcessor(model_proto=content)

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """See ``TextTokenizer.ids``."""
        clean = [encodable(text) for text in texts]
        rows: list[list[int]] = self._processor.encode(
            clean, return_type=int, add_bos=True, add_eos=True, num_threads=1
        )
        return rows

    def starts(self, text: str) -> Sequence[int]:
        """See ``TextTokenizer.starts``; a token's leading space does not count as its start."""
        starts = array("Q")
        for begin, end in slices(text):
            piece = encodable(text[begin:end])
            found = self._processor.encode(piece, return_type="offset_mapping")["offsets"]
            starts.extend(begin + _first_visible(piece, start, stop) for start, stop in found)
        return starts


def load_tokenizer(content: bytes, *, name: str) -> TextTokenizer:
    """The tokenizer in a file's bytes; the ending of its name says which kind.

    Raises:
        MissingExtraError: The library for it is not installed.
    """
    if name.endswith(".spm"):
        return UnigramTokenizer(content)
    from gnomon.embed.wordpiece import WordPieceTokenizer

    return WordPieceTokenizer(content)


def _first_visible(text: str, start: int, stop: int) -> int:
    """Where white space ends within a token; a token that is nothing else belongs to what follows it.

    >>> _first_visible("a  b", 1, 4), _first_visible("a  b", 1, 3)
    (3, 3)
    """
    token = text[start:stop]
    return stop - len(token.lstrip())
