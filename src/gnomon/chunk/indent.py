"""A file outlined by indentation and by lines that look like definitions, for languages without a grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gnomon.chunk.names import Role
from gnomon.chunk.outline import Definition, Outline, define, in_order, tie
from gnomon.chunk.patterns import MAX_LINE_CHARS, Family, compiled, family_of
from gnomon.chunk.rows import Rows

_TAB_CHARS = 4
_MAX_LEADING_ROWS = 60
_MAX_NAME_CHARS = 120
_MAX_AROUND = 20

# Comments, decorators and attributes, in any language: they belong to what follows.
_LEADING = re.compile(
    r"\s*(?://|/\*|\*(?!\*?\w)|#(?!\s*(?:define|include|if|el|endif))|@\w|\[[^\]]+\]\s*$|\(\*|\{-|--(?!\w)|;|%|<!--)"
)
# What may stand as far left as a definition and still belong to its body.
_STAYS_INSIDE = re.compile(
    r"\s*(?:[\])}{]|end\b|else\b|elif\b|elsif\b|except\b|finally\b|catch\b|rescue\b|begin\b|where\b|fi\b|done\b)"
)


def outline(rows: Rows, language: str) -> Outline:
    """The outline of any text; linear in its length."""
    nesting = Nesting(rows)
    definitions = _definitions(rows, family_of(language), nesting)
    depths = nesting.depths
    if family_of(language).flat:
        depths = _with_flat(depths, definitions)
    tied = {
        row: tie(row - first_row(rows, row))
        for row in range(1, len(rows))
        if not rows.blank[row] and _leads(rows, row - 1)
    }
    return Outline(depths, definitions, tied)


def find_callables(rows: Rows, language: str) -> list[Definition]:
    """Functions and types by the look of their lines alone."""
    family = family_of(language)
    kept = tuple((role, pattern) for role, pattern in family.patterns if role not in {"value", "global"})
    return _definitions(rows, Family(kept, family.flat), Nesting(rows))


class Nesting:
    """Which row lies inside which, by indentation.

    Attributes:
        indents: Of each row in columns; a comment has at least that of the row after it.
        depths: How many rows each row lies inside of.
        ends: The last row that lies inside each row, or the row itself.
    """

    def __init__(self, rows: Rows) -> None:
        self.indents = _indents(rows)
        self.depths = [0] * len(rows)
        self.ends = list(range(len(rows)))
        stack: list[int] = []
        before = 0
        for row, line in enumerate(rows.lines):
            if rows.blank[row]:
                continue
            indent = self.indents[row]
            while stack and self.indents[stack[-1]] > indent:
                self.ends[stack.pop()] = before
            level = bool(stack) and self.indents[stack[-1]] == indent
            if level and _STAYS_INSIDE.match(line):
                self.depths[row] = len(stack)
            else:
                if level:
                    self.ends[stack.pop()] = before
                self.depths[row] = len(stack)
                stack.append(row)
            before = row
        for row in stack:
            self.ends[row] = before


def _indents(rows: Rows) -> list[int]:
    found = [0] * len(rows)
    below = 0
    for row in range(len(rows) - 1, -1, -1):
        if rows.blank[row]:
            continue
        line = rows.lines[row]
        margin = line[: len(line) - len(line.lstrip())]
        indent = len(margin.expandtabs(_TAB_CHARS)) if "\t" in margin else len(margin)
        comment = line.lstrip()[0] not in "@[" and _LEADING.match(line)
        below = found[row] = max(indent, below) if comment else indent
    return found


def _definitions(rows: Rows, family: Family, nesting: Nesting) -> list[Definition]:
    found = list(_matches(rows, family))
    firsts = [first_row(rows, row) for row, _, _ in found]
    definitions: list[Definition] = []
    around: list[tuple[int, Role, str]] = []  # last row, role, qualified name
    for at, (row, role, name) in enumerate(found):
        while around and around[-1][0] < row:
            around.pop()
        if role == "value" and any(outer == "function" for _, outer, _ in around):
            continue
        last = nesting.ends[row]
        if family.flat:
            last = max(last, firsts[at + 1] - 1 if at + 1 < len(found) else len(rows) - 1)
        prefix = around[-1][2] if around else ""
        qualified = f"{prefix}.{name}" if prefix else name
        first = max(firsts[at], firsts[at - 1] + 1) if at else firsts[at]
        definitions.append(define(rows, "" if role == "space" else qualified, first=first, named=row, last=last))
        if nesting.ends[row] > row and len(around) < _MAX_AROUND:
            around.append((nesting.ends[row], role, qualified))
    return in_order(definitions)


def _matches(rows: Rows, family: Family) -> Iterator[tuple[int, Role, str]]:
    """Row, role and name of each line that defines something."""
    for row, line in enumerate(rows.lines):
        if rows.blank[row] or (_LEADING.match(line) and not line.lstrip().startswith(("@test", "@"))):
            continue
        head = line[:MAX_LINE_CHARS]
        for role, pattern in family.patterns:
            match = compiled(pattern).match(head)
            if match:
                yield row, role, match[1][:_MAX_NAME_CHARS]
                break


def _leads(rows: Rows, row: int) -> bool:
    return not rows.blank[row] and bool(_LEADING.match(rows.lines[row]))


def first_row(rows: Rows, row: int) -> int:
    """The first of the comments and decorators right above a row, or the row itself."""
    first = row
    while first > 0 and row - first < _MAX_LEADING_ROWS and _leads(rows, first - 1):
        first -= 1
    return first


def _with_flat(depths: list[int], definitions: list[Definition]) -> list[int]:
    """The depths, one more inside each definition."""
    deeper = list(depths)
    for definition in definitions:
        for row in range(definition.named + 1, definition.last + 1):
            deeper[row] = depths[row] + 1
    return deeper
