"""A person's own questions and what should answer them, one JSON object a line."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from gnomon.errors import UsageError
from gnomon.values import Hit

_PLACE: Final = re.compile(r"(?P<path>.+?):(?P<start>\d+)(?:-(?P<end>\d+))?")
_BEST_GRADE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Expected:
    """What should come back.

    Attributes:
        path: Relative to its folder, or the end of that path.
        start_line: 1-based; 0 where the whole file answers.
        end_line: 1-based, included; 0 as above.
        grade: How well it answers, > 0.
    """

    path: str
    start_line: int = 0
    end_line: int = 0
    grade: float = 1.0

    def matches(self, hit: Hit) -> bool:
        """Whether a hit is of this file and touches these lines."""
        if hit.path != self.path and not f"{hit.folder}/{hit.path}".endswith("/" + self.path):
            return False
        return not self.start_line or (hit.start_line <= self.end_line and hit.end_line >= self.start_line)


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        text: As one would ask it.
        expected: At least one.
        line: Of the file it is from, 1-based.
    """

    text: str
    expected: tuple[Expected, ...]
    line: int = 0


def read_questions(text: str) -> list[Question]:
    """Questions from JSON lines; blank lines and lines that start with ``#`` are passed over.

    A line is ``{"question": "...", "expect": ["src/a.py", "docs/b.md:10-30", {"path": "c.md", "grade": 2}]}``; one
    place may stand without the list.

    Raises:
        UsageError: A line that is not such an object (its number is named), or no question at all.
    """
    questions = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                questions.append(_question(json.loads(line), number))
            except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
                raise UsageError(f"line {number} is no question: {error}; see `gnomon evaluate --help`") from error
    if not questions:
        raise UsageError('no questions; write one a line: {"question": "...", "expect": ["path/of/answer.md"]}')
    return questions


def _question(row: Any, number: int) -> Question:
    if not isinstance(row, dict):
        raise TypeError("it is not an object")
    text = row.get("question")
    expect = row.get("expect")
    if not isinstance(text, str) or not text.strip():
        raise ValueError('"question" is missing or empty')
    places = expect if isinstance(expect, list) else [expect]
    if not places or places == [None]:
        raise ValueError('"expect" is missing or empty')
    return Question(text, tuple(_expected(place) for place in places), number)


def _expected(place: Any) -> Expected:
    if isinstance(place, str) and place:
        match = _PLACE.fullmatch(place)
        if match is None:
            return Expected(place)
        start = int(match["start"])
        return Expected(match["path"], start, int(match["end"] or start))
    if isinstance(place, dict) and isinstance(place.get("path"), str):
        grade = float(place.get("grade", 1))
        if not 0 < grade <= _BEST_GRADE:
            raise ValueError(f'"grade" must be above 0, and {_BEST_GRADE} at most')
        start, end = _lines(place.get("lines"))
        return Expected(place["path"], start, end, grade)
    raise TypeError('"expect" holds something that is neither a path nor an object with "path"')


def _lines(lines: Any) -> tuple[int, int]:
    if lines is None:
        return 0, 0
    if isinstance(lines, Sequence) and len(lines) == 2 and all(isinstance(each, int) for each in lines):
        return lines[0], lines[1]
    raise ValueError('"lines" must be [first, last]')
