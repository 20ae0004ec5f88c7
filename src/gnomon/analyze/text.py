"""A passage -> its words, by field."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

from gnomon.analyze.languages import guess_language
from gnomon.analyze.words import memory, tokens
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
