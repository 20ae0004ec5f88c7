"""The server as a process, spoken to in lines, as a client that knows nothing of our code would."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.e2e.conftest import Program

_SECONDS = 120.0  # a loaded machine is slow; a hang is found all the same


class LineClient:
    """A client of protocol revision 2025-06-18.

    Attributes:
        process: The server.
        notifications: All that came, in order.
        lines: Every line of standard output, as read.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.notifications: list[dict[str, Any]] = []
        self.lines: list[bytes] = []
        self._answers: dict[int, queue.Queue[dict[str, Any]]] = {}
        self._ids = iter(range(1, 1_000_000))
        self._lock = threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line)
            message = json.loads(line)
            if "method" in message:
                self.notifications.append(message)
            else:
                self._answer_queue(message["id"]).put(message)

    def _answer_queue(self, number: int) -> queue.Queue[dict[str, Any]]:
        with self._lock:
            return self._answers.setdefault(number, queue.Queue())

    def send(self, message: Mapping[str, Any]) -> None:
        """Write one message."""
        assert self.process.stdin
        with self._lock:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self.process.stdin.flush()

    def begin(self, method: str, params: Mapping[str, Any] | None = None) -> int:
        """Send a request and return its id."""
        number = next(self._ids)
        self.send({"id": number, "method": method, **({} if params is None else {"params": dict(params)})})
        return number

    def answer(self, number: int, seconds: float = _SECONDS) -> dict[str, Any]:
        """The whole message that answers a request."""
        return self._answer_queue(number).get(timeout=seconds)

    def request(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The result of a request; an error fails the test."""
        answer = self.answer(self.begin(method, params))
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def initialize(self, version: str = "2025-06-18") -> dict[str, Any]:
        """The handshake."""
        client = {"name": "lines", "version": "1"}
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        result = self.request("initialize", params)
        self.send({"method": "notifications/initialized"})
        return result

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured content of a tool's answer; an error fails the test."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        assert not result.get("isError"), result
        content: dict[str, Any] = result["structuredContent"]
        return content

    def begin_call(self, tool: str, *, token: str = "", **arguments: Any) -> int:
        """Send a call, with a progress token if wanted, and return its id."""
        meta = {"_meta": {"progressToken": token}} if token else {}
        return self.begin("tools/call", {"name": tool, "arguments": arguments, **meta})

    def until_model_is_ready(self) -> None:
        """Wait until meaning is searched."""
        for _ in range(1200):
            if self.call("status")["modelState"] == "ready":
                return
            threading.Event().wait(0.1)
        raise AssertionError("the model did not become ready")


@contextmanager
def serving(
    program: Program, *arguments: str, cwd: Path | None = None, prelude: str = "", **options: Any
) -> Iterator[LineClient]:
    """The server as a child of this process; killed at the end if it still runs.

    Args:
        program: Its places.
        arguments: After ``mcp``.
        cwd: Working directory.
        prelude: Python that runs in the server before it starts.
        options: For ``Popen``.
    """
    command = ["-m", "gnomon", "mcp", *arguments]
    if prelude:
        start = "import sys; sys.argv = ['gnomon', 'mcp']; from gnomon.__main__ import main; sys.exit(main())"
        command = ["-c", f"{prelude}\n{start}"]
    process = subprocess.Popen(
        [sys.executable, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if "stderr" not in options else options.pop("stderr"),
        cwd=cwd or program.home,
        env=program.environment,
        **options,
    )
    drained = threading.Thread(target=lambda: process.stderr and process.stderr.read(), daemon=True)
    drained.start()
    try:
        yield LineClient(process)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream:
                stream.close()
        drained.join(10)
        if process.stderr:
            process.stderr.close()
