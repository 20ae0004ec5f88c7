r"""Lines as editors count them: LF, CR LF and a lone CR end a line; nothing else does.

NEL, LS, PS, form feed and the other characters of ``str.splitlines`` do not, so numbers agree with VS Code and
with what ``cat_file`` prints.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

_LINE_END = re.compile(r"\r\n?|\n")


class LineIndex:
    """Where each line of a text starts.

    A text has at least one line; a line end at the very end of the text opens no further line, as in ``wc -l`` and
    in the numbers that ``grep -n`` prints. Building is linear in the text, a look-up logarithmic in the lines.
    """

    def __init__(self, text: str) -> None:
        self._length = len(text)
        starts = [0]
        if "\r" in text:
            starts.extend(match.end() for match in _LINE_END.finditer(text))
        else:
            at = text.find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = text.find("\n", at + 1)
        if len(starts) > 1 and starts[-1] == self._length:
            starts.pop()
        self._starts = starts

    @property
    def starts(self) -> Sequence[int]:
        """First character of each line."""
        return self._starts

    @property
    def count(self) -> int:
        """Number of lines, >= 1."""
        return len(self._starts)

    def line_at(self, offset: int) -> int:
        """The 1-based line that holds the character at ``offset``; a line end belongs to the line it ends.

        Args:
            offset: In characters, in [0, len(text)]; ``len(text)`` gives the last line.

        Raises:
            ValueError: ``offset`` is outside the text.
        """
        if not 0 <= offset <= self._length:
            raise ValueError(f"offset {offset} is outside a text of {self._length} characters")
        return bisect_right(self._starts, offset)

    def span_of(self, line: int) -> tuple[int, int]:
        """Half-open range of characters of a line, its line end included.

        Args:
            line: 1-based, at most ``count``.

        Raises:
            ValueError: There is no such line.
        """
        if not 1 <= line <= len(self._starts):
            raise ValueError(f"line {line} is outside a text whose last line is {len(self._starts)}")
        end = self._starts[line] if line < len(self._starts) else self._length
        return self._starts[line - 1], end


def lines(text: str) -> list[str]:
    r"""The lines of a text without their line ends; ``lines(text)[n - 1]`` is line ``n``.

    >>> lines("a\r\nb\rc\x85d\n")
    ['a', 'b', 'c\x85d']
    """
    pieces = _LINE_END.split(text) if "\r" in text else text.split("\n")
    if len(pieces) > 1 and not pieces[-1]:
        pieces.pop()
    return pieces
