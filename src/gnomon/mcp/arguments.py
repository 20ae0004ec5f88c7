"""What an agent sent, checked against the tool's schema and forgiving where the meaning is plain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from gnomon.errors import UsageError
from gnomon.mcp.schema import ToolRow

_TYPES = {"string": str, "boolean": bool}
_MOST = 1_000_000_000  # of a number without a maximum of its own: more lines, files or tokens than there are
_TEXTS = ("query", "pattern")  # all other texts are names and paths, or patterns of them


def check_arguments(tool: ToolRow, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with their types put right: ``"a,b"`` for a list, ``"5"`` for a number, null for absent.

    Raises:
        UsageError: An unknown or missing parameter, or a value that makes no sense; the text names the valid ones.
    """
    unknown = sorted(set(given) - set(tool.parameters))
    if unknown:
        valid = ", ".join(tool.parameters) or "none"
        raise UsageError(f"{tool.name} has no parameter {', '.join(unknown)}; it takes: {valid}")
    values = {name: _value(name, tool.parameters[name], value) for name, value in given.items() if value is not None}
    blank = {name for name, value in values.items() if isinstance(value, str) and not value.strip()}
    missing = [name for name in tool.required if name not in values or name in blank]
    if missing:
        raise UsageError(f"{tool.name} needs {', '.join(missing)}")
    return values


def _value(name: str, schema: Mapping[str, Any], value: Any) -> Any:
    if schema["type"] == "array":
        return _list(name, schema, value)
    value = _coerced(schema["type"], value)
    if schema["type"] in ("integer", "number"):
        return _number(name, schema, value)
    good = isinstance(value, _TYPES[schema["type"]])
    if not good:
        raise UsageError(f"{name} must be of type {schema['type']}")
    return _without_nul(name, value) if isinstance(value, str) else value


def _number(name: str, schema: Mapping[str, Any], value: Any) -> int | float:
    kind, low, high = schema["type"], schema["minimum"], schema.get("maximum", _MOST)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    # NaN is in no range; the infinite are in none whatever the kind.
    if number and not low <= value <= high:
        raise UsageError(f"{name} must be from {low} to {high}")
    if not number or (kind == "integer" and not isinstance(value, int)):
        raise UsageError(f"{name} must be of type {kind}, from {low} to {high}")
    return cast("int | float", value)


def _without_nul(name: str, text: str) -> str:
    """Folders, paths and patterns of paths: the system takes none with NUL, and none has one."""
    if "\0" in text and name not in _TEXTS:
        raise UsageError(f"{name} cannot hold a NUL character")
    return text


def _list(name: str, schema: Mapping[str, Any], value: Any) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise UsageError(f'{name} must be a list of strings, or one string like "a,b"')
    parts = [_without_nul(name, part.strip()) for part in parts if part.strip()]
    allowed = schema["items"].get("enum")
    wrong = [part for part in parts if allowed and part not in allowed]
    if wrong:
        raise UsageError(f"{name} may hold {', '.join(allowed)}, not {', '.join(wrong)}")
    return tuple(parts)


def _coerced(kind: str, value: Any) -> Any:
    """Models often send "5" and "true"; the meaning is plain."""
    if isinstance(value, str) and kind in ("integer", "number"):
        value = _read_number(kind, value)
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return (
        {"true": True, "false": False}.get(value.lower(), value)
        if kind == "boolean" and isinstance(value, str)
        else value
    )


def _read_number(kind: str, text: str) -> Any:
    try:
        return int(text) if kind == "integer" else float(text)
    except ValueError:
        pass
    try:  # "7.0", "1e9", and what has more digits than Python reads as an integer
        return float(text)
    except ValueError:
        return text
