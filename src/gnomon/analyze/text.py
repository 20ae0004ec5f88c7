"""A passage -> its words, by field."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import chain
from typing import Final

from gnomon.analyze.languages import guess_language
from gnomon.analyze.words import AS_WRITTEN, memory, tokens
from gnomon.values import Chunk, ChunkWords

# Enough of a word to tell most pieces of a text from those that hold it.
_BEGINNING_CHARS: Final = 3


def analyze(text: str, *, language: str = "") -> list[str]:
    """The words a text is found by, in order of their tokens; the same text gives the same words.

    Args:
        text: Any text.
        language: Natural language ("german") whose endings are cut besides the English ones; guessed where "".

    Returns:
        Lower-case words with repeats; stop words are kept, since only a question knows what it does not mean.
    """
    found = tokens(text)
    if not language:
        language = guess_language(map(str.lower, found))
    return list(chain.from_iterable(map(memory(language).__getitem__, found)))


def written_words(wanted: Collection[str], text: str) -> set[str]:
    """Those of some words that stand in a text as they are, with the same ending; parts of names are words.

    Only what has the first letters of a wanted word in it is taken apart.

    >>> sorted(written_words({"capital", "capitals", "store"}, "The capital; SessionStore, capitalise"))
    ['capital', 'store']
    """
    words = memory(AS_WRITTEN)
    found = tokens(" ".join(_pieces_with_any({word[:_BEGINNING_CHARS] for word in wanted}, text)))
    return {word for token in set(found) for word in words[token] if word in wanted}


def _pieces_with_any(begun: Iterable[str], text: str) -> set[str]:
    """What stands between spaces and holds one of some beginnings, over hyphens and underscores too.

    No token is longer. Pieces with letters beyond ASCII come all: their words may be spelled otherwise.
    """
    pieces = list(set(text.split()))
    plain = pieces if text.isascii() else [piece for piece in pieces if piece.isascii()]
    lower = "\n".join(plain).lower()
    glued = lower.replace("_", "").replace("-", "")
    held = set() if plain is pieces else {piece for piece in pieces if not piece.isascii()}
    for spelled in (lower, glued) if glued != lower else (lower,):
        lines = spelled.split("\n")
        for beginning in begun:
            if beginning in spelled:  # most are not: no piece need be looked at
                held.update([piece for piece, line in zip(plain, lines, strict=True) if beginning in line])
    return held


def chunk_words(chunk: Chunk, document_path: str, title: str) -> ChunkWords:
    """The words of one chunk, by field.

    Args:
        chunk: What is indexed.
        document_path: Relative path; its words are the same in each chunk of the document.
        title: Of the document, or "".
    """
    headings = [title, *(crumb for crumb in chunk.breadcrumb if crumb != title)]
    return ChunkWords(
        body=tuple(analyze(chunk.text)),
        symbols=tuple(analyze("\n".join((*chunk.symbols, chunk.signature)), language="english")),
        headings=tuple(analyze("\n".join(headings))) if any(headings) else (),
        path=_path_words(document_path),
    )


@lru_cache(maxsize=64)
def _path_words(path: str) -> tuple[str, ...]:
    return tuple(analyze(path, language="english"))
