"""Whether names of symbols, files and folders are made of a question's words.

What a name is made of is remembered: a question meets two hundred candidates, and the next one many of them again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from gnomon.analyze.languages import STOP_WORDS
from gnomon.analyze.words import parts, stem
from gnomon.values import Document

_QUALIFIER: Final = re.compile(r"::|->|[.#:/]")
# Marks that people leave out when they ask for a name: of kind, and of privacy, which makes it another name.
_SIGILS: Final = "$@"
_PRIVATE: Final = "_"
# Files that are named after their folder.
NAMELESS: Final = frozenset({"__init__", "index", "mod", "lib", "init"})
# Endings that a stemmer leaves different ("alias", "aliases"; "serialize", "serializer").
_ENDING_CHARS: Final = 2
_SHORTEST_STEM_CHARS: Final = 4
_REMEMBERED: Final = 16_384
# First letters that a stemmer leaves as they are, where more are left.
_BEGINNING_CHARS: Final = 3
_FROM_YING: Final = frozenset({"die", "lie", "tie"})


class Stems(NamedTuple):
    """The stems a name is made of.

    Attributes:
        stems: No repeats.
        heads: Their first letters: most names share none of them with a question, and one comparison says so.
    """

    stems: frozenset[str]
    heads: frozenset[str]

    @classmethod
    def of(cls, stems: Iterable[str]) -> Stems:
        """Stems with their heads."""
        kept = frozenset(stems)
        return cls(kept, frozenset([each[:_SHORTEST_STEM_CHARS] for each in kept]))


class Terms(dict[str, bool]):
    """A question's words, compared with the parts of names: ``terms[part]`` says whether a stem is one of them.

    A stem is one of the words, or differs from one by an ending; both have their first letters in common.

    Args:
        words: Stems, glued neighbours among them: "thread pool" is also ``threadpool``.
    """

    def __init__(self, words: Collection[str]) -> None:
        super().__init__()
        self._exact = frozenset(words)
        self._beginnings = frozenset(map(_beginning, words))
        self._heads = frozenset([word[:_SHORTEST_STEM_CHARS] for word in words])
        self._shortened = frozenset(
            word[:-cut]
            for word in words
            for cut in range(1, _ENDING_CHARS + 1)
            if len(word) - cut >= _SHORTEST_STEM_CHARS
        )

    def __missing__(self, part: str) -> bool:
        """A stem met for the first time."""
        known = self[part] = part[:_SHORTEST_STEM_CHARS] in self._heads and self._is_like(part)
        return known

    def _is_like(self, part: str) -> bool:
        if part in self._exact or (len(part) >= _SHORTEST_STEM_CHARS and part in self._shortened):
            return True
        return any(
            part[:-cut] in self._exact for cut in range(1, _ENDING_CHARS + 1) if len(part) - cut >= _SHORTEST_STEM_CHARS
        )

    def count(self, name: Stems) -> int:
        """How many of a name's stems are among the words."""
        if self._heads.isdisjoint(name.heads):
            return 0
        return sum(map(self.__getitem__, name.stems))

    def may_count(self, names: Iterable[str]) -> bool:
        """Whether any of these names can have such a part: most cannot, and need not be taken apart."""
        text = "\n".join(names).lower()
        return any(beginning in text for beginning in self._beginnings)

    def hold(self, name: Stems) -> bool:
        """Whether all of a name's stems are words as they stand: "class" does not ask for the folder ``classic``."""
        return bool(name.stems) and name.stems <= self._exact


def _beginning(stem: str) -> str:
    """What every name with this stem has in it: "trying" has ``tri`` for a stem, "using" ``use``, "dying" ``die``.

    >>> _beginning("tri"), _beginning("refresh")
    ('tr', 'ref')
    """
    if stem in _FROM_YING:
        return stem[:1]
    return stem[: _BEGINNING_CHARS if len(stem) > _BEGINNING_CHARS else _BEGINNING_CHARS - 1]


def is_path_of(typed: str, document: Document) -> bool:
    """Whether a typed path is that of a document, or the end of it; the case of letters does not matter."""
    return f"/{document.folder}/{document.path}".casefold().endswith(f"/{typed.strip('/')}".casefold())


def last_part(name: str) -> str:
    """A name without its qualifiers: ``Session::refresh`` -> ``refresh``."""
    return _QUALIFIER.split(name)[-1]


@lru_cache(maxsize=_REMEMBERED)
def defined_names(symbols: tuple[str, ...]) -> frozenset[str]:
    """Names a chunk defines: qualified as they stand, and the last part alone, with and without its sigils.

    >>> sorted(defined_names(("Store.$load",)))
    ['$load', 'Store.$load', 'load']
    """
    last = [last_part(symbol) for symbol in symbols]
    return frozenset([*symbols, *last, *(name.lstrip(_SIGILS) for name in last)])


@lru_cache(maxsize=_REMEMBERED)
def lower_names(symbols: tuple[str, ...]) -> frozenset[str]:
    """The same in lower case, also without marks of privacy.

    >>> sorted(lower_names(("Store._Load",)))
    ['_load', 'load', 'store._load']
    """
    names = [name.lower() for name in defined_names(symbols)]
    return frozenset([*names, *(name.lstrip(_SIGILS + _PRIVATE) for name in names)])


@lru_cache(maxsize=_REMEMBERED)
def symbol_stems(symbols: tuple[str, ...]) -> tuple[Stems, ...]:
    """Stems of each symbol without its qualifiers."""
    return tuple([name_stems(last_part(symbol)) for symbol in symbols])


@lru_cache(maxsize=_REMEMBERED)
def file_stems(path: str) -> Stems:
    """Stems of a file's name without its endings; of its folder's where the file is named after it."""
    folder, _, file = path.rpartition("/")
    name = file.split(".", 1)[0] or file
    if name in NAMELESS and folder:
        name = folder.rpartition("/")[2]
    return name_stems(name)


@lru_cache(maxsize=_REMEMBERED)
def title_stems(title: str) -> Stems:
    """Stems of a title's words without numbers and function words: "ADR 7: Use of SQLite" is about ADR and SQLite."""
    words = [part for part in parts(title) if part.isalpha() and part not in STOP_WORDS["english"]]
    return Stems.of(map(_stem, words))


def folder_stems(path: str) -> Stems:
    """Stems of the names of all folders above a file."""
    return _stems_of_folders(path.rpartition("/")[0])


@lru_cache(maxsize=_REMEMBERED)
def _stems_of_folders(folders: str) -> Stems:
    return Stems.of([each for folder in folders.split("/") for each in name_stems(folder).stems])


@lru_cache(maxsize=_REMEMBERED)
def name_stems(name: str) -> Stems:
    """Stems of the parts of a name that has no qualifiers."""
    return Stems.of(map(_stem, parts(name)))


@lru_cache(maxsize=_REMEMBERED)
def _stem(part: str) -> str:
    return stem(part, "english")
