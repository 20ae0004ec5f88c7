"""Change one value inside a JSON text and leave every other character as it is.

Each edit is read back and compared with what was meant before it is returned, so a text that the rules below do not
foresee ends in an error, never in a damaged file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gnomon.config.settings_file import readable_json
from gnomon.project.jsonc import Child, Node, last_comment, parse

Path = Sequence[str | int]
_DEFAULT_INDENT = "  "
_INDENT = re.compile(r"\ufeff?([ \t]*)")


class ShapeError(ValueError):
    """A part of the text is not of the shape that an edit needs; the text names the part."""


def set_value(text: str, path: Path, value: Any, *, comments: bool) -> str:
    """Set the value at a path; objects on the way are made where they are missing.

    Args:
        text: The document; an empty one counts as ``{}``.
        path: Keys and, in arrays, existing places.
        value: What ``json.dumps`` takes.
        comments: Whether the document may have comments and trailing commas.

    Returns:
        The same text where the value is there already.

    Raises:
        JsonSyntaxError: The text is not JSON.
        ShapeError: A part on the way is no object.
    """
    text, root = _open(text, comments=comments)
    node = root
    for depth, step in enumerate(path):
        _require(node, "array" if isinstance(step, int) else "object", path[:depth])
        child = node.child(step)
        if child is None:
            key, missing = str(step), _nested(path[depth + 1 :], value)
            changed = _insert(_Place(text, root, node), missing, key=key)
            return _verified(changed, _with(root.plain(), path, value), comments=comments)
        node = child.node
    if _same(node.plain(), value):
        return text
    indent = _line_indent(text, node.start)
    changed = text[: node.start] + _render(text, root, value, indent) + text[node.end :]
    return _verified(changed, _with(root.plain(), path, value), comments=comments)


def append_item(text: str, path: Path, item: Any, *, comments: bool) -> str:
    """Add an item at the end of the array at a path, which is made where it is missing.

    Raises:
        JsonSyntaxError: The text is not JSON.
        ShapeError: The value at the path is no array, or a part on the way no object.
    """
    text, root = _open(text, comments=comments)
    node = _find(root, path)
    if node is None:
        return set_value(text, path, [item], comments=comments)
    _require(node, "array", path)
    changed = _insert(_Place(text, root, node), item)
    return _verified(changed, _with(root.plain(), path, [*node.plain(), item]), comments=comments)


def remove_value(text: str, path: Path, *, comments: bool) -> str:
    """Remove the member or item at a path; comments around it stay.

    Returns:
        The same text where there is no such value.

    Raises:
        JsonSyntaxError: The text is not JSON.
    """
    root = parse(text, comments=comments)
    parent = _find(root, path[:-1]) if root else None
    child = parent.child(path[-1]) if parent else None
    if root is None or parent is None or child is None:
        return text
    changed = _cut(text, parent, parent.children.index(child))
    if isinstance(path[-1], str):  # a doubled key must not come back to life
        changed = remove_value(changed, path, comments=comments)
    return _verified(changed, _without(root.plain(), path), comments=comments)


@dataclass(frozen=True, slots=True)
class _Place:
    """A container that gets one more child.

    Attributes:
        text: The whole document.
        root: Its outermost value.
        container: The object or array.
    """

    text: str
    root: Node
    container: Node

    @property
    def last(self) -> Child | None:
        return self.container.children[-1] if self.container.children else None

    @property
    def is_multiline(self) -> bool:
        """Whether children stand on lines of their own here."""
        if self.container.children:
            return "\n" in self.text[self.container.start : self.container.children[0].start]
        return self.container is self.root or "\n" in self.text[self.root.start : self.root.end]

    @property
    def child_indent(self) -> str:
        if self.container.children and self.is_multiline:
            return _line_indent(self.text, self.container.children[0].start)
        return _line_indent(self.text, self.container.start) + _indent_unit(self.text, self.root)


def _insert(place: _Place, value: Any, *, key: str | None = None) -> str:
    """The text with one more child behind the last one and behind the comments that follow it."""
    text, last, close = place.text, place.last, place.container.end - 1
    content_end = place.container.start + 1 if last is None else last.node.end
    tail = content_end if last is None or last.comma < 0 else last.comma + 1
    comment = last_comment(text, tail, close)
    at = comment[1] if comment else tail
    # Text behind a line comment would be part of it.
    own_line = place.is_multiline or (comment is not None and text[comment[0] : comment[0] + 2] == "//")
    newline = _newline(text)
    piece = _render(text, place.root, value, place.child_indent if own_line else None)
    if key is not None:
        colon = ":" if not own_line and _is_compact(text, place.root) else ": "
        piece = json.dumps(key, ensure_ascii=False) + colon + piece
    lead = newline + place.child_indent if own_line else " " if last and not _is_compact(text, place.root) else ""
    rest = text[at:close]
    if own_line and "\n" not in rest:
        rest = newline + _line_indent(text, place.container.start)
    comma = "," if last and last.comma < 0 else ""
    trailing = "," if last and last.comma >= 0 else ""
    return text[:content_end] + comma + text[content_end:at] + lead + piece + trailing + rest + text[close:]


def _cut(text: str, parent: Node, index: int) -> str:
    """The text without one child, its comma, and its line where nothing else stands on it."""
    child, close = parent.children[index], parent.end - 1
    comma = child.comma
    if len(parent.children) == 1:
        left, right = text[parent.start + 1 : child.start], text[child.node.end : close]
        if not left.strip() and not right.replace(",", "", 1).strip():
            return text[: parent.start + 1] + text[close:]
    if comma < 0 and index:
        comma = parent.children[index - 1].comma
    end = child.node.end
    if comma >= end and not text[end:comma].strip():
        end, comma = comma + 1, -1
    cuts = [_widen(text, child.start, end, is_last=index == len(parent.children) - 1)]
    if comma >= 0:
        cuts.append((comma, comma + 1))
    for start, end in sorted(cuts, reverse=True):
        text = text[:start] + text[end:]
    return text


def _widen(text: str, start: int, end: int, *, is_last: bool) -> tuple[int, int]:
    """A cut, with the blanks that would be left over."""
    left = start - len(text[:start]) + len(text[:start].rstrip(" \t"))
    right = end + len(text[end:]) - len(text[end:].lstrip(" \t"))
    line_ends = text[right : right + 1] in {"\n", ""} or text[right : right + 2] == "\r\n"
    starts_line = text[left - 1 : left] == "\n"
    if starts_line and line_ends:
        return left - (2 if text[left - 2 : left] == "\r\n" else 1), right
    if starts_line or not (line_ends or is_last):
        return start, right
    return left, end


def _open(text: str, *, comments: bool) -> tuple[str, Node]:
    root = parse(text, comments=comments)
    if root is None:
        gap = "" if not text.strip("\ufeff") or text.endswith("\n") else "\n"
        text = text + gap + "{}\n"
        root = parse(text, comments=comments)
    if root is None:  # pragma: no cover - the text above has a value
        raise AssertionError
    return text, root


def _find(node: Node | None, path: Path) -> Node | None:
    for step in path:
        child = node.child(step) if node else None
        node = child.node if child else None
    return node


def _require(node: Node, kind: str, path: Path) -> None:
    if node.kind != kind:
        where = ".".join(str(step) for step in path) or "the document"
        raise ShapeError(f"{where} is not an {kind}")


def _nested(path: Path, value: Any) -> Any:
    for step in reversed(path):
        value = {str(step): value}
    return value


def _with(plain: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    head, *rest = path
    if isinstance(head, int):
        return [*plain[:head], _with(plain[head], rest, value), *plain[head + 1 :]]
    return {**plain, head: _with(plain.get(head, {}), rest, value)}


def _without(plain: Any, path: Path) -> Any:
    head, *rest = path
    items = enumerate(plain) if isinstance(plain, list) else plain.items()
    kept = [(key, _without(item, rest) if key == head else item) for key, item in items if rest or key != head]
    return [item for _, item in kept] if isinstance(plain, list) else dict(kept)


def _verified(text: str, meant: Any, *, comments: bool) -> str:
    root = parse(text, comments=comments)
    if root is None or not _same(root.plain(), meant):
        raise RuntimeError("an edit of a JSON text did not give what was meant; nothing was written")
    return text


def _same(one: Any, other: Any) -> bool:
    return json.dumps(one) == json.dumps(other)  # 1, 1.0 and true differ here


def _render(text: str, root: Node, value: Any, indent: str | None) -> str:
    """A value as text; on lines of its own, indented like the document, unless ``indent`` is None."""
    if indent is None or _is_one_line(text, root):
        separators = (",", ":") if _is_compact(text, root) else (", ", ": ")
        return readable_json(value, separators=separators)
    lines = readable_json(value, indent=_indent_unit(text, root)).split("\n")
    return (_newline(text) + indent).join(lines)


def _is_one_line(text: str, root: Node) -> bool:
    return bool(root.children) and "\n" not in text[root.start : root.end]


def _is_compact(text: str, root: Node) -> bool:
    """Whether the document has no blank after a colon."""
    if root.kind != "object" or not root.children:
        return False
    child = root.children[0]
    return text[child.node.start - 1] == ":"


def _indent_unit(text: str, root: Node) -> str:
    if root.children and "\n" in text[root.start : root.children[0].start]:
        return _line_indent(text, root.children[0].start) or _DEFAULT_INDENT
    return _DEFAULT_INDENT


def _line_indent(text: str, at: int) -> str:
    match = _INDENT.match(text, text.rfind("\n", 0, at) + 1)
    return match.group(1) if match else ""


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
