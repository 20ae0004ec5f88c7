"""Stands between a program and a server on a socket: counts how often the program waits, and makes the way longer."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class CountingProxy:
    """Hands on what both sides say.

    Attributes:
        folder: Where its socket lies, under the name that PostgreSQL's has.
        round_trips: Times that a client spoke after it was answered, so far.
        delay_s: How long each of them takes longer than by itself.
    """

    def __init__(self, folder: Path, behind: Path) -> None:
        self.folder = folder
        self.round_trips = 0
        self.delay_s = 0.0
        self._behind = behind
        self._lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(os.fspath(folder / behind.name))
        self.listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):  # closed at the end
            while True:
                client, _ = self.listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(os.fspath(self._behind))
                answered = threading.Event()
                answered.set()
                for source, target, asks in ((client, server, True), (server, client, False)):
                    threading.Thread(target=self._hand_on, args=(source, target, answered, asks), daemon=True).start()

    def _hand_on(self, source: socket.socket, target: socket.socket, answered: threading.Event, asks: bool) -> None:  # noqa: FBT001
        with source, suppress(OSError):
            while data := source.recv(65_536):
                if not asks:
                    answered.set()
                elif answered.is_set():
                    answered.clear()
                    with self._lock:
                        self.round_trips += 1
                    time.sleep(self.delay_s)
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)


@contextmanager
def counting_proxy(behind: Path) -> Iterator[CountingProxy]:
    """A proxy before the socket ``behind``."""
    folder = Path(tempfile.mkdtemp(prefix="gnomon-px-"))  # short: a socket's path has at most 107 bytes
    proxy = CountingProxy(folder, behind)
    try:
        yield proxy
    finally:
        proxy.listener.close()
        shutil.rmtree(folder)
