"""Lines of a PDF page: their places, their reading order where columns are interleaved, and which are headings.

PDFium gives text in the order it was painted, which is nearly always the order it is read. Only where the painting
jumps to and fro between two columns is it put in order here; everything else stays as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

# PDFium marks a hyphen that only parts a word at the end of a line, and then goes on without a line end.
SOFT_HYPHEN = "\ufffe"
_VISUAL_LINE = re.compile(f"[^\r\n{SOFT_HYPHEN}]+{SOFT_HYPHEN}?")
_WORD = re.compile(r"\S+")
# A gutter is wider than any gap between words that are set justified.
_GUTTER_HEIGHTS = 1.0
# Columns hold running text; the cells of a table are shorter.
_COLUMN_LINE_CHARS = 20
_COLUMN_LINES = 4
_HEIGHT_SAMPLE = 9
_CROSSING_SHARE = 0.35
# Painting that changes sides more often than this, per line of the shorter column, is interleaved.
_INTERLEAVED_SHARE = 0.3
# Line pitch above which a blank line stands between paragraphs.
_PARAGRAPH_PITCH = 1.35
_APART_HEIGHTS = 2.5
_HEADING_HEIGHT = 1.18
_HEADING_CHARS = 120
_RUNNING_PAGES = 3
_MOST_HEADING_SHARE = 0.25


class Box(NamedTuple):
    """Where a character or a line stands, in points; the origin is at the bottom left."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def height(self) -> float:
        """In points, >= 0."""
        return abs(self.top - self.bottom)


class Line(NamedTuple):
    """One line of text, or its part on one side of a wide gap."""

    text: str
    box: Box


def split_lines(text: str, box_at: Callable[[int], Box]) -> list[list[Line]]:
    """The lines of a page in painting order, each as the parts that wide gaps make of it.

    Args:
        text: As PDFium gives it, lines parted by CR LF; a line may end in a soft hyphen.
        box_at: Place of the character at an index of ``text``.
    """
    found = []
    for match in _VISUAL_LINE.finditer(text):
        words = [word.span() for word in _WORD.finditer(text, match.start(), match.end())]
        if words:
            found.append(_parts(text, [(start, end, box_at(start), box_at(end - 1)) for start, end in words]))
    return found


def _parts(text: str, words: list[tuple[int, int, Box, Box]]) -> list[Line]:
    parts = [[words[0]]]
    for before, word in pairwise(words):
        if word[2].left - before[3].right > _GUTTER_HEIGHTS * max(word[2].height, 1.0):
            parts.append([])
        parts[-1].append(word)
    return [_line(text[part[0][0] : part[-1][1]], [box for word in part for box in word[2:]]) for part in parts]


def _line(text: str, edges: list[Box]) -> Line:
    # The middle one of heights: a mark above or an index below does not make a line large.
    bottom, top = sorted([(box.bottom, box.top) for box in edges[:_HEIGHT_SAMPLE]])[len(edges[:_HEIGHT_SAMPLE]) // 2]
    return Line(text, Box(min([b.left for b in edges]), bottom, max([b.right for b in edges]), top))


def in_reading_order(lines: list[list[Line]]) -> list[Line]:
    """One line after the other; two columns that were painted line by line are put one after the other."""
    parts = [part for line in lines for part in line]
    gutter = _gutter(parts) if _has_neighbours(parts) else None
    if gutter is None or not _is_interleaved(parts, gutter):
        return [_joined(line) for line in lines]
    ordered: list[Line] = []
    columns: tuple[list[Line], list[Line]] = ([], [])
    for part in sorted(parts, key=lambda part: -part.box.top):
        side = _side(part, gutter)
        if side == 0:
            ordered += columns[0] + columns[1]
            columns = ([], [])
            ordered.append(part)
        else:
            columns[side > 0].append(part)
    return ordered + columns[0] + columns[1]


def _has_neighbours(parts: list[Line]) -> bool:
    """Whether what is painted next often stands beside, not below: without that nothing is interleaved."""
    beside = sum(
        a.box.bottom < b.box.top
        and b.box.bottom < a.box.top
        and (a.box.right <= b.box.left or b.box.right <= a.box.left)
        for a, b in pairwise(parts)
    )
    return beside >= _COLUMN_LINES


def _joined(line: list[Line]) -> Line:
    if len(line) == 1:
        return line[0]
    return _line(" ".join(part.text for part in line), [part.box for part in line])


def _gutter(parts: list[Line]) -> float | None:
    """The x that parts two columns of running text, None where there are none."""
    if len(parts) < 2 * _COLUMN_LINES:
        return None
    left, right = min(p.box.left for p in parts), max(p.box.right for p in parts)
    candidates = [left + (right - left) * i / 100 for i in range(30, 71)]
    best = min(candidates, key=lambda x: sum(_side(part, x) == 0 for part in parts))
    sides = {side: [p for p in parts if _side(p, best) == side] for side in (-1, 0, 1)}
    columns = (sides[-1], sides[1])
    if min(map(len, columns)) < _COLUMN_LINES or len(sides[0]) > _CROSSING_SHARE * len(parts):
        return None
    running = all(sum(len(p.text) for p in column) >= _COLUMN_LINE_CHARS * len(column) for column in columns)
    return best if running else None


def _side(part: Line, x: float) -> int:
    """-1 left of x, 1 right of it, 0 across."""
    if part.box.right <= x:
        return -1
    return 1 if part.box.left >= x else 0


def _is_interleaved(parts: list[Line], gutter: float) -> bool:
    sides = [side for part in parts if (side := _side(part, gutter))]
    changes = sum(a != b for a, b in pairwise(sides))
    return changes > max(3, _INTERLEAVED_SHARE * min(sides.count(-1), sides.count(1)))


def without_hyphens(lines: Sequence[Line]) -> list[str]:
    """The texts of lines; a word parted at a line's end stands whole on the line where it begins."""
    texts = [line.text for line in lines]
    for i, following in enumerate(texts[1:]):
        if texts[i].endswith(SOFT_HYPHEN):
            rest, _, remainder = following.partition(" ")
            texts[i] = texts[i][:-1] + rest
            texts[i + 1] = remainder
    return [text.replace(SOFT_HYPHEN, "").rstrip() for text in texts if text.strip(SOFT_HYPHEN + " ")]


def paragraphs(lines: list[Line]) -> list[list[Line]]:
    """Lines grouped where the space between them is wider than usual on the page, or the letters change size."""
    pitches = [drop for a, b in pairwise(lines) if (drop := a.box.bottom - b.box.bottom) > 0]
    usual = median(pitches) if pitches else 0.0
    groups: list[list[Line]] = []
    for before, line in zip([None, *lines], lines, strict=False):
        parted = before is not None and before.text.endswith(SOFT_HYPHEN)
        if before is None or (_is_apart(before, line, usual) and not parted):
            groups.append([])
        groups[-1].append(line)
    return groups


def _is_apart(before: Line, line: Line, usual: float) -> bool:
    drop = before.box.bottom - line.box.bottom
    small, large = sorted((before.box.height, line.box.height))
    wide = drop > max(_PARAGRAPH_PITCH * usual, 1.2 * small) or drop > _APART_HEIGHTS * max(small, 1.0)
    return wide or large > _HEADING_HEIGHT * max(small, 1.0)


def running_heads(headings: Sequence[str]) -> set[str]:
    """Headings that stand on three pages or more, numbers aside: they name the book, not the section."""
    counts = Counter(map(_without_numbers, headings))
    return {heading for heading in headings if counts[_without_numbers(heading)] >= _RUNNING_PAGES}


def _without_numbers(text: str) -> str:
    return re.sub(r"[\d\s]+", " ", text).strip()


class HeadingSizes:
    """Which heights of letters are headings in one document: those clearly above the running text's."""

    def __init__(self, pages: Sequence[Sequence[Line]]) -> None:
        weights: Counter[float] = Counter()
        for line in (line for page in pages for line in page):
            weights[_size(line)] += len(line.text)
        self._body = max(weights, key=lambda size: weights[size]) if weights else 0.0
        larger = {size: n for size, n in weights.items() if size >= _HEADING_HEIGHT * self._body}
        # Slides and posters are large all over: there, size says nothing.
        if sum(larger.values()) > _MOST_HEADING_SHARE * sum(weights.values()):
            larger = {}
        self._levels = {size: min(level, 3) for level, size in enumerate(sorted(larger, reverse=True), start=1)}

    def level(self, group: Sequence[Line]) -> int:
        """Heading level of a group of lines from 1, 0 where it is running text."""
        text = " ".join(line.text for line in group)
        if len(group) > 3 or len(text) > _HEADING_CHARS or sum(c.isalpha() for c in text) < 3:
            return 0
        return min((self._levels.get(_size(line), 0) for line in group), default=0)


def _size(line: Line) -> float:
    return round(line.box.height * 2) / 2
