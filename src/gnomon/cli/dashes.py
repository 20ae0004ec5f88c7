"""Words that start with a dash: options, exclusions of a query, and typing errors, told apart."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence

_LEFT_OUT = re.compile(r"-[^\W\d_][\w.]+")  # as ``analyze.query`` reads it; ``-std=c++17`` is plain text


def words_last(
    typed: Sequence[str],
    options: Mapping[str, argparse.Action],
    *,
    exclusions: bool,
    refuse: Callable[[str], None],
) -> list[str]:
    """What was typed in an order that argparse cannot misread: options, then ``--``, then all words.

    Args:
        typed: Without the command.
        options: Actions by each of their spellings.
        exclusions: Whether ``-word`` after the first word is one of the words.
        refuse: Called with what looks like an option and is none; ends the program.
    """
    kept: list[str] = []
    words: list[str] = []
    rest = iter(typed)
    for word in rest:
        if word == "--":
            words += rest
            pieces = " ".join(words).split()
            if exclusions and pieces and all(map(_LEFT_OUT.fullmatch, pieces)):
                refuse(words[0])  # nothing is left to look for
            break
        if _is_option(word, options):
            kept.append(word)
            if _lacks_value(word, options) and (value := next(rest, None)) is not None:
                kept.append(value)
        elif _is_word(word, exclusions=exclusions and bool(words)):
            words.append(word)
        else:
            refuse(word)
    return [*kept, "--", *words] if words else kept


def _is_option(word: str, options: Mapping[str, argparse.Action]) -> bool:
    if word.startswith("--"):
        return bool(_long(word, options))
    return word in options or (word[:2] in options and word[2:].isdigit())  # -k5


def _lacks_value(word: str, options: Mapping[str, argparse.Action]) -> bool:
    """Whether the next word is the option's value; an ambiguous abbreviation is for argparse to refuse."""
    named = _long(word, options) if word.startswith("--") else [word] if word in options else []
    return len(named) == 1 and options[named[0]].nargs is None and "=" not in word


def _long(word: str, options: Mapping[str, argparse.Action]) -> list[str]:
    """Long options that a word names, in full or by their beginning."""
    name = word.partition("=")[0]
    return [name] if name in options else [each for each in options if each.startswith(name)]


def _is_word(word: str, *, exclusions: bool) -> bool:
    if not word.startswith("-") or word == "-" or word[1:].isdigit():
        return True
    return exclusions and is_exclusion(word)


def is_exclusion(word: str) -> bool:
    """Whether a word that is no option leaves another one out of a query.

    One letter is an option of some other program, and to search for it would hide that.
    """
    return word.startswith("-") and not word.startswith("--") and len(word) > 2
