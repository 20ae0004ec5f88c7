"""The outline of a file by its syntax tree. Bounded in size, in work and in depth; walks without recursion."""

from __future__ import annotations

import re
import sys
import threading
import time
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from gnomon.chunk.grammars import Kind, Kinds, load
from gnomon.chunk.names import Role, by_field
from gnomon.chunk.outline import Definition, Outline, define, in_order, tie
from gnomon.chunk.rows import Rows

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree

# Larger files, and files that are mostly such lines, are generated or minified: their tree says little and costs much.
# A picture or a key in one line of a file that somebody wrote does not make it one.
MAX_PARSED_CHARS = 1_000_000
MAX_LINE_CHARS = 5_000

# Nesting that no person writes. The parser keeps one stack frame a level at ambiguous places, so deep nesting (100,000
# brackets in Go, 8 MiB of stack) would end the process; what hides from the count, in strings, meets the large stack.
MAX_NESTING = 1_000
_STACK_BYTES = 128 << 20
_SHALLOW_CHARS = 16_384

# Ordinary code takes at most 0.2 s for the largest file; error recovery on hostile input is quadratic. The parser asks
# after every 100 of its steps whether to go on: in ordinary code each 68 characters or more, so one that asks much more
# often is lost. Counted, so that it ends alike on busy and idle machines; the clock is for steps that are slow by
# themselves.
_LEAST_QUESTIONS, _CHARS_PER_QUESTION = 500, 20
_MAX_CPU_SECONDS = 1.0
_QUESTIONS_PER_LOOK = 16  # at the clock, a call of the system that small files do without

_MAX_NODES = 400_000

_BLOCK_BYTES = 1 << 12
_ODD_SPACE = re.compile("[\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_BRACKETS = re.compile(rb"[(\[{}\])]")
_OPENING = (b"(", b"[", b"{")
_STACK_SIZE = threading.Lock()  # the size is one for the whole process
_LONE_CR = re.compile(r"\r(?!\n)")


def outline(rows: Rows, language: str) -> Outline | None:
    """The outline of a text in a language; None where there is no grammar, or the text is beyond the bounds."""
    if len(rows.text) > MAX_PARSED_CHARS or _is_minified(rows):
        return None
    found = load(language)
    if found is None:
        return None
    parser_language, kinds = found
    tree = _parse(_source(rows.text), parser_language)
    if tree is None:
        return None
    return _Walk(rows, kinds).run(tree.root_node)


def _is_minified(rows: Rows) -> bool:
    """Whether more than half of the text is in lines that nobody writes."""
    return 2 * sum(len(line) for line in rows.lines if len(line) > MAX_LINE_CHARS) > len(rows.text)


def _source(text: str) -> bytes:
    """The text with one byte for each character, so that the tree's offsets are characters, and LF at line ends only.

    A letter beyond ASCII becomes "x": grammars care where a word stands, not which it is; names are read off the text.
    """
    if "\r" in text:
        text = _LONE_CR.sub("\n", text)
    if not text.isascii():
        text = _NOT_ASCII.sub("x", _ODD_SPACE.sub(" ", text))
    return text.encode("ascii")


def _is_too_deep(source: bytes) -> bool:
    """Whether brackets nest deeper than ``MAX_NESTING``, those in strings and comments too."""
    if sum(map(source.count, _OPENING)) <= MAX_NESTING:
        return False
    depths = accumulate(1 if bracket in _OPENING else -1 for bracket in _BRACKETS.findall(source))
    return any(depth > MAX_NESTING for depth in depths)


def _parse(source: bytes, language: Language) -> Tree | None:
    """The tree of a source, or None where it costs too much."""
    if _is_too_deep(source):
        return None
    if len(source) <= _SHALLOW_CHARS:
        return _parse_here(source, language)
    trees: list[Tree | None] = []
    thread = threading.Thread(target=lambda: trees.append(_parse_here(source, language)), name="parse")
    with _STACK_SIZE:
        usual = threading.stack_size(_STACK_BYTES)
        try:
            thread.start()
        except RuntimeError:  # no room for such a stack
            return None
        finally:
            threading.stack_size(usual)
    thread.join()
    return trees[0] if trees else None


def _parse_here(source: bytes, language: Language) -> Tree | None:
    from tree_sitter import Parser

    questions, begun = 0, 0.0

    def stop(offset: int, _has_error: bool) -> bool:  # noqa: FBT001 - the parser's own signature
        nonlocal questions, begun
        questions += 1
        if questions % _QUESTIONS_PER_LOOK == 0:
            now = time.thread_time()
            begun = begun or now
            if now - begun > _MAX_CPU_SECONDS:
                return True
        return questions > _LEAST_QUESTIONS + offset // _CHARS_PER_QUESTION

    # The binding (0.26.1) never releases what the callback returns: it gets one buffer, again and again, that is empty
    # in the end. New bytes each time would lose every source, and gigabytes in error recovery, which reads again.
    block = bytearray()

    def read(offset: int, _point: object) -> bytearray:
        block[:] = source[offset : offset + _BLOCK_BYTES]
        return block

    try:
        return Parser(language).parse(read, progress_callback=stop)
    except ValueError:  # stopped
        return None
    finally:
        block.clear()


_NO_WRAPPER = sys.maxsize


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a node stands.

    Attributes:
        around: Qualified name of what is around it.
        local: It is inside a function.
        start: Row where the wrapper around it (an export, a decorated definition) starts, if there is one.
    """

    around: str = ""
    local: bool = False
    start: int = _NO_WRAPPER

    def inside(self, role: Role | None, name: str, start: int) -> _Place:
        """The place of what is in a node that stands here; most nodes define nothing and share it."""
        if role is None and self.start == _NO_WRAPPER:
            return self
        return _Place(
            around=(name if role in _QUALIFIES else "") or self.around,
            local=self.local or role in _FUNCTIONS,
            start=start if role == "wrap" else _NO_WRAPPER,
        )


# Rows of a node: with what leads it, its first, its last; and whether nothing is before it on its first row.
_Reach = tuple[int, int, int, bool]


class _Walk:
    """One pass over the nodes that reach over a line end, and their children; fills an outline."""

    def __init__(self, rows: Rows, kinds: Kinds) -> None:
        self._rows = rows
        self._kinds = kinds
        self._changes = [0] * (len(rows) + 2)
        self._tied: dict[int, int] = {}
        self._definitions: list[Definition] = []
        self._broken: list[tuple[int, int]] = []
        self._nodes = 0
        self._waiting: list[tuple[Node, _Place]] = []

    def run(self, root: Node) -> Outline:
        """Visit parents before children."""
        self._waiting.append((root, _Place()))
        while self._waiting and self._nodes < _MAX_NODES:
            self._visit_children(*self._waiting.pop())
        depths = list(accumulate(self._changes[: len(self._rows)]))
        return Outline(depths, in_order(self._definitions), self._tied, self._broken)

    def _visit_children(self, node: Node, place: _Place) -> None:
        kinds = self._kinds
        children = node.children
        self._nodes += len(children)
        own = node.start_point[0]
        lead = -1  # row of the first of the comments and decorators right above
        # Last row of the sibling before.
        before = own if children and not kinds[children[0].kind_id].is_leading else own - 1
        for child in children:
            kind = kinds[child.kind_id]
            first = child.start_point[0]
            last, column = child.end_point
            if column == 0 and last > first:
                last -= 1
            if lead >= 0 and first > before + (2 if self._documents(lead) else 1):
                lead = -1
            if lead < 0 and kind.is_leading and first > before:
                lead = first
            if 0 <= lead < first:
                self._tied[first] = tie(first - lead)
            if kind.is_named:
                if last > first or kind.role or kind.is_body:
                    start = lead if lead >= 0 else first
                    self._visit(child, kind, (min(start, place.start), first, last, before < first), place)
                if not kind.is_leading:
                    lead = -1
            if last > before:  # noqa: PLR1730 - a call for each node
                before = last

    def _visit(self, node: Node, kind: Kind, reach: _Reach, place: _Place) -> None:
        """Take in one node: it reaches over a line end, or its kind says something."""
        start, first, last, own_row = reach
        role, name = self._named(node, kind, place) if kind.role else (None, "")
        if last > first:
            body = own_row and first > 0 and kind.is_body
            self._changes[first if body else first + 1] += 1
            self._changes[last + 1] -= 1
            if role == "opaque" or kind.type == "ERROR":
                self._broken.append((first, last))
        if name or role == "space":
            self._define(node, name if role != "space" else "", start, last)
        if last > first or role in _LOOKED_INTO or kind.is_body:
            self._waiting.append((node, place.inside(role, name, start)))

    def _named(self, node: Node, kind: Kind, place: _Place) -> tuple[Role | None, str]:
        """What a node is and the qualified name it has, "" where it defines none."""
        role = kind.role
        if role in _NAMELESS:
            return role, ""
        found = (kind.namer or by_field)(node, self._text)
        if found is None:
            return "inner", ""
        name, role = found if kind.namer else (found[0], role)
        if (role in _NOT_LOCAL and place.local) or (role == "global" and place.around):
            return role, ""
        if not _NAME.fullmatch(name):
            return role, ""
        if kind.type in _EXPRESSIONS and name == place.around.rpartition(".")[2]:
            return role, ""  # app.use = function use() {}
        name = name.strip("\"'")
        return role, f"{place.around}.{name}" if place.around and name else name

    def _define(self, node: Node, name: str, first: int, last: int) -> None:
        named = next((found for field in _NAME_FIELDS if (found := node.child_by_field_name(field))), node)
        row = named.start_point[0]
        while row < last and named is node and self._rows.lines[row].lstrip()[:1] in _ANNOTATES:
            row += 1
        for following in range(node.start_point[0] + 1, row + 1):  # "static int", and the name on the next line
            self._tied[following] = tie(1)
        self._definitions.append(define(self._rows, name, first=first, named=row, last=last))

    def _documents(self, row: int) -> bool:
        """Whether a comment that starts on a row is about what follows even after one blank line."""
        return self._rows.lines[row].lstrip().startswith("/**")

    def _text(self, node: Node) -> str:
        return self._rows.text[node.start_byte : node.end_byte]


_LOOKED_INTO = frozenset({"scope", "space", "wrap", "inner"})
# What error recovery takes for a name is often none; operators ("operator ==") are.
_NAME = re.compile(
    r"(?!(?:if|else|for|while|switch|return|catch|_)$)[^\s(){},;]{1,120}|(?:operator|extension) ?\S{1,40}"
)
_EXPRESSIONS = frozenset({"function_expression", "class"})
_ANNOTATES = frozenset("@[")
_QUALIFIES = frozenset({"scope", "space", "function", "routine", "global"})
_NAMELESS = frozenset({"wrap", "inner", "opaque", "closure"})
_FUNCTIONS = frozenset({"function", "closure", "routine"})
_NOT_LOCAL = frozenset({"value", "global", "routine"})
_NAME_FIELDS = ("name", "declarator", "left", "pattern", "key", "target", "type")
