"""What an agent sent, checked against the tool's schema and forgiving where the meaning is plain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gnomon.errors import UsageError
from gnomon.mcp.schema import ToolRow

_TYPES: dict[str, tuple[type, ...]] = {"string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,)}


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
    good = isinstance(value, _TYPES[schema["type"]]) and (isinstance(value, bool) == (schema["type"] == "boolean"))
    if not good:
        raise UsageError(f"{name} must be of type {schema['type']}")
    low, high = schema.get("minimum"), schema.get("maximum")
    if (low is not None and value < low) or (high is not None and value > high):
        raise UsageError(f"{name} must be {f'from {low} to {high}' if high is not None else f'{low} or more'}")
    return value


def _list(name: str, schema: Mapping[str, Any], value: Any) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise UsageError(f'{name} must be a list of strings, or one string like "a,b"')
    parts = [part.strip() for part in parts if part.strip()]
    allowed = schema["items"].get("enum")
    wrong = [part for part in parts if allowed and part not in allowed]
    if wrong:
        raise UsageError(f"{name} may hold {', '.join(allowed)}, not {', '.join(wrong)}")
    return tuple(parts)


def _coerced(kind: str, value: Any) -> Any:
    """Models often send "5" and "true"; the meaning is plain."""
    if not isinstance(value, str):
        return int(value) if kind == "integer" and isinstance(value, float) and value.is_integer() else value
    try:
        if kind == "integer":
            return int(value)
        if kind == "number":
            return float(value)
    except ValueError:
        return value
    return {"true": True, "false": False}.get(value.lower(), value) if kind == "boolean" else value
