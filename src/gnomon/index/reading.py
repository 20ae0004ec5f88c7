"""Takes files through their steps in order: one after the other, or several at once where that is mostly waiting.

The steps are Python, which runs one thread at a time; with four, each call of the system hands it to another, and
small files cost half as much again. What gains from threads is a slow disk, a share on the network, a parser in a
process of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Generic, Self, TypeVar

# A batch that waited for less is quick enough, whatever its share.
_LONG_SECONDS = 0.1

File = TypeVar("File")
Built = TypeVar("Built")


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.thread_time()


class Reading(Generic[File, Built]):
    """Builds what the store writes, batch by batch; leave it as a context.

    Args:
        build: Files to what becomes of them, in order.
        concurrency: Threads that read after a batch which waited for more than half of its time.
        now: Seconds by the clock, and seconds that this thread has worked.
    """

    def __init__(
        self,
        build: Callable[[Sequence[File]], list[Built]],
        concurrency: int,
        now: Callable[[], tuple[float, float]] = _now,
    ) -> None:
        self._build = build
        self._concurrency = concurrency
        self._now = now
        self._pool: ThreadPoolExecutor | None = None

    def batches(self, batches: Iterable[Sequence[File]]) -> Iterator[list[Built]]:
        """What became of each file of each batch, in order; a batch is asked for when the one before is done with."""
        return map(self.batch, batches)

    def batch(self, files: Sequence[File]) -> list[Built]:
        """What became of each, in order."""
        if self._pool is not None:
            return list(chain.from_iterable(self._pool.map(self._build, ([file] for file in files))))
        begun, worked = self._now()
        built = self._build(files)
        ended, done = self._now()
        seconds, waited = ended - begun, (ended - begun) - (done - worked)
        if self._concurrency > 1 and waited > max(seconds / 2, _LONG_SECONDS):
            self._pool = ThreadPoolExecutor(self._concurrency, thread_name_prefix="gnomon-read")
        return built

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()
