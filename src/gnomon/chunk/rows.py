"""The lines of a text as the chunkers walk them: numbered from 0, with what each looks like."""

from __future__ import annotations

from bisect import bisect_right

from gnomon.lines import LineIndex, lines


class Rows:
    """Where the rows of a text start and end; row ``n`` is line ``n + 1``.

    Attributes:
        text: The whole text.
        starts: First character of each row, then ``len(text)``.
        lines: Each row without its line end.
        blank: Whether a row has nothing but white space.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [*LineIndex(text).starts, len(text)]
        self.lines = lines(text)
        self.blank = [not line or line.isspace() for line in self.lines]

    def __len__(self) -> int:
        return len(self.lines)

    def row_at(self, offset: int) -> int:
        """The row that holds the character at ``offset``; the last row for ``len(text)``."""
        return min(bisect_right(self.starts, offset), len(self.lines)) - 1
