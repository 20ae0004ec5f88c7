"""Which words of a line answer a question: whole words and their other endings, never a stop word or a piece."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

_WORD = re.compile(r"\w+")
_UNSPACED = re.compile("[\u2e80-\ud7ff\uf900-\ufaff]")  # scripts that put no space between words


@lru_cache(maxsize=8)
def _asked(words: tuple[str, ...]) -> tuple[frozenset[str], str]:
    """(what is looked for, language of the question)."""
    from gnomon.analyze import analyze_query

    query = analyze_query(" ".join(words))
    return frozenset(query.terms), query.language


def found_words(line: str, words: Sequence[str]) -> set[str]:
    """The words of a question that a line holds, as they are indexed.

    >>> sorted(found_words("It raises SystemExit", ["what", "is", "raised"]))
    ['rais']
    """
    from gnomon.analyze import analyze

    terms, language = _asked(tuple(words))
    return {word for word in analyze(line, language=language) if word in terms} if terms else set()


def highlighted(line: str, words: Sequence[str], mark: Callable[[str], str]) -> str:
    """The line with each word that the question has passed through ``mark``.

    >>> highlighted("raise is raised", ["is", "raise"], str.upper)
    'RAISE is RAISED'
    """
    terms, _ = _asked(tuple(words))

    def marked(match: re.Match[str]) -> str:
        run = match.group()
        if not _UNSPACED.search(run):
            return mark(run) if found_words(run, words) else run
        pieces = "|".join(map(re.escape, sorted(terms, key=len, reverse=True)))
        return re.sub(pieces, lambda piece: mark(piece.group()), run) if pieces else run

    return _WORD.sub(marked, line)
