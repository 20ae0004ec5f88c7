"""Lines of the wire: greeted early, handed over whole, each request answered once."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from typing import Any, BinaryIO

import pytest

from gnomon.mcp.hello import Hello, Identity
from gnomon.mcp.wire import Lines, Wire

_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"},
    },
}


class _Line:
    """Both ends of a wire."""

    def __init__(self) -> None:
        source, self._into = os.pipe()
        self._out_of, sink = os.pipe()
        self._source, self._sink = os.fdopen(source, "rb"), os.fdopen(sink, "wb")
        self.client_reads: BinaryIO = os.fdopen(self._out_of, "rb")
        self.client_writes: BinaryIO = os.fdopen(self._into, "wb")
        self.ended = threading.Event()
        self.wire = Wire(self._source, self._sink, Hello(Identity("n", "1", "i", ())), self.ended.set)
        self.wire.start()

    def say(self, message: Any) -> None:
        self.client_writes.write((message if isinstance(message, str) else json.dumps(message)).encode() + b"\n")
        self.client_writes.flush()

    def hear(self) -> dict[str, Any]:
        heard: dict[str, Any] = json.loads(self.client_reads.readline())
        return heard

    def close(self) -> None:
        self.client_writes.close()
        self.ended.wait(5)
        for stream in (self.client_reads, self._source, self._sink):
            stream.close()


@pytest.fixture
def line() -> Iterator[_Line]:
    """A wire with a client at the other end."""
    line = _Line()
    yield line
    line.close()


def test_after_another_opening_nothing_is_answered_early(line: _Line) -> None:
    """The request that opened the connection is the SDK's to answer, and so are all after it."""
    line.say({"jsonrpc": "2.0", "id": 7, "method": "x"})
    line.say(_INITIALIZE)
    line.say({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
    line.wire.send(json.dumps({"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": "m"}}) + "\n")
    assert line.hear()["id"] == 7


def test_all_lines_are_handed_over_in_order(line: _Line) -> None:
    """From the first, answered or not, to the end of input."""

    async def main() -> list[str]:
        lines: Lines = line.wire.attach()
        line.say({"jsonrpc": "2.0", "id": 3, "method": "late"})
        line.client_writes.close()
        return [json.loads(text)["method"] async for text in lines]

    line.say(_INITIALIZE)
    assert line.hear()["result"]["serverInfo"] == {"name": "n", "version": "1"}
    assert asyncio.run(main()) == ["initialize", "late"]
    assert line.ended.wait(5)


def test_second_answer_to_a_greeting_is_dropped_once(line: _Line) -> None:
    """The SDK answers it too; a later request of that id is a new one."""
    line.say(_INITIALIZE)
    line.hear()
    again = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {}}) + "\n"
    line.wire.send(again)
    line.wire.send(again)
    line.wire.send(json.dumps({"jsonrpc": "2.0", "id": "1", "result": {"last": True}}) + "\n")
    assert line.hear()["result"] == {}
    assert line.hear()["result"] == {"last": True}


@pytest.mark.parametrize(
    ("sent", "number", "code"),
    [
        ('{"jsonrpc":"2.0","id":7,"method":"x","params":[]}', 7, -32602),
        ('{"jsonrpc":"2.0","id":7,"method":"x","params":"p"}', 7, -32600),
        ('{"jsonrpc":"2.0","id":7,"method":5}', 7, -32600),
        ('{"jsonrpc":"2.0","id":"a"}', "a", -32600),
        ('{"jsonrpc":"1.0","id":7,"method":"x"}', 7, -32600),
        ('{"id":7,"method":"x"}', 7, -32600),
        ('{"jsonrpc":"2.0","id":"a\\ud83d","method":"x"}', "a\ud83d", -32600),
        ('{"jsonrpc":"2.0","id":null,"method":"x"}', None, -32600),
        ('{"jsonrpc":"2.0","id":1.5,"method":"x"}', None, -32600),
        ('{"jsonrpc":"2.0","id":true,"method":"x"}', None, -32600),
        ('{"jsonrpc":"2.0","id":{},"method":"x"}', None, -32600),
        ('{"jsonrpc":"2.0","method":5}', None, -32600),
        ("{}", None, -32600),
        ("[]", None, -32600),
        ("5", None, -32600),
        ('[{"jsonrpc":"2.0","id":7,"method":"x"},5]', 7, -32600),
        ("[1,2]", None, -32600),
        ("no json", None, -32700),
        ('{"jsonrpc":"2.0","id":7,', None, -32700),
        ("[" * 100_000, None, -32700),
    ],
)
def test_line_that_is_no_message_is_answered_with_an_error(
    line: _Line, sent: str, number: int | str | None, code: int
) -> None:
    """With its id where that is valid, else with null, as JSON-RPC has it."""
    line.say(sent)
    answer = line.hear()
    assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", number, code)
    assert answer["error"]["message"]


@pytest.mark.parametrize(
    "sent", ["", "  ", '{"jsonrpc":"2.0","id":7,"result":5}', '{"jsonrpc":"2.0","method":"x","params":[]}']
)
def test_what_no_one_waits_for_is_not_answered(line: _Line, sent: str) -> None:
    """Neither an empty line, nor an answer, nor a notification."""
    line.say(sent)
    line.say("{}")
    assert line.hear()["error"]["message"] == 'jsonrpc must be "2.0"'


def _handed_over(line: _Line, *sent: str) -> list[Any]:
    async def main() -> list[Any]:
        lines: Lines = line.wire.attach()
        for text in sent:
            line.say(text)
        line.client_writes.close()
        return [json.loads(text) async for text in lines]

    return asyncio.run(main())


def test_lone_surrogate_is_handed_over_as_a_replacement_character(line: _Line) -> None:
    """The SDK reads no such line; agents cut emoji in two. A whole pair stays one character."""
    (message,) = _handed_over(
        line, r'{"jsonrpc":"2.0","id":7,"method":"x","params":{"\udc00k":["a\ud83d b","\ud83d\ude00"]}}'
    )
    assert message["params"] == {"\ufffdk": ["a\ufffd b", "\U0001f600"]}


def test_number_of_thousands_of_digits_is_handed_over_as_infinite(line: _Line) -> None:
    """Neither Python nor the SDK reads it; the tool then names the range."""
    (message,) = _handed_over(line, f'{{"jsonrpc":"2.0","id":7,"method":"x","params":{{"k":{"9" * 9000}}}}}')
    assert message["params"] == {"k": float("inf")}


def test_message_that_only_the_sdk_cannot_read_is_answered(line: _Line) -> None:
    """It nests less deeply than Python does."""
    deep = f'{{"jsonrpc":"2.0","id":7,"method":"x","params":{{"a":{"[" * 500 + "]" * 500}}}}}'
    assert _handed_over(line, deep, '{"jsonrpc":"2.0","id":8,"method":"x"}')[0]["id"] == 8
    answer = line.hear()
    assert (answer["id"], answer["error"]["code"]) == (7, -32600)


def test_request_of_the_server_with_that_id_passes(line: _Line) -> None:
    """Ids of the two directions are unrelated."""
    line.say(_INITIALIZE)
    line.hear()
    line.wire.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "roots/list"}) + "\n")
    assert line.hear()["method"] == "roots/list"


def test_client_that_is_gone_is_no_error() -> None:
    """Writing to nobody is silent; reading has noticed."""
    line = _Line()
    line.client_reads.close()
    line.client_writes.close()
    assert line.ended.wait(5)
    line.wire.send("x\n")
    line._source.close()
    with pytest.raises(BrokenPipeError):
        line._sink.close()
