"""The server's log as the protocol carries it: for clients that asked; standard error has it in any case.

Until revision 2025-11-25 a client asks once, with ``logging/setLevel``, and gets entries as they come; since 2026-07-28
it asks with each request, and gets what is logged meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

Send = Callable[[dict[str, Any]], Awaitable[None]]

# Of the protocol, by the least severe record that it lets through.
LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "notice": logging.INFO + 5,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "critical": logging.CRITICAL,
    "alert": logging.CRITICAL + 5,
    "emergency": logging.CRITICAL + 10,
}
_MOST_CLIENTS = 64  # of one server; a client that asked longest ago and said nothing since has gone


@dataclass(frozen=True, slots=True)
class _Listener:
    least: int
    send: Send
    loop: asyncio.AbstractEventLoop


class Journal(logging.Handler):
    """Hands records of ``gnomon`` loggers to the clients that asked for their level. Safe to share between threads."""

    def __init__(self) -> None:
        super().__init__()
        self._listeners: dict[int, _Listener] = {}
        self._under_way: set[asyncio.Task[None]] = set()
        self._changing = threading.Lock()
        self._logger = logging.getLogger("gnomon")
        self._level_before = self._logger.level

    def open(self) -> None:
        """Begin to listen to the loggers."""
        self._logger.addHandler(self)

    def close(self) -> None:
        """Listen no more."""
        self._logger.removeHandler(self)
        self._logger.setLevel(self._level_before)
        super().close()

    def follow(self, client: int, level: str, send: Send) -> None:
        """From now on a client gets entries of a level and above; call it in the event loop that serves the client.

        Args:
            client: The same number for the same connection; a later call replaces an earlier one.
            level: A key of ``LEVELS``.
            send: Sends the parameters of one notification; what it raises ends the following.
        """
        with self._changing:
            self._listeners.pop(client, None)
            self._listeners[client] = _Listener(LEVELS[level], send, asyncio.get_running_loop())
            while len(self._listeners) > _MOST_CLIENTS:
                del self._listeners[next(iter(self._listeners))]
            self._adjust()

    @contextmanager
    def during(self, level: object, send: Send) -> Iterator[None]:
        """Send entries while one request is served; none where its level is no key of ``LEVELS``."""
        if not isinstance(level, str) or level not in LEVELS:
            yield
            return
        key = -id(send)
        self.follow(key, level, send)
        try:
            yield
        finally:
            self._forget(key)

    def emit(self, record: logging.LogRecord) -> None:
        """Hand a record to whoever asked for its level."""
        with self._changing:
            wanting = [(key, each) for key, each in self._listeners.items() if record.levelno >= each.least]
        if not wanting:
            return
        entry = {"level": _level(record.levelno), "logger": record.name, "data": {"message": record.getMessage()}}
        for key, each in wanting:
            try:
                each.loop.call_soon_threadsafe(self._begin, key, each, entry)
            except RuntimeError:  # the loop has ended
                self._forget(key)

    def _begin(self, key: int, listener: _Listener, entry: dict[str, Any]) -> None:
        task = listener.loop.create_task(_sending(listener.send, entry))
        self._under_way.add(task)  # the loop itself keeps no task alive
        task.add_done_callback(partial(self._after, key))

    def _after(self, key: int, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if task.cancelled() or task.exception() is not None:  # the client is gone
            self._forget(key)

    def _forget(self, key: int) -> None:
        with self._changing:
            self._listeners.pop(key, None)
            self._adjust()

    def _adjust(self) -> None:
        """Let the logger make records of the lowest level asked for; standard error keeps a level of its own."""
        asked = [each.least for each in self._listeners.values()]
        self._logger.setLevel(min(logging.WARNING, *asked) if asked else self._level_before)


async def _sending(send: Send, entry: dict[str, Any]) -> None:
    await send(entry)


def _level(number: int) -> str:
    return [name for name, least in LEVELS.items() if number >= least][-1] if number >= logging.DEBUG else "debug"
