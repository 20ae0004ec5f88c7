"""Tables as lines: every row says which column each value belongs to, so that a row makes sense on its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from gnomon.extract.composing import Composer

_ANCHOR_CHARS = 500
_NUMBER = re.compile(r"[-+(]?[\d.,' %$€£¥/:-]+\)?")
_LONGEST_HEADER_CHARS = 60


def looks_like_header(row: Sequence[str]) -> bool:
    """Whether a row names columns: two or more short texts, all different, none a number, no gap but at its ends."""
    names = [cell for cell in row if cell]
    if len(names) < 2 or len({name.casefold() for name in names}) < len(names):
        return False
    inner = row[
        next(i for i, cell in enumerate(row) if cell) : len(row) - next(i for i, c in enumerate(row[::-1]) if c)
    ]
    return all(inner) and all(
        len(name) <= _LONGEST_HEADER_CHARS and "\n" not in name and not _NUMBER.fullmatch(name) for name in names
    )


def row_line(row: Sequence[str], header: Sequence[str] = ()) -> str:
    """One row as one line.

    >>> row_line(["Widget", "", "5"], ["Product", "Colour", "Price"])
    'Product: Widget | Price: 5'
    >>> row_line(["a", "", "b"])
    'a | b'
    """
    cells = (" ".join(cell.split()) for cell in row)
    named = ((header[i] if i < len(header) else "", cell) for i, cell in enumerate(cells))
    return " | ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell)


def table_lines(rows: Iterable[Sequence[str]], *, has_header: bool | None = None) -> Iterator[str]:
    """The lines of a table, empty rows left out.

    Args:
        rows: Cells as text.
        has_header: Whether the first row names the columns; None means judge by its looks.
    """
    header: Sequence[str] | None = None
    for row in rows:
        if not any(row):
            continue
        if header is None:
            is_header = looks_like_header(row) if has_header is None else has_header
            header = [" ".join(cell.split()) for cell in row] if is_header else []
            yield row_line(row)
        else:
            yield row_line(row, header)


def write_sheet(composer: Composer, name: str, rows: Sequence[tuple[int, Sequence[str]]]) -> None:
    """Add one sheet under its name, with an anchor to a row every few lines.

    Args:
        composer: Takes the blocks.
        name: Of the sheet.
        rows: (1-based number, cells as text) of each row that is not empty.
    """
    if not rows:
        return
    composer.anchor(f"sheet {name}")
    composer.heading(name)
    anchored_at = composer.size
    gap = "\n\n"
    for (number, _), line in zip(rows, table_lines(row for _, row in rows), strict=True):
        if composer.size - anchored_at >= _ANCHOR_CHARS:
            anchored_at = composer.size
            composer.anchor(f"sheet {name}, row {number}")
        composer.block(line, gap=gap)
        gap = "\n"
