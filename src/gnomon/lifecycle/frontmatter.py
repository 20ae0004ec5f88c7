"""Front matter: YAML between ``---``, TOML between ``+++``, JSON from ``{``; read, never executed.

YAML is only composed to nodes, never constructed: tags, impossible dates and alias bombs have no effect, duplicate
keys are visible, and every value keeps its line. What a parser refuses is salvaged line by line; no document is lost.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from gnomon.lifecycle.fields import Field, FrontMatter, fold_key, known_key

_MAX_CHARS = 65_536  # front matter above this is text; the longest of 3,000 public documents has 6,000
_MAX_NESTING = 40  # composing is recursive
_MAX_VALUES = 200  # values read of one key
_MAX_VALUE_CHARS = 2_000  # of one value; more says nothing of a document's life

_OPENING = re.compile(r"(?:\ufeff)?\s*?(?P<fence>-{3,}|\+{3}|;{3})[ \t]*(?:yaml|toml|json)?[ \t]*(?:\r\n?|\n)")
_KEY_LINE = re.compile(r"(?P<key>[^\W\d][\w .\-]{0,60}?|\"[^\"]{1,60}\")\s*[:=](?:\s+|$)(?P<value>.*)")
_ITEM_LINE = re.compile(r"\s*-(?:\s+(?P<value>.*)|$)")
_LINE_END = re.compile(r"\r\n?|\n")


def read_front_matter(text: str) -> FrontMatter:
    """Read the front matter of a document; empty where a leading fence or brace opens none."""
    opening = _OPENING.match(text)
    if opening:
        return _fenced(text, opening)
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        return _bare_json(text)
    return FrontMatter()


def read_whole_yaml(text: str) -> list[Field]:
    """The fields of a file that is one YAML mapping; what no parser takes is read line by line."""
    return _yaml(text[:_MAX_CHARS].lstrip("\ufeff"), 1)[0]


def _fenced(text: str, opening: re.Match[str]) -> FrontMatter:
    fence = opening["fence"]
    closers = rf"{re.escape(fence)}|\.\.\." if fence[0] == "-" else re.escape(fence)
    window = text[: opening.end() + _MAX_CHARS]
    closing = re.compile(rf"^(?:{closers})[ \t]*$", re.MULTILINE).search(window.replace("\r", "\n"), opening.end())
    line = _line_of(text, opening.end())
    if closing is None:
        return _unclosed(window[opening.end() :], line)
    block = text[opening.end() : closing.start()]
    end = _LINE_END.match(text, closing.end())
    body_start = end.end() if end else closing.end()
    if block.strip() and not any(_KEY_LINE.match(each) for each in _LINE_END.split(block)) and block.lstrip()[0] != "{":
        return FrontMatter()  # two rules with prose between them
    reader = {"-": _yaml, "+": _toml, ";": _json}[fence[0]]
    fields, warnings = reader(block, line)
    return FrontMatter(tuple(fields), body_start, tuple(warnings))


def _unclosed(rest: str, line: int) -> FrontMatter:
    block = re.split(r"(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)", rest, maxsplit=1)[0]
    first = _LINE_END.split(block.lstrip())[0]
    if not _KEY_LINE.match(first):
        return FrontMatter()  # a rule, then text
    fields = list(_salvage(block, line))
    return FrontMatter(tuple(fields), 0, (f"line {line - 1}: front matter is opened and never closed",))


def _line_of(text: str, offset: int) -> int:
    return len(_LINE_END.findall(text, 0, offset)) + 1


# -- YAML -------------------------------------------------------------------------------------------------------------


def _yaml(block: str, line: int) -> tuple[list[Field], list[str]]:
    import yaml

    block = _LINE_END.sub("\n", block)
    if _too_deep(block):
        return list(_salvage(block, line)), [f"line {line}: front matter is nested too deeply, read line by line"]
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        root = yaml.compose(block, Loader=loader)
    except (yaml.YAMLError, RecursionError, ValueError) as e:
        at = line + getattr(getattr(e, "problem_mark", None), "line", 0)
        problem = getattr(e, "problem", None) or "it cannot be parsed"
        return list(_salvage(block, line)), [f"line {at}: invalid YAML in front matter ({problem}), read line by line"]
    if not isinstance(root, yaml.MappingNode):
        return [], [] if root is None else [f"line {line}: front matter is no mapping"]
    return _mapping(root, line)


def _mapping(root: Any, line: int) -> tuple[list[Field], list[str]]:
    fields: list[Field] = []
    warnings: list[str] = []
    seen: dict[str, int] = {}
    for key_node, value_node in root.value:
        if not isinstance(key_node.value, str):
            continue
        name, at = fold_key(key_node.value), line + key_node.start_mark.line
        if name in seen:
            warnings.append(f"line {at}: duplicate key {key_node.value!r} in front matter (also line {seen[name]})")
            fields = [each for each in fields if each.name != name]  # the last one counts, as YAML parsers have it
        seen[name] = at
        key = known_key(name)
        if key:
            values = list(_scalars(value_node))[:_MAX_VALUES] or [""]
            fields += [Field(key, name, value, at, "front matter") for value in values]
    return fields, warnings


def _scalars(node: Any, depth: int = 0) -> Iterator[str]:
    """Scalar values of a node in order; ``[[name]]``, a wiki link to people and nested lists to YAML, is one value."""
    if isinstance(node.value, str):
        yield node.value
    elif isinstance(node.value, list) and depth < 4:
        if depth and len(node.value) == 1 and isinstance(getattr(node.value[0], "value", None), str):
            yield f"[[{node.value[0].value}]]"
            return
        for each in node.value[:_MAX_VALUES]:
            if not isinstance(each, tuple):  # a mapping's pairs are no values of ours
                yield from _scalars(each, depth + 1)


def _shallow(block: str) -> str:
    if _too_deep(block):
        raise ValueError("nested too deeply")
    return block


def _too_deep(block: str) -> bool:
    depth = deepest = 0
    for char in block:
        if char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    return deepest > _MAX_NESTING or "- " * _MAX_NESTING in block or "? " * _MAX_NESTING in block


# -- line by line -----------------------------------------------------------------------------------------------------


def _salvage(block: str, line: int) -> Iterator[Field]:
    """Known keys of a block no parser takes; items of a list under a key are its values."""
    current: Field | None = None
    for number, raw in enumerate(_LINE_END.split(block), start=line):
        match, item = _KEY_LINE.match(raw), _ITEM_LINE.match(raw)
        if item and current:
            yield Field(current.key, current.name, _unquoted(item["value"] or ""), number, "front matter")
        elif match:
            key = known_key(match["key"])
            current = Field(key, fold_key(match["key"]), "", number, "front matter") if key else None
            value = _unquoted(match["value"])
            if current and value:
                yield Field(current.key, current.name, value, number, "front matter")


def _unquoted(value: str) -> str:
    return re.sub(r"(?<=\s)#.*$", "", value[:_MAX_VALUE_CHARS]).strip().rstrip(",").strip("\"'")


# -- TOML and JSON ----------------------------------------------------------------------------------------------------


def _toml(block: str, line: int) -> tuple[list[Field], list[str]]:
    block = _LINE_END.sub("\n", block)
    try:
        table = tomllib.loads(_shallow(block))
    except (ValueError, RecursionError) as e:
        return list(_salvage(block, line)), [f"line {line}: invalid TOML in front matter ({e}), read line by line"]
    return list(_of_table(table, block, line)), []


def _json(block: str, line: int) -> tuple[list[Field], list[str]]:
    try:
        table = json.loads(_shallow(block))
    except (ValueError, RecursionError) as e:
        return list(_salvage(block, line)), [f"line {line}: invalid JSON in front matter ({e}), read line by line"]
    return (list(_of_table(table, block, line)), []) if isinstance(table, dict) else ([], [])


def _bare_json(text: str) -> FrontMatter:
    start = text.index("{")
    window = text[start : start + _MAX_CHARS]
    if _too_deep(window):
        return FrontMatter()
    try:
        table, length = json.JSONDecoder().raw_decode(window)
    except (ValueError, RecursionError):
        return FrontMatter()
    end = re.match(r"[ \t]*(?:\r\n?|\n|$)", text[start + length :])
    if not isinstance(table, dict) or end is None:
        return FrontMatter()
    fields = tuple(_of_table(table, window[:length], _line_of(text, start)))
    return FrontMatter(fields, start + length + end.end())


def _of_table(table: dict[str, Any], block: str, line: int) -> Iterator[Field]:
    for name, value in table.items():
        key = known_key(name)
        if not key:
            continue
        found = re.search(rf"^\s*[\"']?{re.escape(name)}[\"']?\s*[:=]", block, re.MULTILINE)
        at = line + block.count("\n", 0, found.end()) if found else line
        values = value if isinstance(value, list) else [value]
        for each in values[:_MAX_VALUES]:
            text = "" if each is None else str(each).lower() if isinstance(each, bool) else str(each)
            yield Field(key, fold_key(name), text, at, "front matter")
