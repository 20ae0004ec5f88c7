"""How words are written for FTS5: one analyzed word is one token, and no text is ever query syntax.

An expression holds nothing but quoted, encoded words and its own operators.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# What FTS5's ascii tokenizer would split at or fold, and what UTF-8 cannot hold: capitals, blanks, controls, NUL and
# lone surrogates. "%" itself, because it starts an escape.
_ESCAPED = re.compile("[%A-Z\x00-\x20\x7f\ud800-\udfff]")
# The same without the blank and what has no bytes, for a text as a whole.
_ESCAPED_BYTES = bytes(code for code in range(0x80) if code != 0x20 and _ESCAPED.match(chr(code)))


def encode(word: str) -> str:
    """One analyzed word as exactly one FTS5 token; different words stay different.

    >>> encode("2026.4.10"), encode("c++"), encode("Two words")
    ('2026.4.10', 'c++', '%54;wo%20;words')
    """
    return _ESCAPED.sub(lambda match: f"%{ord(match[0]):x};", word)


def encode_all(words: Sequence[str]) -> str:
    """Words as FTS5 reads them, in order, blanks between; empty words are left out."""
    joined = " ".join(words)
    if joined.count(" ") == len(words) - 1 and _is_plain(joined):
        return joined if "" not in words else " ".join(word for word in words if word)
    return " ".join(encode(word) for word in words if word)


def _is_plain(text: str) -> bool:
    # Half the time of a regular expression: every word of every passage goes through here.
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        return False
    return len(encoded.translate(None, _ESCAPED_BYTES)) == len(encoded)


def any_of(words: Iterable[str]) -> str:
    """Expression for rows with at least one of these words."""
    return "({})".format(" OR ".join(_quoted(word) for word in words))


def all_of(words: Iterable[str]) -> str:
    """Expression for rows with each of these words."""
    return "({})".format(" AND ".join(_quoted(word) for word in words))


def _quoted(word: str) -> str:
    return '"{}"'.format(encode(word).replace('"', '""'))
