"""BERT's uncased normalisation of text beyond ASCII letters and digits, with the way back to the original.

In order: control characters go, ideographs and punctuation become words of their own, characters are decomposed and
put into canonical order, accents go, letters become small. ``tokenizers`` does each over the whole text; here it is
done character by character, because only canonical order reaches across them.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from gnomon.embed import bert_characters

# Characters remembered: 16,384 take 2 MB and hold every script that is in daily use.
_MAX_FORMS = 16_384

_WORD = re.compile("[^ ]+")


def words(piece: str) -> Iterator[tuple[str, Sequence[int]]]:
    """The words of a piece of text, normalised, and for each of their characters the place it came from.

    A piece begins and ends where no accent is torn from what it marks.

    >>> [(word, list(places)) for word, places in words("Étude")]
    [('etude', [0, 1, 2, 3, 4])]
    >>> [(word, list(places)) for word, places in words("東京“x")]
    [('東', [0]), ('京', [1]), ('“', [2]), ('x', [3])]
    """
    forms = list(map(_FORMS.__getitem__, piece))
    normal = "".join(forms)
    places = [place for place, form in enumerate(forms) for _ in form]
    if not _REORDERED.isdisjoint(normal):
        normal, places = _in_canonical_order(piece)
    for match in _WORD.finditer(normal):
        yield match.group(), places[match.start() : match.end()]


def _ranges() -> list[tuple[int, int, str]]:
    """First and last code point and class of each range, in order."""
    classes = ("REMOVED", "SPACES", "IDEOGRAPHS", "PUNCTUATION", "ACCENTS", "REORDERED")
    found = []
    for name in classes:
        for item in getattr(bert_characters, name).split():
            first, _, last = item.partition("-")
            found.append((int(first, 16), int(last or first, 16), name))
    return sorted(found)


_RANGES = _ranges()
_REORDERED = frozenset(chr(at) for first, last, name in _RANGES if name == "REORDERED" for at in range(first, last + 1))


def _class(char: str) -> str:
    """The constant of ``bert_characters`` that holds a character, "" for a part of words."""
    code = ord(char)
    at = bisect(_RANGES, code, key=itemgetter(0)) - 1
    return _RANGES[at][2] if at >= 0 and code <= _RANGES[at][1] else ""


class _Forms(dict[str, str]):
    """What each character becomes, with a space before and after what is a word of its own."""

    def __missing__(self, char: str) -> str:
        if len(self) >= _MAX_FORMS:
            self.clear()
        form = self[char] = "".join(form for form, _ in _parts(char))
        return form


_FORMS = _Forms()


def _parts(char: str) -> list[tuple[str, int]]:
    """Form and canonical combining class of each character that one decomposes to."""
    match _class(char):
        case "REMOVED":
            return []
        case "SPACES":
            return [(" ", 0)]
        case "IDEOGRAPHS":
            return [(f" {unicodedata.normalize('NFD', char)} ", 0)]
        case _:
            return [_part(part) for part in unicodedata.normalize("NFD", char)]


def _part(char: str) -> tuple[str, int]:
    match _class(char):
        case "ACCENTS":
            return "", unicodedata.combining(char)
        case "REORDERED":
            return char.lower(), unicodedata.combining(char)
        case "PUNCTUATION":
            return f" {char} ", 0
        case _:
            return char.lower(), 0


def _in_canonical_order(piece: str) -> tuple[str, list[int]]:
    """Normalised text and places, where characters that stay have changed places with accents.

    ``tokenizers`` counts what it meets in the new order against the original one after the other, so that places
    ascend though characters have moved.
    """
    sources = [place for place, char in enumerate(piece) if _class(char) != "REMOVED"]
    parts = [(form, order, nth > 0) for at in sources for nth, (form, order) in enumerate(_parts(piece[at]))]
    normal: list[str] = []
    places: list[int] = []
    used = -1
    for moves, run in groupby(parts, key=lambda part: part[1] > 0):
        for form, _, inserted in sorted(run, key=itemgetter(1)) if moves else run:
            used += not inserted
            normal.append(form)
            places += [sources[used]] * len(form)
    return "".join(normal), places
