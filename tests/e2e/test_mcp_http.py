"""One server for many clients over HTTP: who gets in, and who does not."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import pytest
from mcp import Client

from tests.e2e.conftest import Program

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(300)]

_TOKEN = "correct-horse"
_PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})


@pytest.fixture
def start(gnomon: Program) -> Iterator[Callable[..., int]]:
    """Starts a server on a free port over a small indexed folder, and returns the port."""
    root = gnomon.home / "docs"
    root.mkdir()
    (root / "one.md").write_text("# One\n\nThe heron stands in the reeds.\n", "utf-8")
    gnomon("add", str(root))
    gnomon("index")
    started: list[subprocess.Popen[str]] = []

    def run(*arguments: str) -> int:
        command = [sys.executable, "-m", "gnomon", "mcp", "--http", "--port", "0", *arguments]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8", env=gnomon.environment, cwd="/")
        started.append(process)
        assert process.stderr
        said = process.stderr.readline()
        match = re.search(r"http://127\.0\.0\.1:(\d+)/mcp", said)
        assert match, said
        return int(match[1])

    yield run
    for process in started:
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait(30)
        assert time.monotonic() - begun < 4
        assert process.stderr
        process.stderr.close()


def _status(port: int, **headers: str) -> int:
    """What a plain POST gets."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    given = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    connection.request("POST", "/mcp", _PING, given)
    try:
        return connection.getresponse().status
    finally:
        connection.close()


async def _file_of(port: int, query: str, mode: str) -> str:
    async with Client(f"http://127.0.0.1:{port}/mcp", mode=mode, read_timeout_seconds=60) as client:
        result = await client.call_tool("search", {"query": query})
        assert result.structured_content
        return Path(result.structured_content["hits"][0]["filePath"]).name


def test_many_clients_are_served_at_once(start: Callable[..., int]) -> None:
    """Each in its own era of the protocol."""
    port = start()
    found: list[str] = []

    async def ask(mode: str) -> None:
        found.append(await _file_of(port, "heron", mode))

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for mode in ("legacy", "auto", "legacy", "auto"):
                group.start_soon(ask, mode)

    anyio.run(main)
    assert found == ["one.md"] * 4


def test_foreign_host_and_origin_are_refused(start: Callable[..., int]) -> None:
    """A web page must not reach the server by a name that it points at this machine."""
    port = start()
    assert _status(port, Host=f"evil.example:{port}") in {403, 421}
    assert _status(port, Origin="http://evil.example") == 403
    assert _status(port, Origin="null") == 403
    assert _status(port, Origin=f"http://localhost:{port}") not in {401, 403, 421}


def test_token_is_wanted_where_there_is_one(start: Callable[..., int], tmp_path: Path) -> None:
    """Without it, with another, and with it."""
    file = tmp_path / "token"
    file.write_text(f"{_TOKEN}\n", encoding="utf-8")
    port = start("--token-file", str(file))
    assert _status(port) == 401
    assert _status(port, Authorization="Bearer wrong") == 401
    assert _status(port, Authorization=f"Bearer {_TOKEN}") not in {401, 403, 421}


def test_other_host_needs_a_token(gnomon: Program) -> None:
    """Listening to the network without one is refused before anything is served."""
    said = gnomon("mcp", "--http", "--host", "0.0.0.0", "--port", "0", code=2).stderr
    assert "--token-file" in said
