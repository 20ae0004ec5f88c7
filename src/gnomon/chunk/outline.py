"""What a chunker of code knows of a file: how deep each line lies, and which lines define what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from gnomon.chunk.rows import Rows
from gnomon.chunk.split import GLUED

# Deeper levels count as this one, so that splitting by level ends however deep hostile input nests.
MAX_DEPTH = 48
_STEPS_PER_LEVEL = 6

# Nothing but closing brackets and closing words: it belongs to what it closes.
_CLOSER = re.compile(
    r"\s*(?:[\])}>;,]|\)\s*[({]|end(?:if|while|for(?:each)?|case|fun(?:ction)?|def|class|module|sub|try)?\b[\s);,.]*$"
    r"|fi\b|done\b|esac\b|'''\s*$|\"\"\"\s*$|\*/)[\s\])}>;,({]*(?:$|//|--|#|\*/)"
)
# Goes on with the line before: else branches, chained calls, operators.
_CONTINUES = re.compile(
    r"\s*(?:[})\]]*\s*(?:else|elif|elsif|elseif|except|rescue|catch|finally|ensure|while)\b|\.(?!\.)\w|&&|\|\||\?[.:]|[+*/|&]\s)"
)
_OPENS = re.compile(r"(?:\b(?:do|then|begin|where|of)(?:\s*\|[^|]*\|)?|[=-]>)$")
_MAX_OPENER_CHARS = 80
# What each of them can begin or end with: most lines are told by one character.
_CLOSER_FIRST = frozenset("])}>;,)'\"*edf")
_CONTINUES_FIRST = frozenset("})].&|?+*/ercfw")
_OPENERS = frozenset("({[:")
_OPENS_LAST = frozenset(">|onef")


@dataclass(frozen=True, slots=True)
class Definition:
    """A name that a file defines.

    Attributes:
        first: Row of its first leading comment, decorator or attribute, else of itself.
        named: Row that has the name.
        last: Its last row.
        name: Qualified ("SessionStore.refresh"); "" for something that encloses others but is asked for by no name.
        header: The line that declares it, without what opens the body.
        deprecated: It says so itself.
    """

    first: int
    named: int
    last: int
    name: str
    header: str
    deprecated: bool = False


@dataclass(frozen=True, slots=True)
class Outline:
    """A file as code chunking sees it.

    Attributes:
        depths: For each row, how many things it is inside of that began on an earlier row.
        definitions: In order of their first row, outer before inner.
        tied: Rows that go with the row before (a definition under its comment), with how strongly, in levels.
        broken: First and last rows of what the grammar could not read.
    """

    depths: Sequence[int]
    definitions: Sequence[Definition]
    tied: Mapping[int, int] = field(default_factory=dict)
    broken: Sequence[tuple[int, int]] = ()


def joints(rows: Rows, outline: Outline) -> list[int]:
    """Strength of the joint before each row, for ``split.Atoms``."""
    found = [GLUED] * len(rows)
    starts = {definition.first for definition in outline.definitions}
    before = -1  # the last row that is not blank
    for row, line in enumerate(rows.lines):
        if rows.blank[row]:
            continue
        strength = min(outline.depths[row], MAX_DEPTH) * _STEPS_PER_LEVEL
        if row in outline.tied:
            strength += outline.tied[row] * _STEPS_PER_LEVEL
        elif before >= 0:
            strength += _between(rows.lines[before], line, apart=before + 1 < row or row in starts)
        found[row] = strength
        before = row
    return found


def _between(before: str, line: str, *, apart: bool) -> int:
    """How much more than its depth a joint between two rows that are not blank holds together; or GLUED.

    Steps are below one level.
    """
    first = line.lstrip()[0]
    if first in _CLOSER_FIRST and _CLOSER.match(line):
        return GLUED
    steps = 0 if apart else 1
    if first in _CONTINUES_FIRST and _CONTINUES.match(line):
        steps += 2
    before = before.rstrip()
    if before[-1] in _OPENERS or (before[-1] in _OPENS_LAST and _OPENS.search(before[-_MAX_OPENER_CHARS:])):
        steps += 2
    return steps


def tie(above: int) -> int:
    """How many levels tie a definition to what leads it, by the rows of that.

    A few lines of comment stay with the head of what they lead, and its inside is cut instead; a long text is cut off.
    """
    return _SHORT_LEAD_TIE if above <= _SHORT_LEAD_ROWS else 1


_SHORT_LEAD_ROWS = 5
_SHORT_LEAD_TIE = 4


def enclosing(rows: int, definitions: Sequence[Definition]) -> list[tuple[int, ...]]:
    """For each row, the definitions that began on an earlier row and go on: indexes, outermost first."""
    found: list[tuple[int, ...]] = []
    stack: tuple[int, ...] = ()
    following = 0
    for row in range(rows):
        while following < len(definitions) and definitions[following].first < row:
            while stack and definitions[stack[-1]].last < definitions[following].last:
                stack = stack[:-1]
            if len(stack) < MAX_DEPTH:
                stack = (*stack, following)
            following += 1
        while stack and definitions[stack[-1]].last < row:
            stack = stack[:-1]
        found.append(stack)
    return found


def covered(ranges: Iterable[tuple[int, int]], rows: int) -> list[bool]:
    """For each row, whether one of these ranges of rows (last one included) holds it."""
    changes = [0] * (rows + 1)
    for first, last in ranges:
        changes[first] += 1
        changes[min(last + 1, rows)] -= 1
    return [count > 0 for count in accumulate(changes[:rows])]


def in_order(definitions: Iterable[Definition]) -> list[Definition]:
    """Sorted as ``Outline`` promises."""
    return sorted(definitions, key=lambda item: (item.first, -item.last, item.named, item.name))


def define(rows: Rows, name: str, *, first: int, named: int, last: int) -> Definition:
    """A definition with what its lines say: how it is declared, whether it is deprecated."""
    text = rows.text[rows.starts[first] : rows.starts[min(named + 1, len(rows))]]
    header = _header(rows, named)
    deprecated = bool(_DEPRECATED.search(text[-_MAX_LEADING_CHARS:])) or bool(
        _DEPRECATED_DOC.match(_after(rows, named))
    )
    return Definition(first, named, last, name, header, deprecated)


_MAX_HEADER_CHARS = 200
_MAX_HEADER_ROWS = 10
_INNER_SPACE = re.compile(r"(\() |,? (\))")
_MAX_LEADING_CHARS = 4_000
_BODY_OPENER = re.compile(r"\s*(?:\{|:|\bdo|=|=>|\bwhere)\s*$")
_OPENER_LAST = frozenset("{:o=>e")
_DEPRECATED = re.compile(
    r"@(?:\w+\.)*[Dd]eprecated\b|#\[deprecated\b|\[(?:\w+\.)*Obsolete\b|\[\[deprecated\b|__attribute__\(\(deprecated"
    r"|@available\([^)\n]*\bdeprecated\b|^[ \t/*#;-]*(?:\.\. )?[Dd]eprecated:|\{-# DEPRECATED\b",
    re.MULTILINE,
)
_DEPRECATED_DOC = re.compile(r"\s*[rRuU]*(?:\"\"\"|'''|\")\s*(?:\.\. deprecated::|\[?DEPRECATED\b|Deprecated\b)")


def _after(rows: Rows, row: int) -> str:
    return rows.lines[row + 1] if row + 1 < len(rows) else ""


def _header(rows: Rows, row: int) -> str:
    """The declaration that stands on a row, with the rows after it while its brackets are open, as one line."""
    header = rows.lines[row].strip()
    for following in range(row + 1, min(row + _MAX_HEADER_ROWS, len(rows))):
        if header.count("(") <= header.count(")") or header.endswith("{") or len(header) > _MAX_HEADER_CHARS:
            break
        header = f"{header} {rows.lines[following].strip()}"
    if "( " in header or " )" in header:
        header = _INNER_SPACE.sub(r"\1\2", header)
    header = header[:_MAX_HEADER_CHARS]
    return _BODY_OPENER.sub("", header) if header.rstrip()[-1:] in _OPENER_LAST else header
