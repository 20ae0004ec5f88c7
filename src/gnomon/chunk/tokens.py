"""How many tokens any slice of a text costs, from one pass of the tokenizer, and where to cut a slice to size."""

from __future__ import annotations

import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Iterator

from gnomon.chunk.base import TokenCounter
from gnomon.chunk.graphemes import safe_cut

# A token stands for at most this many characters in the count: a run that the model reads as one unknown word, or
# blanks without end, must not make a chunk of any length. 254 tokens are then at most 8,128 characters.
MAX_CHARS_PER_TOKEN = 32

# Memory of one call of the tokenizer is about 100 bytes a token.
_BLOCK_CHARS = 1 << 18

# A slice that begins or ends at a sign may cost a few tokens more alone than as part of the whole.
_INEXACT_TOKENS = 4

# What every tokenizer takes as the end of a word. Other blanks (form feed) some of them drop, which joins two words.
_SPACES = frozenset(" \t\r\n\u00a0\u3000")


class TokenIndex:
    """The tokens of one text.

    Args:
        text: The whole text; offsets below are into it.
        counter: The embedding model's tokenizer.
        start: What is before it is never asked for and is not tokenised.
    """

    def __init__(self, text: str, counter: TokenCounter, *, start: int = 0) -> None:
        self._text = text
        self._counter = counter
        self._starts = array("Q")
        self._counts: dict[str, int] = {}
        for begin, end in _blocks(text, start):
            found = counter.token_starts(text[begin:end])
            self._starts.extend([begin + at for at in found] if begin else found)

    def tokens(self, start: int, end: int) -> int:
        """Tokens of a slice; exact where it begins and ends at white space."""
        return bisect_left(self._starts, end) - bisect_left(self._starts, start)

    def cost(self, start: int, end: int) -> int:
        """Tokens of a slice, at least one for each ``MAX_CHARS_PER_TOKEN`` characters."""
        return max(self.tokens(start, end), (end - start) // MAX_CHARS_PER_TOKEN)

    def count(self, text: str) -> int:
        """Tokens of another text, by the tokenizer itself; the answer is kept."""
        known = self._counts.get(text)
        if known is None:
            known = self._counts[text] = len(self._counter.token_starts(text))
        return known

    def last_words(self, start: int, end: int, most: int) -> int:
        """Where the last words of a slice begin that cost at most ``most``; ``end`` where there is room for none."""
        first = max(bisect_left(self._starts, start), bisect_left(self._starts, end) - most)
        for at in self._starts[first : bisect_left(self._starts, end)]:
            near = end - at <= most * MAX_CHARS_PER_TOKEN
            if near and (at == start or not _in_word(self._text, at)) and safe_cut(self._text, at) == at:
                return at
        return end

    def end_within(self, start: int, end: int, room: int) -> int:
        """Where to end a slice from ``start`` so that it costs at most ``room`` (>= 1) when tokenised by itself.

        Returns:
            An offset in (start, end], at white space where possible; ``end`` where all fits. One character is
            returned even where it has more tokens than ``room``.
        """
        cut = self._cut(start, end, room)
        allowed = room
        while cut - start > 1 and not self._within(start, cut, room):
            allowed = max(1, allowed - max(_INEXACT_TOKENS, allowed // 8))
            shorter = start + (cut - start) * 7 // 8
            cut = min(self._cut(start, end, allowed), _safe_after(self._text, start, shorter))
        return cut

    def _within(self, start: int, cut: int, room: int) -> bool:
        """Whether a slice has at most ``room`` tokens; asks the tokenizer only where the first pass cannot tell."""
        text = self._text
        borders = (start, cut)
        if all(_at_space(text, at) for at in borders):
            return self.tokens(start, cut) <= room
        inside_word = any(_in_word(text, at) for at in borders)
        if not inside_word and self.tokens(start, cut) + _INEXACT_TOKENS <= room:
            return True
        return len(self._counter.token_starts(text[start:cut])) <= room

    def _cut(self, start: int, end: int, room: int) -> int:
        if self.cost(start, end) <= room:
            return end
        last = bisect_left(self._starts, start) + room
        furthest = self._starts[last] if last < len(self._starts) else end
        furthest = min(furthest, end, start + room * MAX_CHARS_PER_TOKEN)
        return _break_before(self._text, start, max(furthest, start + 1))


def _blocks(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Ranges that together are the text from ``start``, cut at line ends where there are any."""
    while start < len(text):
        end = min(start + _BLOCK_CHARS, len(text))
        if end < len(text):
            line_end = text.rfind("\n", start, end) + 1
            end = line_end if line_end > start else safe_cut(text, end)
        yield start, end
        start = end


# The end of a statement or a sentence, with or without white space after it.
_ENDS = frozenset(";}。！？\n\r")
_STOPS = frozenset(".!?:,")


def _break_before(text: str, start: int, furthest: int) -> int:
    """The best cut in (start, furthest]: after the end of a statement in the last half, else a blank, else a sign."""
    space = sign = 0
    for at in range(furthest, start + (furthest - start) // 2, -1):
        char = text[at - 1]
        if _wordlike(char) or safe_cut(text, at) != at:
            continue
        if char in _ENDS:
            return at
        if not char.isspace():
            sign = sign or at
        elif text[at - 2 : at - 1] in _STOPS:
            return at
        else:
            space = space or at
    return space or sign or _safe_after(text, start, furthest)


def _safe_after(text: str, start: int, at: int) -> int:
    """A cut near ``at`` that tears no character, else ``at``; after ``start`` in any case."""
    safe = safe_cut(text, at)
    return safe if safe > start else max(at, start + 1)


def _at_space(text: str, at: int) -> bool:
    return at in {0, len(text)} or text[at - 1] in _SPACES or text[at] in _SPACES


def _in_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and _wordlike(text[at - 1]) and _wordlike(text[at])


def _wordlike(char: str) -> bool:
    """Whether tokenizers may read a character as part of a longer word; some drop control characters, so those too."""
    if char < "\x80":
        return char.isalnum() or (char < " " and char not in _SPACES)
    return char not in _SPACES and not unicodedata.category(char).startswith(("P", "Z"))
