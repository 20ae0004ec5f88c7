"""Jupyter notebooks, cell by cell: prose as it is, code fenced, outputs short, no pictures."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from gnomon.errors import DocumentError
from gnomon.extract.base import Limits
from gnomon.extract.composing import Composer
from gnomon.extract.encodings import decode
from gnomon.values import Extracted, SkipReason

_OUTPUT_CHARS = 1000
_OUTPUT_LINES = 20
_FENCE = "```"


def read(content: bytes, *, path: str, limits: Limits) -> Extracted:
    """The text of a notebook. See ``base.Format``."""
    del path
    decoded = decode(content)
    try:
        notebook = json.loads(decoded.text)
    except ValueError as e:
        raise DocumentError(SkipReason.DAMAGED, f"no JSON: {e}") from e
    except RecursionError as e:
        raise DocumentError(SkipReason.EXTRACTION_LIMIT, "JSON nested too deeply") from e
    if not isinstance(notebook, dict):
        raise DocumentError(SkipReason.DAMAGED, "JSON, but no notebook")
    composer = Composer(limits)
    language = _language(notebook)
    for number, cell in enumerate(_cells(notebook), start=1):
        composer.anchor(f"cell {number}")
        _write(composer, cell, language)
    metadata = _mapping(notebook.get("metadata"))
    return composer.document("prose", "jupyter", _text(metadata.get("title")))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    """Text is one string, or a list of lines; anything else is none."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""


def _cells(notebook: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    # Format 3 had worksheets with cells in them.
    sheets = [notebook, *(_mapping(sheet) for sheet in _list(notebook.get("worksheets")))]
    return [_mapping(cell) for sheet in sheets for cell in _list(sheet.get("cells"))]


def _language(notebook: Mapping[str, Any]) -> str:
    metadata = _mapping(notebook.get("metadata"))
    found = _mapping(metadata.get("language_info")).get("name") or _mapping(metadata.get("kernelspec")).get("language")
    return found.lower() if isinstance(found, str) and found.replace("+", "").isalnum() else "python"


def _write(composer: Composer, cell: Mapping[str, Any], language: str) -> None:
    kind = cell.get("cell_type")
    source = _text(cell.get("source")) or _text(cell.get("input"))
    if kind == "heading":
        level = cell.get("level")
        composer.heading(source, level if isinstance(level, int) else 1)
    elif kind == "code":
        own = cell.get("language")
        _fenced(composer, source, own if isinstance(own, str) and own.isalnum() else language)
        for output in _list(cell.get("outputs")):
            _fenced(composer, _short(_output(_mapping(output))), "")
    else:
        composer.block(source)


def _fenced(composer: Composer, body: str, language: str) -> None:
    if body.strip():
        # A fence inside needs a longer one outside.
        fence = _FENCE if _FENCE not in body else _FENCE + "`" * body.count("`")
        composer.block(f"{fence}{language}\n{body.strip(chr(10))}\n{fence}")


def _output(output: Mapping[str, Any]) -> str:
    if output.get("output_type") in {"error", "pyerr"}:
        return f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}".strip(": ")
    # Format 3 kept results beside the type instead of under "data".
    data = _mapping(output.get("data"))
    return _text(output.get("text")) or _text(data.get("text/plain")) or _text(data.get("text/markdown"))


def _short(text: str) -> str:
    """The first lines of an output; the rest is seldom read and never searched for."""
    lines = text.strip("\n").split("\n")
    cut = "\n".join(line.rstrip() for line in lines[:_OUTPUT_LINES])[:_OUTPUT_CHARS]
    return cut if len(cut) >= len(text.strip("\n").rstrip()) else f"{cut} …"
