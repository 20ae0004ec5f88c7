"""What agents send, and what is made of it."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon.errors import UsageError
from gnomon.mcp.arguments import check_arguments
from gnomon.mcp.schema import TOOLS

_ROWS = {row.name: row for row in TOOLS}


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"languages": "python, go"}, {"languages": ("python", "go")}),
        ({"languages": ["python", " go ", ""]}, {"languages": ("python", "go")}),
        ({"kinds": "code"}, {"kinds": ("code",)}),
        ({"k": "7"}, {"k": 7}),
        ({"k": 7.0}, {"k": 7}),
        ({"k": "7.0"}, {"k": 7}),
        ({"query": "a\0b"}, {"query": "a\0b"}),
        ({"searchAll": "True"}, {"searchAll": True}),
        ({"folders": None}, {}),
    ],
)
def test_plain_meaning_is_accepted(given: dict[str, Any], meant: dict[str, Any]) -> None:
    """Models send lists as text, numbers as text, and null for absent."""
    assert check_arguments(_ROWS["search"], {"query": "x", **given}) == {"query": "x", **meant}


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"quary": "x"}, "search has no parameter quary; it takes: query, k, folders"),
        ({}, "search needs query"),
        ({"query": " \n"}, "search needs query"),
        ({"query": None}, "search needs query"),
        ({"query": 5}, "query must be of type string"),
        ({"query": "x", "k": 0}, "k must be from 1 to 100"),
        ({"query": "x", "k": "many"}, "k must be of type integer"),
        ({"query": "x", "k": True}, "k must be of type integer"),
        ({"query": "x", "searchAll": "perhaps"}, "searchAll must be of type boolean"),
        ({"query": "x", "kinds": "code,poem"}, "kinds may hold code, prose, data, not poem"),
        ({"query": "x", "paths": [1]}, "paths must be a list of strings"),
        ({"query": "x", "maxTokens": 1}, "maxTokens must be from 50 to 1000000000"),
    ],
)
def test_nonsense_is_an_error_that_names_what_is_valid(given: dict[str, Any], complaint: str) -> None:
    """An agent can mend its call by the text alone."""
    with pytest.raises(UsageError, match=complaint.replace("(", r"\(")):
        check_arguments(_ROWS["search"], given)


def _given(tool: str, name: str, value: Any) -> dict[str, Any]:
    """A call that is right but for one value."""
    right = {"query": "x", "pattern": "x", "filePath": "x", "line": 1}
    return {**{needed: right[needed] for needed in _ROWS[tool].required}, name: value}


_NUMBERS = [
    (tool, name)
    for tool, row in _ROWS.items()
    for name, schema in row.parameters.items()
    if schema["type"] in ("integer", "number")
]
_NO_NUMBERS = [
    "NaN",
    "nan",
    "inf",
    "-Infinity",
    "1e999",
    "9" * 5000,
    10**400,
    -(10**30),
    1e300,
    float("nan"),
    float("inf"),
]


@pytest.mark.parametrize("value", _NO_NUMBERS, ids=lambda value: str(value)[:8])
@pytest.mark.parametrize(("tool", "name"), _NUMBERS)
def test_number_out_of_its_range_is_an_error_that_names_it(tool: str, name: str, value: Any) -> None:
    """NaN is in none, and no number is too large to be refused."""
    schema = _ROWS[tool].parameters[name]
    high = schema.get("maximum", 1_000_000_000)
    with pytest.raises(UsageError, match=f"^{name} must be .*from {schema['minimum']} to {high}$"):
        check_arguments(_ROWS[tool], _given(tool, name, value))


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        (tool, name)
        for tool, row in _ROWS.items()
        for name, schema in row.parameters.items()
        if schema["type"] in ("string", "array") and name not in ("query", "pattern")
    ],
)
@pytest.mark.parametrize("value", ["\0", "a\0b"])
def test_name_or_path_with_nul_is_an_error(tool: str, name: str, value: str) -> None:
    """The system takes none, and Python's complaint would be a fault of ours."""
    with pytest.raises(UsageError, match=f"{name} cannot hold a NUL character"):
        check_arguments(_ROWS[tool], _given(tool, name, value))
