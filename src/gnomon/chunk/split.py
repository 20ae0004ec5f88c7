"""Cuts a sequence of atoms (lines, sentences) into pieces that fit: at the weakest joints first.

Each joint between two atoms has a strength: how much is torn by a cut there. Depth in the syntax tree, in the
indentation, paragraph or sentence: whoever lists the atoms decides; this module knows only the order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

# A joint that is cut only when nothing else is left: before a closing bracket, or before a blank line.
GLUED = 10_000


@dataclass(frozen=True, slots=True)
class Atoms:
    """What is cut.

    Attributes:
        offsets: First character of each atom, then the end of the last; ascending.
        joints: Strength of the joint before each atom; the first one is not looked at.
        cost: Tokens of the characters [start, end).
        room: Tokens a piece may have that starts with this atom.
        target: Small neighbours are joined up to this many tokens.
        tiny: A piece below this many tokens says too little alone; it joins a neighbour that has room.
    """

    offsets: Sequence[int]
    joints: Sequence[int]
    cost: Callable[[int, int], int]
    room: Callable[[int], int]
    target: int
    tiny: int

    def tokens(self, first: int, last: int) -> int:
        """Of the atoms [first, last)."""
        return self.cost(self.offsets[first], self.offsets[last])

    def fits(self, first: int, last: int) -> bool:
        """Whether the atoms [first, last) may be one piece."""
        return self.tokens(first, last) <= self.room(first)


Piece = tuple[int, int]


def split(atoms: Atoms, first: int, last: int) -> list[Piece]:
    """Ranges of atoms that together are [first, last), in order.

    Each fits its room, except a single atom that does not: whoever asked cuts that one by words. What is tied
    together most strongly stays together: a range that fits is never cut, and pieces of something that had to be cut
    are not joined with its neighbours unless they are tiny.
    """
    pieces: list[Piece] = []
    if first < last:
        _split(atoms, first, last, pieces)
    return _without_tiny(atoms, pieces)


def _split(atoms: Atoms, first: int, last: int, pieces: list[Piece]) -> None:
    # Recursion is as deep as there are different strengths, which the callers bound.
    if last - first == 1 or atoms.fits(first, last):
        pieces.append((first, last))
        return
    weakest = min(atoms.joints[first + 1 : last])
    begin = first
    whole = False  # the last piece is made of whole neighbours, so another may join it
    for end in range(first + 1, last + 1):
        if end < last and atoms.joints[end] != weakest:
            continue
        if atoms.fits(begin, end):
            if whole and atoms.tokens(pieces[-1][0], end) <= min(atoms.target, atoms.room(pieces[-1][0])):
                pieces[-1] = (pieces[-1][0], end)
            else:
                pieces.append((begin, end))
            whole = True
        else:
            _split(atoms, begin, end, pieces)
            whole = False
        begin = end


def _without_tiny(atoms: Atoms, pieces: list[Piece]) -> list[Piece]:
    """Tiny pieces joined with the neighbour they are tied to more strongly, or with the other, where both fit."""
    waiting = pieces[::-1]
    done: list[Piece] = []
    while waiting:
        piece = waiting.pop()
        if atoms.tokens(*piece) >= atoms.tiny:
            done.append(piece)
            continue
        backward = bool(done) and atoms.fits(done[-1][0], piece[1])
        forward = bool(waiting) and atoms.fits(piece[0], waiting[-1][1])
        if backward and forward:
            forward = atoms.joints[piece[1]] > atoms.joints[piece[0]]
        if forward:
            waiting[-1] = (piece[0], waiting[-1][1])
        elif backward:
            done[-1] = (done[-1][0], piece[1])
        else:
            done.append(piece)
    return done
