"""Where a text may be cut without tearing one visible character apart.

A subset of Unicode's grapheme rules (UAX #29) that needs no tables beyond ``unicodedata``: CR LF, combining marks and
variation selectors, joiner sequences, skin tones, flags, Hangul syllables in parts, and surrogates.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

# No real unit is longer; a longer run is an attack on fonts, and the token limit matters more (compare UAX #15, 30).
MAX_UNIT_CHARS = 256

_JOINER = "\u200d"
_MODIFIERS = range(0x1F3FB, 0x1F400)
_REGIONAL = range(0x1F1E6, 0x1F200)
_TAGS = range(0xE0020, 0xE0080)
_HANGUL_LATER = range(0x1160, 0x1200)
_HANGUL_FIRST = range(0x1100, 0x1160)


def safe_cut(text: str, offset: int) -> int:
    """The last place at or before ``offset`` that is no more than ``MAX_UNIT_CHARS`` back and cuts nothing apart.

    Args:
        text: Any text, lone surrogates included.
        offset: In characters, in [0, len(text)].

    Returns:
        ``offset`` itself where it is safe, or where the unit around it is longer than the limit.
    """
    if not 0 < offset < len(text):
        return offset
    lowest = max(0, offset - MAX_UNIT_CHARS)
    for at in range(offset, lowest, -1):
        if not joins(text, at):
            return at
    return 0 if lowest == 0 else offset


def joins(text: str, at: int) -> bool:
    """Whether the characters on both sides of ``at`` (in (0, len(text))) belong to one unit."""
    before, after = text[at - 1], text[at]
    if before < "\u0300" and after < "\u0300":
        return before == "\r" and after == "\n"
    if before < " ":  # nothing joins a line end or another control character
        return False
    if _extends(after) or before == _JOINER:
        return True
    before_code, after_code = ord(before), ord(after)
    if after_code in _REGIONAL and before_code in _REGIONAL:
        return _flags_before(text, at) % 2 == 1
    if 0xD800 <= before_code < 0xDC00 <= after_code < 0xE000:
        return True
    return after_code in _HANGUL_LATER and (before_code in _HANGUL_FIRST or before_code in _HANGUL_LATER)


@lru_cache(maxsize=4096)
def _extends(char: str) -> bool:
    """Whether a character is drawn on or into the one before it."""
    code = ord(char)
    if char == _JOINER or code in _MODIFIERS or code in _TAGS:
        return True
    return unicodedata.category(char) in {"Mn", "Me", "Mc"}


def _flags_before(text: str, at: int) -> int:
    count = 0
    while count < MAX_UNIT_CHARS and at - count > 0 and ord(text[at - count - 1]) in _REGIONAL:
        count += 1
    return count
