"""Prose to chunks: a section where it fits, else its paragraphs packed with overlap, under the headings above it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from gnomon.chunk.assemble import Draft, assemble
from gnomon.chunk.base import ChunkLimits, TokenCounter
from gnomon.chunk.headings import Heading, Layout, layout
from gnomon.chunk.rows import Rows
from gnomon.chunk.split import GLUED, TINY_TOKENS, Atoms, split
from gnomon.chunk.tokens import TokenIndex
from gnomon.values import Chunk, Extracted

# Tokens of the line of headings put before a chunk for the embedder.
CONTEXT_TOKENS = 40
# Below this, what is left of a section without its code says too little to be embedded alone.
_MIN_PROSE_TOKENS = 12
# How much a cut tears: between paragraphs, lines, inside tables and code, and between sentences of one line.
_PARAGRAPH, _ITEM, _LINE, _CODE, _TABLE, _SENTENCE = 0, 1, 2, 3, 4, 5
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？．])")
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")


@dataclass(frozen=True, slots=True)
class _Section:
    """Rows [first, last) under one chain of headings; the first row is the heading itself unless there is none."""

    first: int
    last: int
    breadcrumb: tuple[str, ...]


def chunk_prose(document: Extracted, *, tokens: TokenCounter, limits: ChunkLimits, body_start: int = 0) -> list[Chunk]:
    """Chunks of one document of prose; see ``chunk.chunk``."""
    rows = Rows(document.text)
    index = TokenIndex(document.text, tokens, start=body_start)
    first = rows.row_at(body_start)
    plan = _Plan(rows, layout(rows, document.language, first), index, limits, body_start)
    drafts = [draft for section in plan.sections(first) for draft in plan.drafts(section)]
    return assemble(rows, drafts, index, hard_tokens=limits.hard_tokens)


class _Plan:
    """Sections of one document, and how each is cut."""

    def __init__(self, rows: Rows, found: Layout, index: TokenIndex, limits: ChunkLimits, body_start: int) -> None:
        self._rows = rows
        self._layout = found
        self._index = index
        self._limits = limits
        self._start = body_start

    def sections(self, first: int) -> list[_Section]:
        """Sections in order; one that says too little joins its first subsection."""
        found: list[_Section] = []
        begin, above = first, list[Heading]()
        for heading in self._layout.headings:
            if heading.row > begin:
                found.append(self._section(begin, heading.row, above))
            begin = heading.row
            above = [*(h for h in above if h.level < heading.level), heading]
        found.append(self._section(begin, len(self._rows), above))
        return self._joined(found)

    def _section(self, first: int, last: int, above: list[Heading]) -> _Section:
        return _Section(first, last, tuple(heading.title for heading in above if heading.title))

    def _joined(self, sections: list[_Section]) -> list[_Section]:
        joined: list[_Section] = []
        for section in sections:
            before = joined[-1] if joined else None
            child = before and section.breadcrumb[: len(before.breadcrumb)] == before.breadcrumb
            if before and child and self._tokens(before.first, before.last) < TINY_TOKENS:
                joined[-1] = replace(section, first=before.first)
            else:
                joined.append(section)
        return joined

    def _tokens(self, first: int, last: int) -> int:
        return self._index.cost(self._offset(first), self._offset(last))

    def _offset(self, row: int) -> int:
        return max(self._rows.starts[row], self._start)

    def drafts(self, section: _Section) -> Iterator[Draft]:
        """The section whole, or its paragraphs packed to the target with overlap."""
        context = self._context(section.breadcrumb)
        room = self._limits.hard_tokens - (self._index.count(context) if context else 0)
        start, end = self._offset(section.first), self._offset(section.last)
        pieces = [(start, end)] if self._index.cost(start, end) <= room else list(self._packed(section, room))
        for number, (begin, stop) in enumerate(pieces):
            begin = self._overlapping(pieces[number - 1][0], begin, stop, room) if number else begin  # noqa: PLW2901
            yield Draft(
                begin,
                stop,
                breadcrumb=section.breadcrumb,
                context=context,
                embed_spans=self._embedded(section, begin, stop),
            )

    def _context(self, breadcrumb: tuple[str, ...]) -> str:
        most = min(CONTEXT_TOKENS, self._limits.hard_tokens // 4)
        for outer in range(len(breadcrumb)):
            line = " > ".join(breadcrumb[outer:])
            if self._index.count(line) <= most:
                return line
        return ""

    def _packed(self, section: _Section, room: int) -> Iterator[tuple[int, int]]:
        offsets, joints = self._atoms(section)
        atoms = Atoms(
            offsets=[*offsets, self._offset(section.last)],
            joints=joints,
            cost=self._index.cost,
            room=lambda _: room,
            target=self._limits.target_tokens,
        )
        for first, last in split(atoms, 0, len(offsets)):
            yield atoms.offsets[first], atoms.offsets[last]

    def _atoms(self, section: _Section) -> tuple[list[int], list[int]]:
        """Lines, and the sentences of lines that are too long to be packed whole."""
        offsets: list[int] = []
        joints: list[int] = []
        for row in range(section.first, section.last):
            start, end = self._offset(row), self._offset(row + 1)
            offsets.append(start)
            joints.append(self._joint(row, section.first))
            if self._index.cost(start, end) > self._limits.overlap_tokens:
                for stop in _SENTENCE_END.finditer(self._rows.text, start, end):
                    if start < stop.end() < end:
                        offsets.append(stop.end())
                        joints.append(_SENTENCE)
        return offsets, joints

    def _joint(self, row: int, first: int) -> int:
        rows, found = self._rows, self._layout
        if rows.blank[row] or (row and row - 1 == first and found.headings):
            return GLUED
        if row and found.code[row] and found.code[row - 1]:
            return _CODE
        if row and found.table[row] and found.table[row - 1]:
            return _TABLE
        if row and rows.blank[row - 1]:
            return _PARAGRAPH
        return _ITEM if _LIST_ITEM.match(rows.lines[row]) else _LINE

    def _overlapping(self, floor: int, start: int, end: int, room: int) -> int:
        """An earlier start of a piece, at white space: some of what came before it, as far as the room goes."""
        text, index = self._rows.text, self._index
        best = at = start
        while at > floor:
            at -= 1
            if not text[at].isspace():
                continue
            if index.cost(at, start) > self._limits.overlap_tokens or index.cost(at, end) > room:
                break
            best = at + 1
        return best

    def _embedded(self, section: _Section, start: int, end: int) -> tuple[tuple[int, int], ...]:
        """What the embedder reads of a piece: no code where prose is left, and a table's head before its later rows."""
        rows, found = self._rows, self._layout
        first, last = rows.row_at(start), rows.row_at(max(start, end - 1)) + 1
        spans = [
            (max(start, rows.starts[row]), min(end, rows.starts[row + 1]))
            for row in range(first, last)
            if not found.code[row]
        ]
        head = self._table_head(section, first)
        if head:
            return (head, (start, end))
        prose = sum(self._index.tokens(*span) for span in spans)
        return _merged(spans) if len(spans) < last - first and prose >= _MIN_PROSE_TOKENS else ()

    def _table_head(self, section: _Section, row: int) -> tuple[int, int] | None:
        table = self._layout.table
        if not table[row] or row == section.first or not table[row - 1]:
            return None
        top = row
        while top > section.first and table[top - 1]:
            top -= 1
        return self._rows.starts[top], self._rows.starts[top + 1]


def _merged(spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(joined)
