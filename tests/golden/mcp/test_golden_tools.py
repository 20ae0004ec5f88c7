"""The list of tools as clients receive it: a change of it is a change of the interface."""

from __future__ import annotations

import json
from pathlib import Path

from gnomon.mcp.hello import tool_fields
from gnomon.mcp.schema import TOOLS

_EXPECTED = Path(__file__).with_name("tools.json")


def test_tool_list_is_as_agreed() -> None:
    """Written anew by: python tests/golden/mcp/test_golden_tools.py."""
    assert [tool_fields(row) for row in TOOLS] == json.loads(_EXPECTED.read_text("utf-8"))


if __name__ == "__main__":
    _EXPECTED.write_text(json.dumps([tool_fields(row) for row in TOOLS], indent=1) + "\n", encoding="utf-8")
