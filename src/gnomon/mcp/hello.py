"""The first answers of a connection, from plain data: who the server is and which tools it has.

The official SDK takes about a second of processor time to import, which is more than some clients wait. These few
messages need nothing of it; whatever is not exactly one of them is left to the SDK, whose answers are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gnomon.mcp.schema import ToolRow

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_VERSION = "2026-07-28"  # every request carries what the handshake settled before
_PREFIX = "io.modelcontextprotocol/"
_CAPABILITIES = {
    "logging": {},
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}
_CACHE = {"cacheScope": "private", "ttlMs": 0, "resultType": "complete"}


@dataclass(frozen=True, slots=True)
class Identity:
    """What a server says of itself.

    Attributes:
        name: As clients show it.
        version: Of the program.
        instructions: For the model.
        tools: In the order they are listed.
    """

    name: str
    version: str
    instructions: str
    tools: tuple[ToolRow, ...]


class Hello:
    """Answers the opening requests of one connection; keeps only which revision it opened with."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        self._opened = ""

    def result(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """The result of a request, or None where the SDK has to answer.

        Args:
            message: One JSON-RPC message that has an id.
        """
        method, params = message.get("method"), message.get("params")
        if message.get("jsonrpc") != "2.0" or not isinstance(params, dict | None):
            return None
        stateless = _envelope(params or {})
        if not self._opened:
            self._opened = "handshake" if method == "initialize" else "stateless" if stateless else "other"
        if self._opened == "handshake":
            return self._handshake_result(method, params or {}) if stateless is None else None
        return self._stateless_result(method, params or {}) if self._opened == "stateless" and stateless else None

    def _handshake_result(self, method: Any, params: dict[str, Any]) -> dict[str, Any] | None:
        if method == "initialize" and _is_initialize(params):
            asked = params["protocolVersion"]
            return {
                "protocolVersion": asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
                "capabilities": _CAPABILITIES,
                "serverInfo": self._info,
                "instructions": self._identity.instructions,
            }
        if method == "tools/list" and set(params) <= {"_meta"}:
            return {"tools": self._tools}
        return None

    def _stateless_result(self, method: Any, params: dict[str, Any]) -> dict[str, Any] | None:
        if set(params) != {"_meta"}:
            return None
        common = {**_CACHE, "_meta": {f"{_PREFIX}serverInfo": self._info}}
        if method == "server/discover":
            said = {"capabilities": _CAPABILITIES, "instructions": self._identity.instructions}
            return {**common, **said, "supportedVersions": [STATELESS_VERSION]}
        return {**common, "tools": self._tools} if method == "tools/list" else None

    @property
    def _info(self) -> dict[str, str]:
        return {"name": self._identity.name, "version": self._identity.version}

    @property
    def _tools(self) -> list[dict[str, Any]]:
        return [tool_fields(row) for row in self._identity.tools]


def tool_fields(row: ToolRow) -> dict[str, Any]:
    """A tool as the protocol lists it."""
    return {
        "name": row.name,
        "description": row.description,
        "inputSchema": row.input_schema,
        "outputSchema": row.result,
        "annotations": {
            "readOnlyHint": row.read_only,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
    }


def _is_initialize(params: Mapping[str, Any]) -> bool:
    return (
        isinstance(params.get("protocolVersion"), str)
        and isinstance(params.get("capabilities"), dict)
        and _is_client(params.get("clientInfo"))
    )


def _is_client(info: Any) -> bool:
    return isinstance(info, dict) and isinstance(info.get("name"), str) and isinstance(info.get("version"), str)


def _envelope(params: Mapping[str, Any]) -> bool | None:
    """Whether a stateless request is whole; None where it is none."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or f"{_PREFIX}protocolVersion" not in meta:
        return None
    return (
        meta[f"{_PREFIX}protocolVersion"] == STATELESS_VERSION
        and _is_client(meta.get(f"{_PREFIX}clientInfo"))
        and isinstance(meta.get(f"{_PREFIX}clientCapabilities"), dict)
    )
