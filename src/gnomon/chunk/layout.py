"""What the rows of a prose document are: headings, code, tables. Filled by one reader per markup."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MAX_LEVEL = 9
MAX_TITLE_CHARS = 200

# Images and links become their text; emphasis, code marks, anchors, tags go.
_LINK = re.compile(r"!?\[([^\[\]]{0,200})\](?:\([^()]{0,500}\)|\[[^\[\]]{0,200}\])")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>|\s*\{[#.:][^{}]{0,100}\}")
_ROLE = re.compile(r":[a-z][a-z:+-]{0,30}:`([^`<]{1,200})(?:<[^>`]{0,200}>)?`")
_EMPHASIS = re.compile(r"(?<![\w\\])(\*{1,3}|_{1,3}|`{1,3})(?=\S)(.{1,200}?)(?<=\S)\1(?!\w)")


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading.

    Attributes:
        first: Row where the section begins (with an overline: its row).
        last: Last row of the heading itself (its underline).
        level: 1 is outermost.
        title: Plain text.
    """

    first: int
    last: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Table:
    """One table: rows [first, body) are its head, [body, end) its body."""

    first: int
    body: int
    end: int


@dataclass(frozen=True, slots=True)
class Layout:
    """A document's rows; each list has one entry for each row.

    Attributes:
        headings: In order.
        code: Whether a row is of a code block, fences included, or of a comment: read by people, not by the embedder.
        tables: In order.
    """

    headings: tuple[Heading, ...]
    code: tuple[bool, ...]
    tables: tuple[Table, ...] = ()


@dataclass(slots=True)
class Draft:
    """A layout while it is read."""

    code: list[bool]
    headings: list[Heading] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    def heading(self, first: int, last: int, level: int, title: str) -> None:
        """Add a heading under its plain title."""
        self.headings.append(Heading(first, last, min(level, MAX_LEVEL), plain(title)))

    def layout(self) -> Layout:
        """What was found."""
        return Layout(tuple(self.headings), tuple(self.code), tuple(self.tables))


def plain(title: str) -> str:
    """A heading without markup, at most ``MAX_TITLE_CHARS`` characters.

    >>> plain("`run` a [job](x.md) in *this* snake_case_name {#job}")
    'run a job in this snake_case_name'
    """
    title = title[: 4 * MAX_TITLE_CHARS]
    title = _TAG.sub("", _ROLE.sub(r"\1", _LINK.sub(r"\1", title)))
    title = _EMPHASIS.sub(r"\2", title)
    return " ".join(title.split())[:MAX_TITLE_CHARS].rstrip()
