"""What the server says of itself under given settings; plain data, so that it can be said at once."""

from __future__ import annotations

from dataclasses import replace

from gnomon import __version__
from gnomon.config import Config
from gnomon.mcp.guide import INSTRUCTIONS
from gnomon.mcp.hello import Identity
from gnomon.mcp.schema import TOOLS, ToolRow


def identity(config: Config) -> Identity:
    """Name, version, instructions and tools; ``toolDescription`` says what is in the corpus."""
    about = config["toolDescription"]
    return Identity(
        name=config["serverName"] or "gnomon",
        version=__version__,
        instructions=f"{INSTRUCTIONS} About this corpus: {about}" if about else INSTRUCTIONS,
        tools=tuple(_described(row, about) for row in TOOLS),
    )


def _described(row: ToolRow, about: str) -> ToolRow:
    return replace(row, description=f"{about} {row.description}") if row.name == "search_notes" and about else row
