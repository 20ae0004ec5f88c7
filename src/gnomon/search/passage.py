"""Lines of one document, as ``cat`` and ``gather`` show them."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.errors import UsageError
from gnomon.figures import number
from gnomon.lines import LineIndex
from gnomon.values import Extracted, Folder


@dataclass(frozen=True, slots=True)
class Passage:
    """Some lines of one document.

    Attributes:
        folder: Where it lies.
        path: Relative to the folder.
        text: The lines, line ends kept.
        start_line: 1-based line of the first.
        end_line: Of the last, included.
        line_count: Of the whole document.
        extracted: The text was made from a binary format, so its lines are not those of the file.
        anchors: (line, label) of each page, sheet or slide that starts inside ``text``.
    """

    folder: Folder
    path: str
    text: str
    start_line: int
    end_line: int
    line_count: int
    extracted: bool = False
    anchors: tuple[tuple[int, str], ...] = ()


def cut_passage(
    document: Extracted, folder: Folder, path: str, *, start_line: int | None = None, end_line: int | None = None
) -> Passage:
    """Lines ``start_line`` to ``end_line`` of a document; an end beyond the last line means the last line.

    Raises:
        UsageError: The range is empty or begins beyond the end.
    """
    index = LineIndex(document.text)
    first = 1 if start_line is None else start_line
    last = index.count if end_line is None else min(end_line, index.count)
    if first > index.count:
        raise UsageError(f"line {first} is not in a document of {number(index.count, 'line')}")
    if first < 1 or last < first:
        raise UsageError(f"lines {first} to {last} are none: lines count from 1, and the last is not before the first")
    start, end = index.span_of(first)[0], index.span_of(last)[1]
    anchors = [(index.line_at(a.offset), a.label) for a in document.anchors if start <= a.offset < end]
    return Passage(
        folder=folder,
        path=path,
        text=document.text[start:end],
        start_line=first,
        end_line=last,
        line_count=index.count,
        extracted=not document.encoding,
        anchors=tuple(anchors),
    )
