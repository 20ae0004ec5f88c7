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
        ({"query": "x", "maxTokens": 1}, "maxTokens must be 50 or more"),
    ],
)
def test_nonsense_is_an_error_that_names_what_is_valid(given: dict[str, Any], complaint: str) -> None:
    """An agent can mend its call by the text alone."""
    with pytest.raises(UsageError, match=complaint.replace("(", r"\(")):
        check_arguments(_ROWS["search"], given)
