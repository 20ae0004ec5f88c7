"""A passage -> its words, by field."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import chain

from gnomon.analyze.languages import guess_language
from gnomon.analyze.words import AS_WRITTEN, beginnings, memory, tokens
from gnomon.values import Chunk, ChunkWords


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


def held_words(wanted: Collection[str], text: str, *, language: str = "") -> set[str]:
    """Those of some words that a text is found by: as ``analyze``, for a fraction of its cost.

    Only tokens with the first letters of a wanted word in them are analyzed; a stemmer leaves those as they are.

    Args:
        wanted: Analyzed words.
        text: Any text.
        language: See ``analyze``. A text keeps the English stems besides its own, so "english" serves every text where
            the wanted words are English.
    """
    found = tokens(text)
    if not language:
        language = guess_language(map(str.lower, found))
    words = memory(language)
    return {word for token in _with_any(beginnings(wanted), set(found)) for word in words[token] if word in wanted}


def written_words(wanted: Collection[str], text: str) -> set[str]:
    """Those of some words that stand in a text as they are, with the same ending; parts of names are words.

    >>> sorted(written_words({"capital", "capitals", "store"}, "The capital; SessionStore, capitalise"))
    ['capital', 'store']
    """
    return held_words(wanted, text, language=AS_WRITTEN)


def _with_any(pieces: Iterable[str], found: Collection[str]) -> set[str]:
    """Tokens that hold one of some pieces, whole or over their hyphens and underscores; those of other scripts all."""
    spelled = [(token, token.lower()) for token in found]
    spelled += [
        (token, lower.replace("_", "").replace("-", "")) for token, lower in spelled if "_" in lower or "-" in lower
    ]
    return {token for piece in pieces for token, lower in spelled if piece in lower} | {
        token for token in found if not token.isascii()
    }


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
