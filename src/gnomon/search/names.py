"""Whether names of symbols, files and folders are made of a question's words."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final

from gnomon.analyze.words import parts, stem

_QUALIFIER: Final = re.compile(r"::|->|[.#:/]")
# Marks of privacy or kind that people leave out when they ask for a name.
_SIGILS: Final = "$_@"
# Files that are named after their folder.
_NAMELESS: Final = frozenset({"__init__", "index", "mod", "lib", "init"})
# Endings that a stemmer leaves different ("alias", "aliases"; "serialize", "serializer").
_ENDING_CHARS: Final = 2
_SHORTEST_STEM_CHARS: Final = 4


class Terms:
    """A question's words, compared with the parts of names.

    Args:
        words: Stems, glued neighbours among them: "thread pool" is also ``threadpool``.
    """

    def __init__(self, words: Collection[str]) -> None:
        self._known: dict[str, bool] = {}
        self._exact = frozenset(words)
        self._shortened = frozenset(
            word[:-cut]
            for word in words
            for cut in range(1, _ENDING_CHARS + 1)
            if len(word) - cut >= _SHORTEST_STEM_CHARS
        )

    def __contains__(self, part: str) -> bool:
        """Whether a stem is one of the words, or differs from one by an ending."""
        known = self._known.get(part)
        if known is None:
            known = self._known[part] = self._is_like(part)
        return known

    def _is_like(self, part: str) -> bool:
        if part in self._exact or (len(part) >= _SHORTEST_STEM_CHARS and part in self._shortened):
            return True
        return any(
            part[:-cut] in self._exact for cut in range(1, _ENDING_CHARS + 1) if len(part) - cut >= _SHORTEST_STEM_CHARS
        )

    def count(self, stems: Collection[str]) -> int:
        """How many of these stems are among the words."""
        return sum(part in self for part in stems)


def last_part(name: str) -> str:
    """A name without its qualifiers: ``Session::refresh`` -> ``refresh``."""
    return _QUALIFIER.split(name)[-1]


@lru_cache(maxsize=65_536)
def defined_names(symbols: tuple[str, ...]) -> frozenset[str]:
    """Names a chunk defines: qualified as they stand, and the last part alone, with and without its sigils.

    >>> sorted(defined_names(("Store.$load",)))
    ['$load', 'Store.$load', 'load']
    """
    last = [last_part(symbol) for symbol in symbols]
    return frozenset([*symbols, *last, *(name.lstrip(_SIGILS) for name in last)])


@lru_cache(maxsize=65_536)
def name_stems(name: str) -> frozenset[str]:
    """Stems of the parts of a name without its qualifiers."""
    return frozenset(stem(part, "english") for part in parts(last_part(name)))


@lru_cache(maxsize=65_536)
def file_stems(path: str) -> frozenset[str]:
    """Stems of a file's name without its endings; of its folder's where the file is named after it."""
    pure = PurePosixPath(path)
    name = pure.name.split(".", 1)[0] or pure.name
    if name in _NAMELESS and len(pure.parts) > 1:
        name = pure.parts[-2]
    return frozenset(stem(part, "english") for part in parts(name))


@lru_cache(maxsize=65_536)
def folder_stems(path: str) -> frozenset[str]:
    """Stems of the names of all folders above a file."""
    return frozenset(stem(part, "english") for folder in PurePosixPath(path).parts[:-1] for part in parts(folder))
