"""BERT's WordPiece for uncased vocabularies: the ids and offsets of Hugging Face ``tokenizers``, without it.

A text is cut into pieces that never depend on their neighbours, and what each piece comes to is remembered: code and
prose repeat their words. Unlike there, a text holds no special tokens: "[SEP]" in a document is brackets and letters,
so that no document can end its own passage for the model.
Why own code, and how it was compared: docs/decisions/0025-own-wordpiece.md.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from functools import cache
from itertools import accumulate

from gnomon.embed.text import encodable, slices

# BERT calls longer words unknown without looking.
_MAX_WORD_CHARS = 100

# Pieces remembered: 65,536 take 20 MB; the abstracts of 4,000 papers have 42,000.
_MAX_PIECES = 65_536
_MAX_PIECE_CHARS = 48

# Punctuation and ideographs are words of their own, and no rule of Unicode reaches across them or white space. To cut
# at those of ASCII would do; Chinese and Japanese are cut at more, so that their pieces come again too.
_SPACE = r" \t\n\r"
_ASCII_MARKS = r"!-/:-@\[-`{-~"
_CJK = "\u3001-\u3003\u3008-\u3011\u4e00-\u9fff"

# Ids of the tokens of a piece, and where in the piece each starts.
_Tokens = tuple[tuple[int, ...], tuple[int, ...]]
_NOTHING: _Tokens = ((), ())


class WordPieceTokenizer:
    """Reads vocabularies: UTF-8, a token a line, its id the number of the line. Safe to share between threads."""

    def __init__(self, content: bytes) -> None:
        tokens = content.decode().split("\n")
        vocabulary = dict(zip(tokens, range(len(tokens) - 1), strict=False))  # nothing follows the last line
        self._first, self._last = vocabulary["[CLS]"], vocabulary["[SEP]"]
        self._pieces = _Pieces(vocabulary)
        self._starts = _Starts(self._pieces)

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """See ``TextTokenizer.ids``."""
        return [[self._first, *self._text_ids(encodable(text)), self._last] for text in texts]

    def starts(self, text: str) -> Sequence[int]:
        """See ``TextTokenizer.starts``."""
        starts = array("Q")
        for begin, end in slices(text):
            pieces = _pieces_of(encodable(text[begin:end]), spaces=True)
            # Only places has one more: the end of the text.
            places = accumulate(map(len, pieces), initial=begin)
            inside = map(self._starts.__getitem__, pieces)
            starts.extend([place + start for place, those in zip(places, inside, strict=False) for start in those])
        return starts

    def _text_ids(self, text: str) -> list[int]:
        pieces = _pieces_of(text, spaces=False)
        return [at for ids, _ in map(self._pieces.__getitem__, pieces) for at in ids]


def _pieces_of(text: str, *, spaces: bool) -> list[str]:
    """The pieces of a text; small letters in ASCII, where that moves no character: a half fewer to remember."""
    if text.isascii():
        return _pattern(wide=False, spaces=spaces).findall(text.lower())
    return _pattern(wide=True, spaces=spaces).findall(text)


@cache
def _pattern(*, wide: bool, spaces: bool) -> re.Pattern[str]:
    """What matches one piece, with the one blank before it that most have: a fourth of all pieces would be blanks.

    The wide one takes 1.4 ms to compile, so only texts that need it get it.
    """
    alone = _ASCII_MARKS + _CJK * wide
    return re.compile(f" ?[^{_SPACE}{alone}]+| ?[{alone}]" + f"|[{_SPACE}]+" * spaces)


class _Pieces(dict[str, _Tokens]):
    """Tokens by piece, found when first asked for. Threads may find the same piece twice, never two answers."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        super().__init__()
        self._vocabulary = vocabulary
        self._inner = {token[2:]: at for token, at in vocabulary.items() if token.startswith("##")}
        self._unknown = vocabulary["[UNK]"]
        self._longest = max(map(len, vocabulary))

    def __missing__(self, piece: str) -> _Tokens:
        found = self.find(piece)
        if len(piece) <= _MAX_PIECE_CHARS:
            if len(self) >= _MAX_PIECES:
                self.clear()
            self[piece] = found
        return found

    def find(self, piece: str) -> _Tokens:
        """Tokens of a piece, not remembered."""
        if piece.isascii() and piece.isspace():
            return _NOTHING
        if piece[0] == " ":
            found, places = self[piece[1:]]
            return found, tuple(place + 1 for place in places)
        if piece.isascii() and (piece.isalnum() or (len(piece) == 1 and piece.isprintable())):
            return self._match(piece.lower(), range(len(piece)))
        from gnomon.embed.bert_normal import words

        ids: list[int] = []
        starts: list[int] = []
        for word, origins in words(piece):
            found, places = self._match(word, origins)
            ids += found
            starts += places
        return tuple(ids), tuple(starts)

    def _match(self, word: str, origins: Sequence[int]) -> _Tokens:
        """The longest token at each place, from the left; one unknown token for the word where a place has none."""
        whole = self._vocabulary.get(word)
        if whole is not None:
            return (whole,), (origins[0],)
        unknown = (self._unknown,), (origins[0],)
        if len(word) > _MAX_WORD_CHARS:
            return unknown
        ids: list[int] = []
        starts: list[int] = []
        begin, known = 0, self._vocabulary
        while begin < len(word):
            for end in range(min(len(word), begin + self._longest), begin, -1):
                at = known.get(word[begin:end])
                if at is not None:
                    break
            else:
                return unknown
            ids.append(at)
            starts.append(origins[begin])
            begin, known = end, self._inner
        return tuple(ids), tuple(starts)


class _Starts(dict[str, tuple[int, ...]]):
    """Where tokens start, by piece: for who asks for no ids. There are few such tuples, and each is kept once."""

    def __init__(self, pieces: _Pieces) -> None:
        super().__init__()
        self._pieces = pieces
        self._kept: dict[tuple[int, ...], tuple[int, ...]] = {}

    def __missing__(self, piece: str) -> tuple[int, ...]:
        if piece[0] == " " and not piece.isspace():
            inside = tuple([place + 1 for place in self[piece[1:]]])
        else:
            _, inside = self._pieces.find(piece)
        if len(piece) <= _MAX_PIECE_CHARS:
            if len(self) >= _MAX_PIECES:
                self.clear()
                self._kept.clear()
            inside = self[piece] = self._kept.setdefault(inside, inside)
        return inside
