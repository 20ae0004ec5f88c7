"""Data and settings to chunks: by their keys and sections, rows of a table under its header, else by lines.

Nothing is parsed: indentation and the look of a line say which key it belongs to, so broken files are cut as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gnomon.chunk import indent
from gnomon.chunk.assemble import Draft, assemble
from gnomon.chunk.base import ChunkLimits, TokenCounter
from gnomon.chunk.outline import Definition, Outline, enclosing, joints
from gnomon.chunk.rows import Rows
from gnomon.chunk.split import Atoms, split
from gnomon.chunk.tokens import TokenIndex
from gnomon.values import Chunk, Extracted

# Tokens of the line of keys, or of the header of a table, that is put before a chunk for the embedder.
CONTEXT_TOKENS = 40
_MAX_KEY_CHARS = 100
_MAX_LINE_CHARS = 300


@dataclass(frozen=True, slots=True)
class _Form:
    """How keys look in some formats.

    Attributes:
        key: Matches a line that begins with one; the last group that took part is the key.
        flat: A key holds all lines up to the next one: sections.
    """

    key: re.Pattern[str]
    flat: bool = False


_SECTIONS = _Form(re.compile(r"[ \t]*\[{1,2}[ \t]*([^\[\]]+?)[ \t]*\]{1,2}[ \t]*(?:[#;].*)?$"), flat=True)
_FORMS: dict[str, _Form] = {
    "json": _Form(re.compile(r"[ \t]*\"([^\"]+)\"[ \t]*:[ \t]*[\[{]?")),
    "yaml": _Form(
        re.compile(r"[ \t]*(?:-[ \t]+)*(?:\"([^\"]+)\"|'([^']+)'|([\w.$/@*-][^:#\[\]{}\"']{0,80}?))[ \t]*:(?:[ \t]|$)")
    ),
    "xml": _Form(re.compile(r"[ \t]*<([A-Za-z_][\w:.-]*)")),
    "toml": _SECTIONS,
    "ini": _SECTIONS,
    "gitconfig": _SECTIONS,
    "properties": _SECTIONS,
    "xlsx": _Form(re.compile(r"#{1,6}[ \t]+(.+)$"), flat=True),
    "ical": _Form(re.compile(r"BEGIN:(V\w+|[A-Z]+)"), flat=True),
    "gomod": _Form(re.compile(r"(\w+)[ \t]*\($")),
}
_ALIASES = {"svg": "xml", "xls": "xlsx", "ods": "xlsx"}
_TABLES = frozenset({"csv", "tsv"})


def chunk_data(document: Extracted, *, tokens: TokenCounter, limits: ChunkLimits, body_start: int = 0) -> list[Chunk]:
    """Chunks of one file of data; see ``chunk.chunk``."""
    rows = Rows(document.text)
    index = TokenIndex(document.text, tokens, start=body_start)
    first = rows.row_at(body_start)
    if document.language in _TABLES:
        plan = _Plan(rows, Outline([0] * len(rows), []), index, limits, header=_header(rows, first))
    else:
        plan = _Plan(rows, _outline(rows, document.language), index, limits)
    atoms = Atoms(
        offsets=[max(start, body_start) for start in rows.starts],
        joints=plan.joints,
        cost=index.cost,
        room=plan.room,
        target=limits.hard_tokens,
        tiny=limits.hard_tokens // 8,
    )
    drafts = [plan.draft(atoms, piece) for piece in split(atoms, first, len(rows))]
    return assemble(rows, drafts, index, hard_tokens=limits.hard_tokens)


class _Plan:
    """Under which keys each row stands, and what a chunk that starts there may cost."""

    def __init__(
        self, rows: Rows, outline: Outline, index: TokenIndex, limits: ChunkLimits, *, header: str = ""
    ) -> None:
        self.joints = joints(rows, outline)
        self._index = index
        self._limits = limits
        self._keys = outline.definitions
        self._around = enclosing(len(rows), outline.definitions)
        self._header_row = next((row for row in range(len(rows)) if not rows.blank[row]), 0)
        self._header = self._clipped(header)

    def room(self, row: int) -> int:
        """Tokens that a chunk may have which starts with a row."""
        context = self._context(row)
        return self._limits.hard_tokens - (self._index.count(context) if context else 0)

    def draft(self, atoms: Atoms, piece: tuple[int, int]) -> Draft:
        """One piece under its keys."""
        first, last = piece
        return Draft(
            atoms.offsets[first],
            atoms.offsets[last],
            breadcrumb=self._path(first),
            context=self._context(first),
        )

    def _path(self, row: int) -> tuple[str, ...]:
        return tuple(self._keys[at].name for at in self._around[row])

    def _context(self, row: int) -> str:
        if self._header:
            return self._header if row > self._header_row else ""
        path = self._path(row)
        for outer in range(len(path)):
            line = " > ".join(path[outer:])
            if len(line) <= _MAX_LINE_CHARS and self._index.count(line) <= self._most:
                return line
        return ""

    @property
    def _most(self) -> int:
        return min(CONTEXT_TOKENS, self._limits.hard_tokens // 4)

    def _clipped(self, header: str) -> str:
        """As many of a table's columns as there is room for."""
        header = header[:_MAX_LINE_CHARS]
        while header and self._index.count(header) > self._most:
            header = header[: max(header.rfind(mark) for mark in ",;\t|")] if re.search(r"[,;\t|]", header) else ""
        return header


def _header(rows: Rows, first: int) -> str:
    """The first row that is not blank."""
    return next((rows.lines[row].strip() for row in range(first, len(rows)) if not rows.blank[row]), "")


def _outline(rows: Rows, language: str) -> Outline:
    form = _FORMS.get(_ALIASES.get(language, language))
    nesting = indent.Nesting(rows)
    if form is None:
        return Outline(nesting.depths, [])
    found: list[tuple[int, str]] = []
    for row, line in enumerate(rows.lines):
        match = None if rows.blank[row] else form.key.match(line[:_MAX_LINE_CHARS])
        if match:
            found.append((row, next(group for group in reversed(match.groups()) if group)[:_MAX_KEY_CHARS]))
    if not form.flat:
        keys = [Definition(row, row, nesting.ends[row], key, key) for row, key in found if nesting.ends[row] > row]
        return Outline(nesting.depths, keys)
    return _flat(rows, found, nesting) if found else Outline(nesting.depths, [])


def _flat(rows: Rows, found: list[tuple[int, str]], nesting: indent.Nesting) -> Outline:
    """Sections one after the other, each with the comments above its key."""
    firsts = [indent.first_row(rows, row) for row, _ in found]
    ends = [*(first - 1 for first in firsts[1:]), len(rows) - 1]
    depths = [depth + 1 for depth in nesting.depths]
    tied: dict[int, int] = {}
    keys: list[Definition] = []
    for (row, key), first, end in zip(found, firsts, ends, strict=True):
        depths[first] = 0
        for inside in range(first + 1, row + 1):
            tied[inside] = 1
        keys.append(Definition(first, row, max(end, row), key, key))
    return Outline(depths, keys, tied)
