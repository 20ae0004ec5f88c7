"""Prose to chunks: a section where it fits, else its paragraphs packed with overlap, under the headings above it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise

from gnomon.chunk.assemble import Draft, assemble
from gnomon.chunk.base import ChunkLimits, TokenCounter
from gnomon.chunk.layout import Layout, Table
from gnomon.chunk.markups import EMBEDS_CODE, read_layout
from gnomon.chunk.rows import Rows
from gnomon.chunk.sections import Section, joined, sections
from gnomon.chunk.split import GLUED, Atoms, split
from gnomon.chunk.tokens import TokenIndex
from gnomon.values import Chunk, Extracted

# Tokens of the line of headings put before a chunk for the embedder.
CONTEXT_TOKENS = 40
# Below this, what is left of a chunk without its code says too little to be embedded alone.
_MIN_PROSE_TOKENS = 12
# A part below an eighth of the target (25 of 200 tokens) joins its neighbour where the window has room.
_TINY_SHARE = 8

# How much is torn by a cut: between paragraphs, before a list item, between sentences, lines, inside code and tables.
_PARAGRAPH, _ITEM, _SENTENCE, _LINE, _VERBATIM_GAP, _VERBATIM = range(6)

_LIST_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)]|[a-z][.)])\s")
# A full stop and white space, or the stops that Chinese and Japanese put no space after.
_SENTENCE_END = re.compile(r"[.!?…]['\"”’»)\]]{0,3}\s+(?=\S)|[。！？．｡][」』）”’\"']{0,3}\s*")
_ENDS_SENTENCE = re.compile(r"[.!?…:;。！？．｡][*_'\"”’»)\]」』）]{0,4}\s*$")


def chunk_prose(document: Extracted, *, tokens: TokenCounter, limits: ChunkLimits, body_start: int = 0) -> list[Chunk]:
    """Chunks of one document of prose; see ``chunk.chunk``."""
    rows = Rows(document.text)
    index = TokenIndex(document.text, tokens, start=body_start)
    first = rows.row_at(body_start)
    found = read_layout(rows, document.language, first)
    plan = _Plan(rows, found, index, limits, body_start)
    if document.language in EMBEDS_CODE:
        plan.unread = (False,) * len(rows)
    listed = joined(sections(rows, found, first), rows, plan.tokens, limits.target_tokens)
    drafts = [draft for section in listed for draft in plan.drafts(section)]
    return assemble(rows, drafts, index, hard_tokens=limits.hard_tokens)


class _Plan:
    """How each section of one document is cut."""

    def __init__(self, rows: Rows, found: Layout, index: TokenIndex, limits: ChunkLimits, body_start: int) -> None:
        self._rows = rows
        self._layout = found
        self.unread = found.code  # rows that the embedder does not read where prose is left
        self._index = index
        self._limits = limits
        self._start = body_start
        self._heading_rows = frozenset(row for item in found.headings for row in range(item.first, item.last + 1))
        self._heading_ends = frozenset(item.last for item in found.headings)
        self._table_ends = [table.end for table in found.tables]

    def tokens(self, section: Section) -> int:
        """Cost of a whole section."""
        return self._index.cost(self._offset(section.first), self._offset(section.end))

    def drafts(self, section: Section) -> Iterator[Draft]:
        """The section whole, or its paragraphs packed to the target with overlap."""
        context = self._context(section.breadcrumb)
        room = self._limits.hard_tokens - (self._index.count(context) if context else 0)
        start, end = self._offset(section.first), self._offset(section.end)
        pieces = [(start, end)] if self._index.cost(start, end) <= room else self._packed(section, room)
        for begin, stop in pieces:
            yield Draft(
                begin,
                stop,
                breadcrumb=section.breadcrumb,
                context=context,
                embed_spans=self._embedded(begin, stop),
            )

    def _offset(self, row: int) -> int:
        return max(self._rows.starts[row], self._start)

    def _context(self, breadcrumb: tuple[str, ...]) -> str:
        """As many of the innermost headings as there is room for."""
        most = min(CONTEXT_TOKENS, self._limits.hard_tokens // 4)
        for outer in range(len(breadcrumb)):
            line = " > ".join(breadcrumb[outer:])
            if self._index.count(line) <= most:
                return line
        return ""

    def _packed(self, section: Section, room: int) -> list[tuple[int, int]]:
        offsets, joints = self._atoms(section)
        rooms = [room - self._head_tokens(offset) for offset in offsets]
        atoms = Atoms(
            offsets=[*offsets, self._offset(section.end)],
            joints=joints,
            cost=self._index.cost,
            room=rooms.__getitem__,
            target=min(self._limits.target_tokens, room),
            tiny=self._limits.target_tokens // _TINY_SHARE,
        )
        cut = [(atoms.offsets[first], atoms.offsets[last]) for first, last in split(atoms, 0, len(offsets))]
        return cut[:1] + [
            (self._overlapping(offsets, before, piece, room), piece[1]) for before, piece in pairwise(cut)
        ]

    def _atoms(self, section: Section) -> tuple[list[int], list[int]]:
        """Rows, and the sentences in them where a paragraph is too long to be packed whole."""
        offsets: list[int] = []
        joints: list[int] = []
        for first, end in self._paragraphs(section):
            long = self._index.cost(self._offset(first), self._offset(end)) > self._limits.target_tokens
            for row in range(first, end):
                offsets.append(self._offset(row))
                joints.append(self._joint(row))
                if long and not self._layout.code[row]:
                    ends = self._sentence_ends(self._offset(row), self._offset(row + 1))
                    offsets.extend(ends)
                    joints.extend([_SENTENCE] * len(ends))
        return offsets, joints

    def _paragraphs(self, section: Section) -> Iterator[tuple[int, int]]:
        """Runs of rows that end before a blank row."""
        first = section.first
        for row in range(section.first + 1, section.end):
            if self._rows.blank[row] and not self._rows.blank[row - 1]:
                yield first, row
                first = row
        yield first, section.end

    def _sentence_ends(self, start: int, end: int) -> list[int]:
        return [
            match.end() for match in _SENTENCE_END.finditer(self._rows.text, start, end) if start < match.end() < end
        ]

    def _joint(self, row: int) -> int:
        rows, code = self._rows, self._layout.code
        if rows.blank[row] or row == 0:
            return GLUED
        if code[row] and code[row - 1]:
            return _VERBATIM_GAP if rows.blank[row - 1] else _VERBATIM
        table = self._table_at(row)
        if table and table.first < row:
            return GLUED if row <= table.body else _VERBATIM
        before = row - 1
        while before > 0 and rows.blank[before]:
            before -= 1
        if before in self._heading_ends or (row in self._heading_rows and before in self._heading_rows):
            return GLUED
        if rows.lines[before].rstrip().endswith(":") and before + 1 < row:
            return _ITEM  # what introduces a list or an example stays with it
        return self._text_joint(row)

    def _text_joint(self, row: int) -> int:
        rows = self._rows
        if rows.blank[row - 1]:
            return _PARAGRAPH
        if _LIST_ITEM.match(rows.lines[row]):
            return _ITEM
        return _SENTENCE if _ENDS_SENTENCE.search(rows.lines[row - 1][-80:]) else _LINE

    def _overlapping(self, offsets: list[int], before: tuple[int, int], piece: tuple[int, int], room: int) -> int:
        """An earlier start of a piece: the last sentences before it, else the last words; none into code or tables."""
        floor, (start, end) = before[0], piece
        if self._index.cost(*before) > room:  # it will be cut again, by words
            return start
        row = self._rows.row_at(start)
        above = self._rows.row_at(start - 1)
        while above > 0 and self._rows.blank[above]:
            above -= 1
        if any(self._layout.code[at] or self._table_at(at) or at in self._heading_rows for at in (row, above)):
            return start
        spare = min(self._limits.overlap_tokens, room - self._index.cost(start, end))
        if spare <= 0:
            return start
        floor = max(floor, self._rows.starts[self._verbatim_end(above, self._rows.row_at(floor))])
        earliest = self._index.last_words(floor, start, spare)
        atom = offsets[bisect_left(offsets, earliest)]
        ends = [at for at in (atom, *self._sentence_ends(earliest, start)) if self._rows.text[at:start].strip()]
        return min(ends, default=earliest)

    def _verbatim_end(self, row: int, floor: int) -> int:
        """The first row after the last code, table or heading above a row, at or after ``floor``."""
        while row > floor and not (
            self._layout.code[row - 1] or self._table_at(row - 1) or row - 1 in self._heading_rows
        ):
            row -= 1
        return row

    def _embedded(self, start: int, end: int) -> tuple[tuple[int, int], ...]:
        """What the embedder reads of a piece: no code where prose is left, and a table's head before its later rows."""
        rows, unread = self._rows, self.unread
        first, last = rows.row_at(start), rows.row_at(max(start, end - 1))
        head = self._head_before(start)
        if not head and not any(unread[first : last + 1]):
            return ()
        spans: list[tuple[int, int]] = [head] if head else []
        prose = 0
        for row in range(first, last + 1):
            if unread[row]:
                continue
            span = (max(start, rows.starts[row]), min(end, rows.starts[row + 1]))
            if row not in self._heading_rows:
                prose += self._index.tokens(*span)
            if spans and spans[-1][1] == span[0]:
                span = (spans.pop()[0], span[1])
            spans.append(span)
        return tuple(spans) if prose >= _MIN_PROSE_TOKENS else ()

    def _table_at(self, row: int) -> Table | None:
        if not self._table_ends:
            return None
        at = bisect_left(self._table_ends, row + 1)
        found = self._layout.tables[at] if at < len(self._table_ends) else None
        return found if found and found.first <= row else None

    def _head_before(self, start: int) -> tuple[int, int] | None:
        """Characters of the head of the table that a piece starts inside of."""
        if not self._table_ends:
            return None
        row = self._rows.row_at(start)
        table = self._table_at(row)
        if table is None or row <= table.first:
            return None
        head = (self._rows.starts[table.first], self._rows.starts[table.first + 1])
        return head if self._index.cost(*head) <= self._limits.hard_tokens // 3 else None

    def _head_tokens(self, start: int) -> int:
        head = self._head_before(start)
        return self._index.cost(*head) if head else 0
