"""The layout of Markdown, by the block rules of CommonMark: fences in their containers, setext, tables, HTML blocks.

https://spec.commonmark.org/0.31.2/ sections 4 and 5; tables as GitHub has them.
"""

from __future__ import annotations

import re

from gnomon.chunk.layout import MAX_TITLE_CHARS, Draft, Layout, Table
from gnomon.chunk.rows import Rows

_TAB_CHARS = 4
_CODE_INDENT = 4
# How much of a line is looked at for the marks that end a heading.
_MAX_LOOK_CHARS = 1_000

_ATX = re.compile(r"(#{1,6})(?:[ \t]+|$)")
_ATX_CLOSE = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_SETEXT = re.compile(r"(?:=+|-+)[ \t]*$")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_QUOTE = re.compile(r"(?: {0,3}>[ \t]?)+")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_RULE = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_DELIMITERS = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_RAW = re.compile(r"<(script|pre|style|textarea)(?:[\s>]|$)", re.IGNORECASE)


def read(rows: Rows, first: int, *, setext: bool = True) -> Layout:
    """Read the layout of the rows from ``first`` on.

    Args:
        rows: The document.
        first: First row that is looked at.
        setext: Underlined headings count; extracted text has none, but may have lines of dashes.
    """
    return _Reader(rows, setext=setext).run(first)


class _Reader:
    """One pass over the rows."""

    def __init__(self, rows: Rows, *, setext: bool) -> None:
        self._rows = rows
        self._setext = setext
        self._found = Draft([False] * len(rows))
        self._fence = ""  # the fence that is open
        self._fence_quotes = 0  # how many block quotes it is in
        self._fence_margin = 0  # column where the list item begins that it is in
        self._closer = ""  # what ends the open HTML block
        self._margins: list[int] = []  # columns where the texts begin of the list items we are in, outermost first
        self._paragraph = -1  # first row of the open paragraph

    def run(self, first: int) -> Layout:
        row = first
        while row < len(self._rows):
            if self._closer or self._fence:
                taken = self._verbatim(row)
                if taken:
                    row += 1
                    continue
            if self._rows.blank[row]:
                self._paragraph = -1
                row += 1
            else:
                row = self._block(row)
        return self._found.layout()

    def _verbatim(self, row: int) -> bool:
        """Take a row into the open fence or HTML block; False where its container has ended before it."""
        line = self._rows.lines[row]
        if self._closer:
            self._found.code[row] = True
            if self._closer in line.lower():
                self._closer = ""
            return True
        quotes, rest = _unquoted(line)
        left = quotes < self._fence_quotes
        if not self._rows.blank[row] and (left or _columns(rest) < self._fence_margin):
            self._fence = ""
            return False
        if left:  # a blank row ends a quote
            self._fence = ""
            return False
        self._found.code[row] = True
        bare = rest.strip()
        closes = len(bare) >= len(self._fence) and not bare.strip(self._fence[0])
        if closes and _columns(rest) - self._fence_margin < _CODE_INDENT:
            self._fence = ""
        return True

    @property
    def _margin(self) -> int:
        return self._margins[-1] if self._margins else 0

    def _block(self, row: int) -> int:
        """Read the block that starts or goes on at a row that is not blank; returns the next row to read."""
        line = self._rows.lines[row]
        columns = _columns(line)
        if columns < self._margin:
            return self._outside(row, line, columns)
        if not self._margins and columns >= _CODE_INDENT and self._paragraph < 0:
            self._found.code[row] = True
            return row + 1
        following = self._special(row, line.lstrip(), columns) if columns - self._margin < _CODE_INDENT else 0
        return following or self._text(row)

    def _outside(self, row: int, line: str, columns: int) -> int:
        """A row left of the list item we are in: it ends the item, unless it goes on with a paragraph of it."""
        margins, paragraph = list(self._margins), self._paragraph
        while columns < self._margin:
            self._margins.pop()
        self._paragraph = -1
        following = self._special(row, line.lstrip(), columns) if columns - self._margin < _CODE_INDENT else 0
        if not following and paragraph >= 0:
            self._margins, self._paragraph = margins, paragraph
        return following or self._text(row)

    def _text(self, row: int) -> int:
        if self._paragraph < 0:
            self._paragraph = row
        return row + 1

    def _special(self, row: int, text: str, columns: int) -> int:
        """Read what a first character can open; returns the next row to read, 0 for plain text."""
        mark = text[0]
        if mark == "#" and (atx := _ATX.match(text)):
            return self._heading(row, row, len(atx[1]), _ATX_CLOSE.sub("", text[atx.end() : _MAX_LOOK_CHARS]))
        if mark in "=-" and self._paragraph >= 0 and _SETEXT.match(text) and self._underlined(row, mark):
            return row + 1
        if mark in "`~" and (fence := _FENCE.match(text)):
            return self._open_fence(row, fence[1] or fence[2], 0)
        if mark == ">":
            return self._quoted(row)
        if mark == "<" and self._opens_html(row, text):
            return row + 1
        if mark in "-*+_0123456789":
            return self._item(row, text, columns)
        return self._table(row) if "|" in text else 0

    def _heading(self, first: int, last: int, level: int, title: str) -> int:
        self._paragraph = -1
        if not self._margins:  # a heading inside a list item divides the item, not the document
            self._found.heading(first, last, level, title)
        return last + 1

    def _underlined(self, row: int, mark: str) -> bool:
        if not self._setext or self._margins:
            return False
        title = " ".join(line.strip() for line in self._rows.lines[self._paragraph : row])
        if len(title) > MAX_TITLE_CHARS:
            return False
        self._heading(self._paragraph, row, 1 if mark == "=" else 2, title)
        return True

    def _open_fence(self, row: int, fence: str, quotes: int) -> int:
        self._paragraph = -1
        self._fence, self._fence_quotes, self._fence_margin = fence, quotes, self._margin
        self._found.code[row] = True
        return row + 1

    def _quoted(self, row: int) -> int:
        self._paragraph = -1
        quotes, rest = _unquoted(self._rows.lines[row])
        fence = _FENCE.match(rest.lstrip())
        if fence and _columns(rest) < _CODE_INDENT:
            self._open_fence(row, fence[1] or fence[2], quotes)
            self._fence_margin = 0
        return row + 1

    def _opens_html(self, row: int, text: str) -> bool:
        """Comments and raw elements: what is in them is no heading, and not for the embedder."""
        if text.startswith("<!--"):
            closer = "-->"
        elif raw := _RAW.match(text):
            closer = f"</{raw[1].lower()}"
        else:
            return False
        self._paragraph = -1
        self._found.code[row] = True
        self._closer = "" if closer in text[4:].lower() else closer
        return True

    def _item(self, row: int, text: str, columns: int) -> int:
        if _RULE.match(text):
            self._paragraph = -1
            return row + 1
        item = _ITEM.match(text)
        if item is None or (self._paragraph >= 0 and not self._margins and text[0].isdigit() and text[0] != "1"):
            return self._table(row) if "|" in text else 0
        self._margins.append(columns + min(item.end(), len(item[0].rstrip()) + _CODE_INDENT))
        self._paragraph = -1
        fence = _FENCE.match(text[item.end() :])
        if fence:
            return self._open_fence(row, fence[1] or fence[2], 0)
        self._paragraph = row
        return row + 1

    def _table(self, row: int) -> int:
        lines = self._rows.lines
        if self._paragraph >= 0 or row + 1 >= len(lines) or "-" not in lines[row + 1]:
            return 0
        if not _DELIMITERS.match(lines[row + 1]) or "|" not in lines[row + 1] + lines[row]:
            return 0
        end = row + 2
        while end < len(lines) and "|" in lines[end] and not lines[end].lstrip().startswith(("#", "```", "~~~", ">")):
            end += 1
        self._found.tables.append(Table(row, row + 2, end))
        self._paragraph = -1
        return end


def _columns(line: str) -> int:
    """Width of the white space a line begins with."""
    width = 0
    for char in line:
        if char == " ":
            width += 1
        elif char == "\t":
            width += _TAB_CHARS - width % _TAB_CHARS
        else:
            break
    return width


def _unquoted(line: str) -> tuple[int, str]:
    """How many block quote marks a line begins with, and the rest of it."""
    marks = _QUOTE.match(line)
    return (marks[0].count(">"), line[marks.end() :]) if marks else (0, line)
