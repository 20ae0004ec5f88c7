"""Embeds on the cores that reading leaves idle: reading and chunking take one core, inference takes no lock of Python.

Vectors that come early change nothing but the time at which a run is done; the words of all files still come first.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.embed.base import Embedder
from gnomon.errors import GnomonError
from gnomon.store.base import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SLICES_PER_WORKER = 16  # between two transactions: a third of a second of work
# A thread that is done with a text has to wait for the one that reads files. With Python's own 5 ms inference had its
# core for 54 % of that time, with this for 67 %.
_SWITCH_SECONDS = 0.001


@dataclass(frozen=True, slots=True)
class AheadOptions:
    """How much is embedded while files are read.

    Attributes:
        workers: Threads; 0 embeds nothing before all words are stored.
        texts: Given to the embedder at once by each.
    """

    workers: int = 0
    texts: int = 1


NOTHING_AHEAD = AheadOptions()


class Ahead:
    """Embeds in the background from ``wake`` to ``close``.

    Attributes:
        done: Texts embedded so far.
    """

    def __init__(self, store: Store, embedder: Embedder, options: AheadOptions, stop: Callable[[], bool]) -> None:
        self._store = store
        self._embedder = embedder
        self._options = options
        self._stop = stop
        self._closing = threading.Event()
        self._waiting = threading.Event()
        self.done = 0
        self._thread = threading.Thread(target=self._work, name="gnomon-ahead", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Say that there may be texts to embed."""
        self._waiting.set()

    def close(self) -> None:
        """End after the texts in flight."""
        self._closing.set()
        self._waiting.set()
        self._thread.join()

    def _work(self) -> None:
        with ThreadPoolExecutor(self._options.workers, thread_name_prefix="gnomon-ahead") as pool:
            while not self._ending():
                self._waiting.wait()
                self._waiting.clear()
                try:
                    while not self._ending() and self._embed_some(pool):
                        pass
                except GnomonError:
                    return  # whoever embeds what is left meets it again and says so

    def _ending(self) -> bool:
        return self._closing.is_set() or self._stop()

    def _embed_some(self, pool: ThreadPoolExecutor) -> int:
        import numpy as np

        size = self._options.texts
        pending = self._store.pending(limit=size * self._options.workers * _SLICES_PER_WORKER)
        slices = [[text for _, text in pending[at : at + size]] for at in range(0, len(pending), size)]
        vectors = []
        # One slice per worker at a time, so that closing waits for those only.
        for vector in pool.map(self._embed_unless_ending, slices):
            if vector is None:
                break
            vectors.append(vector)
        count = sum(len(each) for each in vectors)
        if count:
            self._store.put_vectors([key for key, _ in pending[:count]], np.concatenate(vectors))
        self.done += count
        return count

    def _embed_unless_ending(self, texts: list[str]) -> NDArray[np.float32] | None:
        return None if self._ending() else self._embedder.embed_passages(texts)


@contextmanager
def embedding_ahead(
    store: Store, embedder: Embedder | None, options: AheadOptions, stop: Callable[[], bool]
) -> Iterator[Ahead | None]:
    """Embed in the background inside the block; None where nothing is to be embedded there."""
    if embedder is None or not options.workers:
        yield None
        return
    usual = sys.getswitchinterval()
    sys.setswitchinterval(min(usual, _SWITCH_SECONDS))
    ahead = Ahead(store, embedder, options, stop)
    try:
        yield ahead
    finally:
        ahead.close()
        sys.setswitchinterval(usual)
