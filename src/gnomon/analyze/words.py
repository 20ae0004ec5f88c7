"""One token as it stands in a text -> the words it is found by.

An identifier is found whole (``getUserName``, ``get_user_name`` and ``get-user-name`` are all ``getusername``) and by
its parts; a version by its digits with their dots; scripts without spaces by pairs of characters; accents with and
without. Memoised per token, so that analysing a text costs one look-up per token.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Any, Final

# Scripts that put no space between words, and Hangul, where particles are glued to nouns: found by pairs.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005\u3006\u3040-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0002fa1f"
)
_VERSION: Final = r"[vV]?\d+(?:\.\d+)+\w*"
_LANGUAGE_NAME: Final = r"[cgCG]\+\+|[cfjCFJ]\#(?!\w)"
# ``_TOKEN`` for ASCII, where most text is, at twice its speed: a search for one set of characters skips what begins no
# token, and what begins there is told by looking back at its first character.
_ASCII_TOKEN: Final = re.compile(
    r"[\w@](?:(?<=[vV])\d+(?:\.\d+)+\w*|(?<=\d)\d*(?:\.\d+)+\w*"
    r"|(?<=[cgCG])\+\+|(?<=[cfjCFJ])\#(?!\w)"
    r"|(?:(?<=\w)|(?<!\w@)\b)\w*(?:-(?!\d+\.\d)\w+)*)",
    re.ASCII,
)
# Classes of so many characters take 1 to 4 ms to compile; a question in ASCII never needs them.
_TOKEN: Final = (
    rf"{_VERSION}|{_LANGUAGE_NAME}|[{_UNSPACED}]+|"
    rf"(?:(?<!\w)@)?[^\W{_UNSPACED}]+(?:-(?!\d+\.\d)[^\W{_UNSPACED}]+)*"
)
_UNSPACED_RUN: Final = f"[{_UNSPACED}]+"
# Letters that people type without their stroke, and that no decomposition takes it from.
_STROKES: Final = str.maketrans("ŁłØøĐđĦħŦŧı", "LlOoDdHhTti")
_HAN: Final = "[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002fa1f]"
_compiled = cache(re.compile)
_IS_VERSION: Final = re.compile(_VERSION)
_PART: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")

# Longer tokens are encoded data, not names: kept whole, cut to this, and never split or remembered.
_LONGEST_NAME_CHARS: Final = 80
# Tokens remembered per language (~30 MB when full); then the memory starts anew.
_REMEMBERED: Final = 150_000

_STEMMER_OF_SCRIPT: Final = {"CYRILLIC": "russian", "GREEK": "greek", "ARABIC": "arabic", "ARMENIAN": "armenian",
                             "DEVANAGARI": "hindi", "TAMIL": "tamil", "HEBREW": ""}  # fmt: skip

# Ending of a language's name under which a question's words are remembered.
AS_QUESTION: Final = "?"
# No language: no ending is cut. Words are as they are written, but for case.
AS_WRITTEN: Final = AS_QUESTION


class Memory(dict[str, tuple[str, ...]]):
    """Words of each token met, in one language; ``memory[token]`` computes what is not yet known."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, token: str) -> tuple[str, ...]:
        """Words of a token met for the first time."""
        if not token.isascii() and _compiled(_UNSPACED_RUN).match(token):
            return _pairs(token)
        if len(token) > _LONGEST_NAME_CHARS:
            return (token[:_LONGEST_NAME_CHARS].lower(),)
        words = _forms(token, self._language)
        if len(self) >= _REMEMBERED:
            self.clear()
        self[token] = words
        return words


def tokens(text: str) -> list[str]:
    """The tokens of a text in order: names with their hyphens, versions, runs of unspaced script."""
    if text.isascii():
        return _ASCII_TOKEN.findall(text)
    return _compiled(_TOKEN).findall(unicodedata.normalize("NFC", text))


@cache
def memory(language: str) -> Memory:
    """The one memory of a language, shared by all threads."""
    return Memory(language)


def parts(name: str) -> list[str]:
    """Parts of an identifier in lower case, single letters left out where there are longer parts.

    >>> parts("HTTPServer_v2")
    ['http', 'server']
    """
    found = _PART.findall(name) if name.isascii() else _unicode_parts(name)
    if len(found) > 1:
        found = [part for part in found if len(part) > 1] or found
    return [part.lower() for part in found]


def stem(word: str, language: str) -> str:
    """A word without its endings; words with digits stay as they are, and all do where there is no language."""
    if not language or len(word) < 4 or not word.isalpha():
        return word
    if not word.isascii():
        script = unicodedata.name(word[0], "").split(" ", 1)[0]
        language = _STEMMER_OF_SCRIPT.get(script, language)
    return _stemmer(language).stemWord(word) if language else word  # of Hebrew nobody knows the endings


@cache
def _stemmer(language: str) -> Any:
    import Stemmer

    # Its own cache off: Memory remembers whole tokens.
    return Stemmer.Stemmer(language, 0)


def _pairs(run: str) -> tuple[str, ...]:
    """Pairs of neighbours, and each Han character alone: one of them is often a word (jaquad-ja 0.902 -> 0.909)."""
    run = unicodedata.normalize("NFKC", run)
    if len(run) == 1:
        return (run,)
    return tuple(run[at : at + 2] for at in range(len(run) - 1)) + tuple(_compiled(_HAN).findall(run))


def _unicode_parts(name: str) -> list[str]:
    found: list[str] = []
    for piece in re.findall(r"\d+|[^\W\d_]+", name):
        start = 0
        for at in range(1, len(piece)):
            if piece[at].isupper() and not piece[at - 1].isupper():
                found.append(piece[start:at])
                start = at
        found.append(piece[start:])
    return found


def _forms(token: str, language: str) -> tuple[str, ...]:
    if _IS_VERSION.fullmatch(token):
        number = token.lower().removeprefix("v")
        return (number, *number.split("."))
    if token.endswith(("+", "#")):
        return (token.lower(), token[0].lower())
    name = token if token.isascii() else unicodedata.normalize("NFKC", token)
    found: list[str] = []
    if name.startswith("@"):
        name = name[1:]
        found.append("@" + name.casefold())
    pieces = parts(name)
    whole = name.casefold().replace("_", "").replace("-", "")
    for word in [whole, *pieces] if len(pieces) > 1 else [whole or name]:
        for form in _spellings(word, language):
            if form not in found:
                found.append(form)
    return tuple(found)


def _spellings(word: str, language: str) -> list[str]:
    """The stem, the stem in the text's language, and each without accents.

    A text keeps both stems, for questions too short to tell their language; a question asks for its own language's
    alone, or every word would count twice (xquad-de 0.924 -> 0.938).
    """
    language, asked = language.removesuffix(AS_QUESTION), language.endswith(AS_QUESTION)
    stems = [stem(word, language)]
    if language != "english" and not asked:
        stems.append(stem(word, "english"))
    if word.isascii():
        return stems
    return stems + [fold(each) for each in stems]


def fold(word: str) -> str:
    """A word without its accents and strokes: "café" -> "cafe", "Łódź" -> "Lodz"."""
    decomposed = unicodedata.normalize("NFD", word.translate(_STROKES))
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if not unicodedata.combining(c)))
