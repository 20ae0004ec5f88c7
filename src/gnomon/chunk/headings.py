"""Where the sections of a prose document begin, in the markups people write: Markdown, reST, AsciiDoc, Org.

Also which rows are code, tables or comments, where no heading is looked for. Linear in the text; nothing is rendered.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from gnomon.chunk.rows import Rows

MAX_LEVEL = 6
_MAX_TITLE_CHARS = 200
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r"[ >]*(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_NOT_PARAGRAPH = re.compile(r" {0,3}(?:[-*+>|]|\d+[.)] |#{1,6} |<|\[[^\]]+\]:)")
_TABLE = re.compile(r"\s*\|.*\|?\s*$")
_ADORNMENT = re.compile(r"([=\-`:'\"~^_*+#<>.])\1{2,}[ \t]*$")
_ASCIIDOC = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)$")
_ORG = re.compile(r"(\*{1,6})[ \t]+(\S.*)$")
_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}|\s*\{#[^}]*\}|<[^>]{1,80}>")


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading.

    Attributes:
        row: Where the section begins (with an overline: its row).
        level: 1 is outermost.
        title: Plain text.
    """

    row: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Layout:
    """What the rows of a document are.

    Attributes:
        headings: In order.
        code: Whether a row is inside a code block, its fences included.
        table: Whether a row is of a table.
    """

    headings: tuple[Heading, ...]
    code: tuple[bool, ...]
    table: tuple[bool, ...]


def layout(rows: Rows, language: str, first: int = 0) -> Layout:
    """Read a document's layout; rows before ``first`` (front matter) are not looked at."""
    code = _DELIMITED.get(language, _fenced)(rows, first)
    headings = _READERS.get(language, _markdown)(rows, code, first)
    table = tuple(not code[row] and bool(_TABLE.match(line)) for row, line in enumerate(rows.lines))
    return Layout(tuple(headings), tuple(code), table)


def _fenced(rows: Rows, first: int) -> list[bool]:
    """Rows of fenced code and HTML comments, as CommonMark has them: a fence is closed only by its own kind."""
    code = [False] * len(rows)
    fence = ""
    comment = False
    for row in range(first, len(rows)):
        line = rows.lines[row]
        if fence:
            code[row] = True
            bare = line.strip(" \t>")
            if bare and not bare.strip(fence[0]) and len(bare) >= len(fence):
                fence = ""
        elif comment:
            code[row] = True
            comment = "-->" not in line
        elif opening := _FENCE.match(line):
            fence = opening[1]
            code[row] = True
        elif line.lstrip().startswith("<!--"):
            comment = "-->" not in line
            code[row] = comment
    return code


def _between(delimiter: re.Pattern[str]) -> Callable[[Rows, int], list[bool]]:
    def read(rows: Rows, first: int) -> list[bool]:
        code = [False] * len(rows)
        opened = ""
        for row in range(first, len(rows)):
            line = rows.lines[row].strip()
            if opened:
                code[row] = True
                if line == opened:
                    opened = ""
            elif delimiter.fullmatch(line):
                opened = _CLOSES.get(line.partition(" ")[0].lower(), line)
                code[row] = True
        return code

    return read


_CLOSES = {"#+begin_src": "#+end_src", "#+begin_example": "#+end_example"}


def _nothing(rows: Rows, _first: int) -> list[bool]:
    return [False] * len(rows)


def _markdown(rows: Rows, code: list[bool], first: int) -> list[Heading]:
    found: list[Heading] = []
    paragraph = -1  # first row of the paragraph that a setext underline would close
    for row in range(first, len(rows)):
        line = rows.lines[row]
        if code[row] or rows.blank[row]:
            paragraph = -1
        elif atx := _ATX.match(line):
            found.append(Heading(row, len(atx[1]), plain(atx[2] or "")))
            paragraph = -1
        elif paragraph >= 0 and (underline := _SETEXT.match(line)):
            title = " ".join(rows.lines[paragraph:row])
            if len(title) <= _MAX_TITLE_CHARS and "|" not in title:
                found.append(Heading(paragraph, 1 if underline[1][0] == "=" else 2, plain(title)))
            paragraph = -1
        elif paragraph < 0 and not _NOT_PARAGRAPH.match(line) and not line.startswith(("    ", "\t")):
            paragraph = row
    return found


def _restructured(rows: Rows, _code: list[bool], first: int) -> list[Heading]:
    """Levels in the order in which adornments first appear, as docutils has it."""
    found: list[Heading] = []
    order: list[tuple[str, bool]] = []
    for row in range(first + 1, len(rows)):
        line, title = rows.lines[row].rstrip(), rows.lines[row - 1].strip()
        indented = rows.lines[row - 1][:1].isspace()
        if not _ADORNMENT.match(line) or not title or _ADORNMENT.match(title) or len(title) > _MAX_TITLE_CHARS:
            continue
        over = row - 2 >= first and rows.lines[row - 2].rstrip() == line
        alone = row - 2 < first or rows.blank[row - 2] or over
        if (indented and not over) or not alone or len(line) < min(len(title), 4):
            continue
        style = (line[0], over)
        if style not in order:
            order.append(style)
        found.append(Heading(row - 2 if over else row - 1, min(order.index(style) + 1, MAX_LEVEL), plain(title)))
    return found


def _by_mark(pattern: re.Pattern[str]) -> Callable[[Rows, list[bool], int], list[Heading]]:
    def read(rows: Rows, code: list[bool], first: int) -> list[Heading]:
        return [
            Heading(row, len(match[1]), plain(match[2]))
            for row in range(first, len(rows))
            if not code[row] and (match := pattern.match(rows.lines[row]))
        ]

    return read


def _without(_rows: Rows, _code: list[bool], _first: int) -> list[Heading]:
    return []


_READERS: dict[str, Callable[[Rows, list[bool], int], list[Heading]]] = {
    "rst": _restructured,
    "asciidoc": _by_mark(_ASCIIDOC),
    "org": _by_mark(_ORG),
    "srt": _without,
    "vtt": _without,
    "patch": _without,
}
_DELIMITED: dict[str, Callable[[Rows, int], list[bool]]] = {
    "rst": _nothing,
    "asciidoc": _between(re.compile(r"-{4,}|\.{4,}|`{3,}.*|/{4,}")),
    "org": _between(re.compile(r"#\+begin_(?:src|example).*", re.IGNORECASE)),
}


def plain(title: str) -> str:
    """A heading without markup: links become their text, emphasis and anchors go.

    >>> plain("`run` a [job](x.md) {#job}")
    'run a job'
    """
    return _MARKUP.sub(lambda m: m[1] or "", title).strip()[:_MAX_TITLE_CHARS]
