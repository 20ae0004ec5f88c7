"""Lines that are no message of the protocol: each is answered with an error, so that no client waits for ever.

The SDK drops what it cannot read, with the id in it. Plain data; the SDK is not imported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602  # of JSON-RPC
_MAX_DIGITS = 4000  # more are no number for Python


@dataclass(frozen=True, slots=True)
class Examined:
    """A line that was read.

    Attributes:
        message: The message; None where there is none to pass on.
        line: The line as it is to be passed on: each lone surrogate is U+FFFD.
        refusals: Lines to answer at once.
    """

    message: dict[str, Any] | None = None
    line: str = ""
    refusals: tuple[str, ...] = ()


def examine(line: str) -> Examined:
    """Read a line of the client.

    Args:
        line: Text without lone surrogates; those in JSON escapes are what is mended.
    """
    if not line.strip():
        return Examined()
    huge: list[str] = []
    try:
        read = json.loads(line, parse_int=partial(_integer, huge))
        message = encodable(read) if "\\u" in line else read
    except RecursionError:
        return _refused(None, PARSE_ERROR, "nested too deeply")
    except ValueError as e:
        return _refused(None, PARSE_ERROR, f"no JSON: {e}")
    if isinstance(read, list) and read:
        return _refused_batch(read)
    fault = _fault(read)
    if fault:
        return _refused(id_of(read), *fault)
    return Examined(message, json.dumps(message) + "\n" if huge or message is not read else line)


def refusal(number: int | str | None, code: int, text: str) -> str:
    """The line that answers a request with an error; without an id the answer has id null."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}) + "\n"


def id_of(message: Any) -> int | str | None:
    """The id of a message, None where it has none that is valid."""
    number = message.get("id") if isinstance(message, dict) else None
    return number if isinstance(number, int | str) and not isinstance(number, bool) else None


def is_answer(message: Mapping[str, Any]) -> bool:
    """Whether it answers a request of ours; no answer is answered."""
    return "method" not in message and ("result" in message or "error" in message)


def encodable(value: Any) -> Any:
    """The same JSON value with lone surrogates replaced by U+FFFD, since UTF-8 cannot carry them."""
    if isinstance(value, str):
        return value if value.isascii() else "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in value)
    if isinstance(value, list):
        return [encodable(item) for item in value]
    if isinstance(value, dict):
        return {encodable(key): encodable(item) for key, item in value.items()}
    return value


def _integer(huge: list[str], digits: str) -> int | float:
    if len(digits) <= _MAX_DIGITS:
        return int(digits)
    huge.append(digits)
    return float(digits)


def _refused(number: int | str | None, code: int, text: str) -> Examined:
    return Examined(refusals=(refusal(number, code, text),))


def _refused_batch(items: list[Any]) -> Examined:
    """Whoever waits for one of them is told."""
    numbers: list[int | str | None] = [number for number in map(id_of, items) if number is not None]
    text = "several messages in one line are not taken; send each on its own"
    return Examined(refusals=tuple(refusal(number, INVALID_REQUEST, text) for number in numbers or [None]))


def _fault(message: Any) -> tuple[int, str] | None:
    """Code and text of what is wrong with a message, as JSON-RPC has it."""
    if not isinstance(message, dict):
        return INVALID_REQUEST, "a message is a JSON object"
    if is_answer(message):
        return None
    number, params = message.get("id"), message.get("params")
    if "id" in message and id_of(message) is None:
        return INVALID_REQUEST, "id must be a string or an integer"
    if message.get("jsonrpc") != "2.0":
        return INVALID_REQUEST, 'jsonrpc must be "2.0"'
    if not isinstance(message.get("method"), str):
        return INVALID_REQUEST, "method must be a string"
    if isinstance(number, str) and encodable(number) != number:
        return INVALID_REQUEST, "id holds half of a surrogate pair"
    if isinstance(params, list) and "id" in message:
        return INVALID_PARAMS, "params must be an object: parameters go by name"
    # A notification with a list is valid JSON-RPC, and notifications are not answered.
    return None if isinstance(params, dict | list | None) else (INVALID_REQUEST, "params must be an object")
