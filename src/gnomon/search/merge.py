"""Ranked chunks -> passages: neighbours of one file are read as one, and no file fills the list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from gnomon.search.candidate import Candidate
from gnomon.values import Chunk

# A passage of more chunks than this is no longer one answer.
_MOST_CHUNKS: Final = 4


def choose(ranked: Iterable[Candidate], *, k: int, per_file: int) -> list[list[Candidate]]:
    """Take passages from the top until there are ``k``; each is one chunk or a run of neighbours.

    A chunk next to, or overlapping, a passage already taken joins it and takes no place of its own. A file whose
    places are used up gives no further passages; its neighbours of taken ones still join.

    Args:
        ranked: Best first.
        k: Passages wanted.
        per_file: Most passages of one file.

    Returns:
        Passages in the order of their best chunk; the chunks of each by ordinal, the best one's evidence is its.
    """
    passages: list[list[Candidate]] = []
    taken: Counter[int] = Counter()
    for candidate in ranked:
        neighbour = next((passage for passage in passages if _touches(passage, candidate)), None)
        if neighbour is not None:
            neighbour.append(candidate)
            neighbour.sort(key=lambda c: c.stored.chunk.ordinal)
        elif len(passages) == k:
            break
        elif taken[candidate.stored.document_id] < per_file:
            taken[candidate.stored.document_id] += 1
            passages.append([candidate])
    return passages


def _touches(passage: Sequence[Candidate], candidate: Candidate) -> bool:
    if passage[0].stored.document_id != candidate.stored.document_id or len(passage) >= _MOST_CHUNKS:
        return False
    ordinal = candidate.stored.chunk.ordinal
    return ordinal in (passage[0].stored.chunk.ordinal - 1, passage[-1].stored.chunk.ordinal + 1)


def join(chunks: Sequence[Chunk], text_of: Callable[[Chunk], str] = lambda chunk: chunk.text) -> str:
    """The text of neighbouring chunks as it stands in the document: overlaps once, blank gaps as blank lines.

    Args:
        chunks: By ordinal, without a gap of other text.
        text_of: Where a chunk's text is.
    """
    text = text_of(chunks[0])
    end, end_line = chunks[0].span.end, chunks[0].end_line
    for chunk in chunks[1:]:
        piece = text_of(chunk)
        gap = chunk.span.start - end
        if gap <= 0:
            text += piece[-gap:]
        else:
            line_end = "\r\n" if "\r\n" in text or "\r\n" in piece else "\n"
            text += _blank(gap, chunk.start_line - end_line, line_end) + piece
        if chunk.span.end > end:
            end, end_line = chunk.span.end, chunk.end_line
    return text


def _blank(chars: int, line_ends: int, line_end: str) -> str:
    """The white space between two chunks: they cover all else, so its line ends and its length say what it is."""
    blank = line_end * min(line_ends, chars // len(line_end))
    return blank + " " * (chars - len(blank))
