"""The tool list as plain clients can read it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from gnomon.mcp.schema import TOOLS, ToolRow
from gnomon.mcp.tools import HANDLERS

_KEYWORDS = {
    *("type", "properties", "required", "additionalProperties", "items", "enum"),
    *("description", "minimum", "maximum"),
}


def _schemas(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for inner in (*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])):
        yield from _schemas(inner)


@pytest.mark.parametrize("row", TOOLS, ids=lambda row: row.name)
def test_schemas_use_the_plain_core_only(row: ToolRow) -> None:
    """No unions, titles or vendor keywords; every type is one word."""
    for schema in (*_schemas(row.input_schema), *_schemas(row.result)):
        assert set(schema) <= _KEYWORDS
        assert isinstance(schema["type"], str)


@pytest.mark.parametrize("row", TOOLS, ids=lambda row: row.name)
def test_every_field_says_what_it_is(row: ToolRow) -> None:
    """Parameters and scalar results have a description."""
    described = [*row.parameters.values(), *row.result.get("properties", {}).values()]
    assert all("description" in schema for schema in described if schema["type"] not in ("array", "object"))
    assert all("description" in schema for schema in row.parameters.values())


def test_every_tool_has_a_handler_and_only_index_writes() -> None:
    """The list and the code agree."""
    assert {row.name for row in TOOLS} == set(HANDLERS)
    assert [row.name for row in TOOLS if not row.read_only] == ["index"]
