"""Text as tokenizers and servers can take it, and in slices that bound memory."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Tokenizing holds about 100 bytes per token; a slice keeps that in the megabytes whatever the file's size.
SLICE_CHARS = 65_536

# English words are about 1.3 tokens, identifiers one token per 3 to 4 characters, CJK at most one per character.
_PIECE = r"[^\W\u2e80-\U0010ffff]{1,4}|[^\s]"  # compiled where a server is asked: it takes 2 ms


def encodable(text: str) -> str:
    r"""The text with lone surrogates, which no UTF-8 can carry, as "?"; the length stays.

    >>> encodable("caf\udce9")
    'caf?'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def slices(text: str, limit: int = SLICE_CHARS) -> Iterator[tuple[int, int]]:
    """Half-open ranges that together are the text, each at most ``limit`` long, cut at white space if any.

    >>> list(slices("one two three", 8))
    [(0, 7), (7, 13)]
    """
    begin = 0
    while begin < len(text):
        end = min(begin + limit, len(text))
        if end < len(text):
            end = _last_space(text, begin, end)
        yield begin, end
        begin = end


def _last_space(text: str, begin: int, end: int) -> int:
    """Where the last white space after ``begin`` and up to ``end`` stands; ``end`` where there is none."""
    for at in range(end, begin, -1):
        if text[at].isspace():
            return at
    return end


def estimated_token_starts(text: str) -> list[int]:
    """Offsets at which tokens of an unknown model start at most: words in pieces, marks and CJK characters alone.

    >>> estimated_token_starts("refreshing it.")
    [0, 4, 8, 11, 13]
    """
    return [match.start() for match in re.finditer(_PIECE, text)]
