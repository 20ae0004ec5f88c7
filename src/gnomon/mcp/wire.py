"""Standard input and output as the protocol's wire, from the first moment of the process to its last.

A thread of its own reads lines. Until the SDK is imported it answers what ``hello`` can; then the SDK is given every
line from the first on, and its answers to what is answered already are dropped, so both know the same.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO

from gnomon.mcp.hello import Hello
from gnomon.mcp.messages import INVALID_REQUEST, examine, id_of, is_answer, refusal

if TYPE_CHECKING:
    import asyncio

_MAX_EARLY_BYTES = 1 << 20  # a longer line is no greeting


def claim_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Private handles of standard input and output.

    Afterwards whatever prints, writes to file descriptor 1 or starts a child writes to standard error, and reads
    nothing.
    """
    sys.stdout.flush()
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return os.fdopen(source, "rb"), os.fdopen(sink, "wb")


class Wire:
    """Lines in and lines out.

    Args:
        source: Where lines come from.
        sink: Where lines go.
        hello: Answers until ``attach`` is called.
        ended: Called once in the reading thread when the client is gone.
    """

    def __init__(self, source: BinaryIO, sink: BinaryIO, hello: Hello, ended: Callable[[], None]) -> None:
        self._source, self._sink = source, sink
        self._hello = hello
        self._ended = ended
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._early: list[str | None] = []
        self._deliver: Callable[[str | None], None] | None = None
        self._answered: set[str] = set()

    def start(self) -> None:
        """Begin to read and to answer."""
        threading.Thread(target=self._read, name="gnomon-wire", daemon=True).start()

    def attach(self) -> Lines:
        """From now on lines are for the SDK, beginning with the first; call it inside the event loop."""
        import asyncio  # too dear for the greeting

        loop, queue = asyncio.get_running_loop(), asyncio.Queue[str | None]()

        def deliver(line: str | None) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(queue.put_nowait, line)

        with self._lock:
            self._deliver = deliver
            for line in self._early:
                deliver(line)
            self._early.clear()
        return Lines(queue, self.refuse)

    def _read(self) -> None:
        with suppress(OSError):
            for raw in self._source:
                self._take(raw.decode("utf-8", "replace"))
        with self._lock:
            self._pass_on(None)
        self._ended()

    def _take(self, line: str) -> None:
        seen = examine(line)
        for answer in seen.refusals:
            self._write(answer)
        if seen.message is None:
            return
        with self._lock:
            if self._deliver is None and self._greet(seen.message):
                self._answered.add(_key(seen.line))
            elif self._answered:
                self._answered.discard(_key(seen.line))  # an id used anew is to be answered anew
            self._pass_on(seen.line)

    def _pass_on(self, line: str | None) -> None:
        if self._deliver is None:
            self._early.append(line)
        else:
            self._deliver(line)

    def _greet(self, message: dict[str, Any]) -> bool:
        result = self._hello.result(message) if "id" in message else None
        if result is None:
            return False
        self._write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\n")
        return True

    def refuse(self, line: str) -> None:
        """Answer a line that the SDK cannot read, which it would drop."""
        message = examine(line).message
        if message is not None and not is_answer(message) and "id" in message:
            text = "no message that can be read: nested too deeply, or a number too large"
            self._write(refusal(id_of(message), INVALID_REQUEST, text))

    def send(self, line: str) -> None:
        """Write one line of the SDK, unless it answers what is answered already."""
        with self._lock:
            key = _key(line, answer=True) if self._answered else ""
            if key and key in self._answered:
                self._answered.discard(key)
                return
        self._write(line)

    def _write(self, line: str) -> None:
        with self._writing, suppress(OSError, ValueError):  # the client is gone; reading notices it
            self._sink.write(line.encode("utf-8", "replace"))
            self._sink.flush()


class Lines:
    """Standard input as the SDK reads it.

    Args:
        queue: Lines, and None at the end.
        refuse: Given each line that is none for the SDK.
    """

    def __init__(self, queue: asyncio.Queue[str | None], refuse: Callable[[str], None]) -> None:
        self._queue = queue
        self._refuse = refuse

    async def __aiter__(self) -> AsyncIterator[str]:
        """Lines until the client is gone."""
        from anyio import to_thread
        from mcp_types import jsonrpc_message_adapter

        while (line := await self._queue.get()) is not None:
            try:  # as the SDK does, which tells nobody that it failed
                jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError:
                await to_thread.run_sync(self._refuse, line)
            else:
                yield line


class Output:
    """Standard output as the SDK writes it."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    async def write(self, line: str) -> None:
        """Write in a thread: a client that does not read must not hold up the others' answers."""
        from anyio import to_thread

        await to_thread.run_sync(self._wire.send, line)

    async def flush(self) -> None:
        """Every line is flushed as it is written."""


def _parse(line: str) -> dict[str, Any] | None:
    if len(line) > _MAX_EARLY_BYTES:
        return None
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def _key(line: str, *, answer: bool = False) -> str:
    """The id of a request, or of an answer, as text; "" where the line is none."""
    message = _parse(line)
    if message is None or ("method" in message) == answer or "id" not in message:
        return ""
    return json.dumps(message["id"])
