"""The first answers are those of the SDK, word for word, and everything else is left to it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.shared.message import SessionMessage

from gnomon.config import Config
from gnomon.mcp.hello import HANDSHAKE_VERSIONS, STATELESS_VERSION, Hello
from gnomon.mcp.identity import identity
from gnomon.mcp.server import GnomonServer

_CLIENT = {"name": "c", "version": "1"}
_ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": STATELESS_VERSION,
    "io.modelcontextprotocol/clientInfo": _CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def _initialize(version: str) -> dict[str, Any]:
    params = {"protocolVersion": version, "capabilities": {"roots": {}}, "clientInfo": _CLIENT}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


def _list_tools(**params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 2, "method": "tools/list", **({"params": params} if params else {})}


def _of_sdk(config: Config, *messages: dict[str, Any]) -> list[dict[str, Any]]:
    """What the SDK's server answers, one result per request."""

    async def main() -> list[dict[str, Any]]:
        to_server, server_reads = anyio.create_memory_object_stream[SessionMessage | Exception](9)
        server_writes, from_server = anyio.create_memory_object_stream[SessionMessage](9)
        built = GnomonServer(config).build()
        results = []
        async with anyio.create_task_group() as group, to_server, server_reads, server_writes, from_server:
            group.start_soon(built.run, server_reads, server_writes, built.create_initialization_options())
            for message in messages:
                await to_server.send(SessionMessage(types.jsonrpc_message_adapter.validate_python(message)))
                if "id" in message:
                    answer = (await from_server.receive()).message.model_dump(by_alias=True, exclude_unset=True)
                    results.append(json.loads(json.dumps(answer))["result"])
            group.cancel_scope.cancel()
        return results

    return anyio.run(main)


@pytest.mark.parametrize("version", [*HANDSHAKE_VERSIONS, "1999-01-01"])
def test_handshake_is_answered_as_the_sdk_answers(config: Config, version: str) -> None:
    """In each revision, known or not."""
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    hello = Hello(identity(config))
    ours = [hello.result(_initialize(version)), hello.result(_list_tools())]
    assert ours == _of_sdk(config, _initialize(version), ready, _list_tools())


def test_stateless_revision_is_answered_as_the_sdk_answers(config: Config) -> None:
    """Discovery and the tools, each with its envelope."""
    discover = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": _ENVELOPE}}
    hello = Hello(identity(config))
    ours = [hello.result(discover), hello.result(_list_tools(_meta=_ENVELOPE))]
    assert ours == _of_sdk(config, discover, _list_tools(_meta=_ENVELOPE))


@pytest.mark.parametrize(
    "messages",
    [
        [_list_tools()],
        [{"jsonrpc": "2.0", "id": 1, "method": "ping"}, _initialize("2025-06-18")],
        [{**_initialize("2025-06-18"), "params": {}}],
        [{**_initialize("2025-06-18"), "params": []}],
        [{**_initialize("2025-06-18"), "jsonrpc": "1.0"}],
        [{"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": {**_ENVELOPE, "x": 1} | {
            "io.modelcontextprotocol/protocolVersion": "2099-01-01"}}}],
    ],
)  # fmt: skip
def test_whatever_is_no_plain_greeting_is_left_to_the_sdk(config: Config, messages: list[dict[str, Any]]) -> None:
    """Errors, too, are the SDK's to find and to name."""
    hello = Hello(identity(config))
    assert [hello.result(message) for message in messages] == [None] * len(messages)


def test_era_that_the_first_request_chose_is_kept(config: Config) -> None:
    """A claim from the other era is the SDK's to refuse."""
    hello = Hello(identity(config))
    hello.result(_initialize("2025-06-18"))
    assert hello.result(_list_tools(_meta=_ENVELOPE)) is None
    hello = Hello(identity(config))
    hello.result(_list_tools(_meta=_ENVELOPE))
    assert hello.result(_initialize("2025-06-18")) is None


def test_description_of_the_corpus_reaches_the_model(config: Config) -> None:
    """``toolDescription`` is how a model decides whether to ask at all."""
    described = identity(Config(**{**_fields(config), "values": {**config.values, "toolDescription": "Herons."}}))
    (row,) = [row for row in described.tools if row.name == "search_notes"]
    assert row.description.startswith("Herons. ")
    assert described.instructions.endswith("Herons.")


def _fields(config: Config) -> dict[str, Any]:
    return {name: getattr(config, name) for name in config.__dataclass_fields__}


def test_greeting_imports_nothing_heavy() -> None:
    """The list of tools is out before the SDK, a store or a numeric library is imported."""
    script = (
        "import sys, gnomon.cli.mcp, gnomon.mcp.stdio, gnomon.mcp.identity, gnomon.trust\n"
        "heavy = ('mcp', 'anyio', 'asyncio', 'pydantic', 'numpy', 'onnxruntime', 'tokenizers', 'sqlite3',"
        " 'gnomon.store', 'gnomon.search', 'gnomon.index', 'gnomon.corpus', 'gnomon.embed')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, encoding="utf-8")
    assert done.stdout.strip() == "[]"
