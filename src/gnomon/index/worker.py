"""The child process that prepares documents: pickled requests on standard input, answers on standard output, in turn.

A thread of its own reads standard input, so the end of the parent, however it came, is the end of the worker, also in
the middle of a document. A parser that runs wild without letting another thread run is ended by the system's clock.
"""

from __future__ import annotations

import copyreg
import os
import pickle
import queue
import signal
import sys
import threading
from dataclasses import fields
from operator import attrgetter
from typing import Any, BinaryIO

from gnomon.index.document import build
from gnomon.store.base import DocumentWrite
from gnomon.values import Anchor, Chunk, ChunkWords, Document, Span

_LEAST_NICENESS = 5  # of an index run, also where the parent is a server


def main() -> None:
    """Serve until standard input ends: first the recipe of the steps, then (folder, files, what is stored, seconds).

    Each answer may take so many seconds of a processor.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the parent, which ends this process
    if hasattr(os, "nice"):
        os.nice(max(0, _LEAST_NICENESS - os.nice(0)))
    requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, requests), daemon=True).start()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever a parser prints must not get among the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    for kind in (Anchor, Chunk, ChunkWords, Document, DocumentWrite, Span):
        _pickle_by_fields(kind)
    try:
        steps = requests.get()()
        while True:
            folder, files, known, seconds = requests.get()
            _bound(seconds)
            prepared = build(folder, files, steps=steps, known=known)
            pickle.dump(prepared, answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()
    finally:
        os._exit(1)  # an error that is no document's: the parent meets it itself, and tells of it


def _bound(seconds: float) -> None:
    """End this process when it has worked for so long; to wait, as for a parser's process, is no work."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _pickle_by_fields(kind: type[Any]) -> None:
    """Half the time of what a dataclass with slots does by itself."""
    read = attrgetter(*(field.name for field in fields(kind)))
    copyreg.pickle(kind, lambda value: (kind, read(value)))


def _listen(source: BinaryIO, requests: queue.SimpleQueue[Any]) -> None:
    try:
        while True:
            requests.put(pickle.load(source))  # noqa: S301 - from the parent alone
    finally:
        os._exit(0)  # the main thread may be deep inside a parser
