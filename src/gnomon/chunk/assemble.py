"""From planned pieces to chunks: white space at the ends off, lines counted, no chunk above the model's window."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from gnomon.chunk.rows import Rows
from gnomon.chunk.tokens import TokenIndex
from gnomon.values import Chunk, Span

_BLANK_ROWS = re.compile(r"(?:[^\S\r\n]*(?:\r\n?|\n))+")


@dataclass(frozen=True, slots=True)
class Draft:
    """A chunk before it is checked; fields without a line here are those of ``values.Chunk``.

    Attributes:
        start: First character.
        end: Character after the last.
        embed_spans: Ranges of the text that the embedder reads instead of [start, end); whole rows.
    """

    start: int
    end: int
    breadcrumb: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    signature: str = ""
    context: str = ""
    embed_spans: tuple[tuple[int, int], ...] = ()
    deprecated: bool = False


def assemble(rows: Rows, drafts: Iterable[Draft], index: TokenIndex, *, hard_tokens: int) -> list[Chunk]:
    """Chunks in the order of the drafts; a draft that is too large becomes several, an empty one none.

    Of several, the first keeps the symbols; all keep breadcrumb, context and signature.
    """
    chunks: list[Chunk] = []
    floor = 0  # a draft that overlaps one which had to be cut again must not begin before its last part
    for draft in drafts:
        if draft.start < floor:
            draft = replace(draft, start=floor)  # noqa: PLW2901 - the rest of it, under its own name
        for part in _parts(rows.text, draft, index, hard_tokens):
            chunks.append(_chunk(rows, part, ordinal=len(chunks)))
        floor = chunks[-1].span.start if chunks else floor
    return chunks


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without blank rows before and white space after; the first row keeps its indentation."""
    blank = _BLANK_ROWS.match(text, start, end)
    if blank:
        start = blank.end()
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _chunk(rows: Rows, draft: Draft, *, ordinal: int) -> Chunk:
    text = rows.text
    return Chunk(
        ordinal=ordinal,
        span=Span(draft.start, draft.end),
        start_line=rows.row_at(draft.start) + 1,
        end_line=rows.row_at(draft.end - 1) + 1,
        text=text[draft.start : draft.end],
        breadcrumb=draft.breadcrumb,
        symbols=draft.symbols,
        signature=draft.signature,
        context=draft.context,
        embed_text="\n".join(text[start:end].strip("\r\n") for start, end in draft.embed_spans),
        deprecated=draft.deprecated,
    )


def _parts(text: str, draft: Draft, index: TokenIndex, hard: int) -> Iterator[Draft]:
    """The draft, trimmed, in as many parts as the window needs."""
    context = index.count(draft.context) if draft.context else 0
    if context > hard // 2:  # only a window of a few tokens meets this
        draft, context = replace(draft, context=""), 0
    room = max(hard - context, 1)
    start, end = trimmed(text, draft.start, draft.end)
    first = True
    while start < end:
        cut = index.end_within(start, end, room)
        stop = trimmed(text, start, cut)[1]
        if stop > start:
            part = draft if (start, stop) == (draft.start, draft.end) else replace(draft, start=start, end=stop)
            if not first:
                part = replace(part, symbols=())
            if part.embed_spans and not (first and cut == end and _embeddable(part, index, room)):
                part = replace(part, embed_spans=())
            yield part
            first = False
        start = _next_start(text, cut, end)


def _embeddable(draft: Draft, index: TokenIndex, room: int) -> bool:
    return sum(index.tokens(start, end) for start, end in draft.embed_spans) <= room


def _next_start(text: str, cut: int, end: int) -> int:
    """Where the part after a cut starts: blank rows skipped, and blanks too where the cut is inside a row."""
    start, _ = trimmed(text, cut, end)
    if start == cut and text[cut - 1] not in "\r\n":
        while start < end and text[start].isspace():
            start += 1
    return start
