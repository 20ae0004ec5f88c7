"""What a client reads of a request that fails, through the SDK and back."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError

from gnomon.config import Config
from gnomon.mcp.server import GnomonServer
from gnomon.mcp.service import Service

_INVALID_PARAMS, _INTERNAL_ERROR = -32602, -32603
_OBEYED = "a\x1b[31m\u202e"
Ask = Callable[[Client], Awaitable[Any]]


@pytest.fixture
def server(config: Config, service: Service, monkeypatch: pytest.MonkeyPatch) -> GnomonServer:
    """Over a service without threads."""
    server = GnomonServer(config)
    monkeypatch.setattr(server, "service", lambda: service)
    monkeypatch.setattr(server, "_service", service)
    return server


def _asked(server: GnomonServer, ask: Ask) -> Any:
    async def main() -> Any:
        async with Client(server.build(), raise_exceptions=False) as client:
            try:
                return await ask(client)
            except MCPError as e:
                return e

    try:
        return anyio.run(main)
    finally:
        server._journal.close()


@pytest.mark.parametrize("cursor", ["x", "-5", " 5", "5.0", "\u0665", "9" * 5000, "\0"])
def test_cursor_that_is_none_of_ours_is_an_error_of_the_request(server: GnomonServer, cursor: str) -> None:
    """JSON-RPC's code for invalid parameters, as the protocol wants it."""
    error = _asked(server, lambda client: client.list_resources(cursor=cursor))
    assert error.error.code == _INVALID_PARAMS
    assert "unknown cursor" in error.error.message


@pytest.mark.parametrize(
    "address", ["gnomon://docs/%00", "gnomon://docs/nothing.md", "gnomon://x/y", "file:///etc/passwd", "gnomon://", "%"]
)
def test_address_that_is_no_document_is_an_error_of_the_request(server: GnomonServer, address: str) -> None:
    """Whatever it is."""
    error = _asked(server, lambda client: client.read_resource(address))
    assert error.error.code == _INVALID_PARAMS


@pytest.mark.parametrize(
    "ask",
    [
        lambda client: client.call_tool("cat_file", {"filePath": _OBEYED}),
        lambda client: client.call_tool("search", {"query": "x", "folders": [_OBEYED]}),
        lambda client: client.call_tool("search", {_OBEYED: 1}),
        lambda client: client.call_tool(_OBEYED, {}),
        lambda client: client.get_prompt(_OBEYED),
        lambda client: client.read_resource("gnomon://docs/a%1b%5b31m%e2%80%ae"),
    ],
)
def test_error_holds_nothing_that_a_terminal_obeys(server: GnomonServer, ask: Ask) -> None:
    """It may name any path, and agents show it to people."""
    answer = _asked(server, ask)
    told = answer.error.message if isinstance(answer, MCPError) else answer.content[0].text
    assert "31m" in told
    assert not {"\x1b", "\u202e"} & set(told)


def test_fault_of_ours_has_a_code_too(
    server: GnomonServer, service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Zero is no code of the protocol."""

    def broken() -> bool:
        raise KeyError("oh \ud83d")

    monkeypatch.setattr(service.corpus, "is_indexed", broken)
    error = _asked(server, lambda client: client.list_resources())
    assert error.error.code == _INTERNAL_ERROR
    assert "a fault of ours: KeyError" in error.error.message
    assert "a fault of ours" in caplog.text


def test_folder_with_an_undecodable_name_has_resources(server: GnomonServer, service: Service, tmp_path: Path) -> None:
    """Its address carries the bytes."""
    root = tmp_path / os.fsdecode(b"caf\xe9")
    root.mkdir()
    (root / "a.md").write_text("# Quagga\n", "utf-8")
    service._add_folders([root])
    service.corpus.index()
    listed = _asked(server, lambda client: client.list_resources())
    (address,) = [resource.uri for resource in listed.resources if "caf%E9/" in str(resource.uri)]
    read = _asked(server, lambda client: client.read_resource(str(address)))
    assert read.contents[0].text == "# Quagga\n"
