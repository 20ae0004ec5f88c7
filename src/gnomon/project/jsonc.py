"""JSON, with or without comments and trailing commas, to a tree that knows where each part stands in the text.

Editing works on the text itself (``json_edit``), so that comments, order, spelling of numbers and indentation stay.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_MAX_DEPTH = 100  # three calls a level, well below Python's limit
_BLANK = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")


class JsonSyntaxError(ValueError):
    """Text that is not JSON.

    Attributes:
        line: 1-based.
        column: 1-based, in characters.
        reason: What was expected, without the place.
    """

    def __init__(self, text: str, offset: int, reason: str) -> None:
        self.line = text.count("\n", 0, offset) + 1
        self.column = offset - text.rfind("\n", 0, offset)
        self.reason = reason
        super().__init__(f"line {self.line}, column {self.column}: {reason}")


@dataclass(frozen=True, slots=True)
class Child:
    """One member of an object or one item of an array.

    Attributes:
        key: Decoded key, "" in an array.
        start: Where the key, or the item, starts.
        node: The value.
        comma: Where the comma after it stands, or -1.
    """

    key: str
    start: int
    node: Node
    comma: int


@dataclass(frozen=True, slots=True)
class Node:
    """One value and its place: ``text[start:end]``.

    Attributes:
        kind: "object", "array" or "scalar".
        value: Of a scalar; None for the others.
        children: In the order of the text; () for a scalar.
    """

    start: int
    end: int
    kind: str
    value: Any = None
    children: tuple[Child, ...] = ()

    def plain(self) -> Any:
        """The value as ``json.loads`` gives it; of doubled keys the last counts."""
        if self.kind == "object":
            return {child.key: child.node.plain() for child in self.children}
        if self.kind == "array":
            return [child.node.plain() for child in self.children]
        return self.value

    def child(self, step: str | int) -> Child | None:
        """The member with a key (of doubled ones the last, which counts) or the item at a place; None where absent."""
        if isinstance(step, int):
            return self.children[step] if self.kind == "array" and step < len(self.children) else None
        if self.kind != "object":
            return None
        return next((child for child in reversed(self.children) if child.key == step), None)


def parse(text: str, *, comments: bool) -> Node | None:
    """Read a whole document; None where it holds no value at all (empty, or comments alone).

    Args:
        text: A byte order mark in front is passed over.
        comments: Whether comments and trailing commas are allowed.

    Raises:
        JsonSyntaxError: It is something else.
    """
    scanner = _Scanner(text, comments=comments)
    at = scanner.skip(1 if text.startswith("\ufeff") else 0)
    if at == len(text):
        return None
    node = scanner.value(at, 0)
    end = scanner.skip(node.end)
    if end < len(text):
        raise JsonSyntaxError(text, end, "nothing may follow the value")
    return node


def last_comment(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Place of the last comment in a stretch that holds only blanks, commas and comments."""
    found = None
    while start < end:
        match = _COMMENT.match(text, start, end)
        if match:
            found = match.span()
        start = match.end() if match else start + 1
    return found


class _Scanner:
    def __init__(self, text: str, *, comments: bool) -> None:
        self._text = text
        self._comments = comments

    def skip(self, at: int) -> int:
        """The next place that is neither blank nor comment."""
        while True:
            blank = _BLANK.match(self._text, at)
            at = blank.end() if blank else at
            if self._text[at : at + 1] != "/":
                return at
            comment = _COMMENT.match(self._text, at)
            if not comment:
                raise JsonSyntaxError(self._text, at, "a value, or a comment that ends, was expected")
            if not self._comments:
                raise JsonSyntaxError(self._text, at, "comments are not allowed in this file")
            at = comment.end()

    def value(self, at: int, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise JsonSyntaxError(self._text, at, f"more than {_MAX_DEPTH} levels")
        first = self._text[at : at + 1]
        if first == "{":
            return self._container(at, depth, "object", "}")
        if first == "[":
            return self._container(at, depth, "array", "]")
        if first == '"':
            value, end = self._string(at)
            return Node(at, end, "scalar", value)
        match = _SCALAR.match(self._text, at)
        if not match:
            raise JsonSyntaxError(self._text, at, "a value was expected")
        try:
            return Node(at, match.end(), "scalar", json.loads(match.group()))
        except ValueError as e:  # Python refuses integers of thousands of digits
            raise JsonSyntaxError(self._text, at, "a number that is too long") from e

    def _container(self, start: int, depth: int, kind: str, closer: str) -> Node:
        children: list[Child] = []
        at = self.skip(start + 1)
        while self._text[at : at + 1] != closer:
            if children and children[-1].comma < 0:
                raise JsonSyntaxError(self._text, at, f'"," or "{closer}" was expected')
            child = self._child(at, depth, kind)
            children.append(child)
            at = self.skip(child.node.end if child.comma < 0 else child.comma + 1)
        if children and children[-1].comma >= 0 and not self._comments:
            raise JsonSyntaxError(self._text, children[-1].comma, 'no "," may stand before the end')
        return Node(start, at + 1, kind, children=tuple(children))

    def _child(self, start: int, depth: int, kind: str) -> Child:
        key, at = "", start
        if kind == "object":
            if self._text[at : at + 1] != '"':
                raise JsonSyntaxError(self._text, at, "a key in double quotes was expected")
            key, at = self._string(at)
            at = self.skip(at)
            if self._text[at : at + 1] != ":":
                raise JsonSyntaxError(self._text, at, '":" was expected')
            at = self.skip(at + 1)
        node = self.value(at, depth + 1)
        after = self.skip(node.end)
        return Child(key, start, node, after if self._text[after : after + 1] == "," else -1)

    def _string(self, at: int) -> tuple[str, int]:
        match = _STRING.match(self._text, at)
        if not match:
            raise JsonSyntaxError(self._text, at, "a string that does not end on its line")
        try:
            return json.loads(match.group()), match.end()
        except json.JSONDecodeError as e:
            raise JsonSyntaxError(self._text, at + e.pos, "an escape that JSON does not know") from e
