"""The child process that parses: reads requests on standard input, answers on standard output, one at a time.

A parser that runs wild is killed with it, by its own alarm as well as by the parent. It imports nothing but the
format asked for. A thread of its own reads standard input, so the end of the parent is the end of the worker, also in
the middle of a document.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import struct
import sys
import threading
from dataclasses import asdict
from typing import Any, BinaryIO

from gnomon.errors import DocumentError
from gnomon.extract import extract
from gnomon.extract.base import Limits
from gnomon.values import SkipReason

REQUEST_HEAD = struct.Struct(">II")
REPLY_HEAD = struct.Struct(">I")
# The parent kills first; the alarm is for a parent that is gone or asleep.
_ALARM_SLACK_SECONDS = 5


def main() -> None:
    """Serve until standard input ends."""
    requests: queue.SimpleQueue[tuple[dict[str, Any], bytes]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, requests), daemon=True).start()
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever a parser prints must not get among the replies.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    while True:
        request, content = requests.get()
        limits = Limits(**request["limits"])
        _bound(limits)
        payload = json.dumps(_answer(request["path"], content, limits)).encode()
        _alarm(0)
        replies.write(REPLY_HEAD.pack(len(payload)) + payload)
        replies.flush()


def _listen(source: BinaryIO, requests: queue.SimpleQueue[tuple[dict[str, Any], bytes]]) -> None:
    while len(head := source.read(REQUEST_HEAD.size)) == REQUEST_HEAD.size:
        request_bytes, content_bytes = REQUEST_HEAD.unpack(head)
        request = source.read(request_bytes)
        content = source.read(content_bytes)
        if len(content) < content_bytes:
            break
        requests.put((json.loads(request), content))
    os._exit(0)  # the main thread may be deep inside a parser


def _answer(path: str, content: bytes, limits: Limits) -> dict[str, Any]:
    try:
        return {"ok": asdict(extract(path, content, limits=limits))}
    except DocumentError as e:
        return {"reason": str(e.reason), "detail": e.detail}
    except MemoryError:
        return {"reason": SkipReason.EXTRACTION_LIMIT, "detail": f"needs more than {limits.memory_bytes >> 20} MB"}
    except RecursionError:
        return {"reason": SkipReason.EXTRACTION_LIMIT, "detail": "nested too deeply"}
    except Exception as e:  # noqa: BLE001 - whatever a parser does, it costs one document
        return {"reason": SkipReason.FAULT, "detail": f"{type(e).__name__}: {e}"[:300]}


def _bound(limits: Limits) -> None:
    _alarm(int(limits.seconds) + _ALARM_SLACK_SECONDS)
    try:
        import resource
    except ImportError:  # Windows has no such limits; the parent's clock still holds
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    soft = limits.memory_bytes if hard == resource.RLIM_INFINITY else min(limits.memory_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _alarm(seconds: int) -> None:
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)


if __name__ == "__main__":
    main()
