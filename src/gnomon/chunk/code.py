"""Code to chunks: whole functions and classes where they fit, split along their structure where they do not."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from gnomon.chunk import indent, syntax
from gnomon.chunk.assemble import Draft, assemble
from gnomon.chunk.base import ChunkLimits, TokenCounter
from gnomon.chunk.outline import Definition, Outline, covered, enclosing, in_order, joints
from gnomon.chunk.rows import Rows
from gnomon.chunk.split import Atoms, Piece, split
from gnomon.chunk.tokens import TokenIndex
from gnomon.values import Chunk, Extracted

# Tokens of the line that names what a chunk lies in.
CONTEXT_TOKENS = 30
_MAX_CONTEXT_CHARS = 160
# Whole neighbours fill the window, and what is below a quarter of it joins any neighbour with room: 41 k chunks on the
# 22 repositories of the semble benchmark, against 50 k for joining up to 200 tokens, at the same nDCG@10 (words only:
# 0.847 and 0.845; joining up to 120: 66 k chunks, 0.848), so a fifth less to embed.
_SMALL_SHARE = 4


def chunk_code(document: Extracted, *, tokens: TokenCounter, limits: ChunkLimits, body_start: int = 0) -> list[Chunk]:
    """Chunks of one file of code; see ``chunk.chunk``."""
    rows = Rows(document.text)
    index = TokenIndex(document.text, tokens, start=body_start)
    plan = _Plan(rows, outline_of(rows, document.language), index, limits)
    first = rows.row_at(body_start)
    atoms = Atoms(
        offsets=[max(start, body_start) for start in rows.starts],
        joints=plan.joints,
        cost=index.cost,
        room=plan.room,
        target=limits.hard_tokens,
        tiny=limits.hard_tokens // _SMALL_SHARE,
    )
    drafts = [plan.draft(atoms, piece) for piece in split(atoms, first, len(rows))]
    return assemble(rows, drafts, index, hard_tokens=limits.hard_tokens)


def outline_of(rows: Rows, language: str) -> Outline:
    """By syntax tree where there is a grammar that reads it, else by indentation."""
    outline = syntax.outline(rows, language)
    if outline is None:
        return indent.outline(rows, language)
    return _mended(rows, outline, language) if outline.broken else outline


def _mended(rows: Rows, outline: Outline, language: str) -> Outline:
    """With definitions by their look in the places that the grammar could not read: macros, newer syntax."""
    known = {definition.named for definition in outline.definitions}
    broken = covered(outline.broken, len(rows))
    found = [
        definition
        for definition in indent.find_callables(rows, language)
        if broken[definition.named] and definition.named not in known and definition.name
    ]
    return Outline(outline.depths, in_order([*outline.definitions, *found]), outline.tied)


class _Plan:
    """What each piece of one file is called and may cost."""

    def __init__(self, rows: Rows, outline: Outline, index: TokenIndex, limits: ChunkLimits) -> None:
        self.joints = joints(rows, outline)
        self._index = index
        self._limits = limits
        self._definitions = outline.definitions
        self._by_row = sorted(outline.definitions, key=lambda item: item.named)
        self._named_rows = [item.named for item in self._by_row]
        self._firsts = [item.first for item in outline.definitions]
        self._around = enclosing(len(rows), outline.definitions)
        self._contexts: dict[tuple[int, ...], str] = {(): ""}
        self._deprecated = covered(
            [(item.first, item.last) for item in outline.definitions if item.deprecated], len(rows)
        )

    def room(self, row: int) -> int:
        """Tokens that a chunk may have which starts with a row."""
        context = self.context(row)
        return self._limits.hard_tokens - (self._index.count(context) if context else 0)

    def context(self, row: int) -> str:
        """What encloses a row, as one short line: ``class SessionStore > def refresh(self)``."""
        around = self._around[row]
        known = self._contexts.get(around)
        if known is None:
            known = self._contexts[around] = self._context([self._definitions[at] for at in around])
        return known

    def _context(self, around: list[Definition]) -> str:
        most = min(CONTEXT_TOKENS, self._limits.hard_tokens // 4)
        headers = [item.header for item in around if item.header]
        bare = [_up_to_name(item) for item in around if item.header]
        name = next((item.name for item in reversed(around) if item.name), "")
        for line in (" > ".join(headers), " > ".join([*bare[:-1], *headers[-1:]]), " > ".join(bare), name):
            if len(line) <= _MAX_CONTEXT_CHARS and self._index.count(line) <= most:
                return line
        return ""

    def draft(self, atoms: Atoms, piece: Piece) -> Draft:
        """One piece with its names."""
        first, last = piece
        inside = self._by_row[bisect_left(self._named_rows, first) : bisect_left(self._named_rows, last)]
        judged = [first, *(item.named for item in inside)]
        return Draft(
            atoms.offsets[first],
            atoms.offsets[last],
            symbols=tuple(dict.fromkeys(item.name for item in inside if item.name)),
            signature=self._signature(first, inside),
            context=self._described(first, last) or self.context(first),
            deprecated=all(self._deprecated[row] for row in judged),
        )

    def _described(self, first: int, last: int) -> str:
        """The context of a comment that was cut off what it documents; "" for anything else."""
        at = bisect_left(self._firsts, first)
        if at == len(self._firsts) or self._firsts[at] != first or self._definitions[at].named < last:
            return ""
        return self._context([*(self._definitions[outer] for outer in self._around[first]), self._definitions[at]])

    def _signature(self, first: int, inside: Sequence[Definition]) -> str:
        starting = [item for item in inside if item.first <= first]
        around = [self._definitions[at] for at in self._around[first]]
        nearest = starting[:1] or around[-1:] or list(inside[:1])
        return nearest[0].header if nearest else ""


_LAST_PART = re.compile(r"\w+\W*$")


def _up_to_name(item: Definition) -> str:
    """A header without what follows the name: ``async def refresh``."""
    last = _LAST_PART.search(item.name)
    at = item.header.find(last[0]) if last else -1
    return item.header[: at + len(last[0])] if last and at >= 0 else item.header
