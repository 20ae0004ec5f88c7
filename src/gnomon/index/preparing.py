"""Takes files through their steps in processes of their own where there is enough to do: Python runs one thread a time.

They read and prepare, this process alone writes; what they made comes in the order of the files. One that ends before
it has answered, whoever killed it, costs no document: its batch is prepared here.
"""

from __future__ import annotations

import pickle
import subprocess
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import IO, Self

from gnomon.children import start
from gnomon.index.document import Prepared, Steps
from gnomon.store.base import ManifestRow
from gnomon.values import Folder, SourceFile

# To be ready takes each a third of a second of a processor, as long as this much text; what a file costs beside its
# bytes is that of this many.
_LEAST_BYTES = 3_000_000
_BYTES_PER_FILE = 500
# Batches that wait to be stored, beside the one that each process prepares.
_AHEAD = 2
WORKER = "gnomon.index.worker"


@dataclass(frozen=True, slots=True)
class Crew:
    """The processes that prepare documents.

    Attributes:
        workers: How many.
        recipe: Makes the steps in each of them; it is pickled.
        least_bytes: They are started for so much text or more.
    """

    workers: int
    recipe: Callable[[], Steps]
    least_bytes: int = _LEAST_BYTES

    def pays(self, files: Sequence[SourceFile]) -> bool:
        """Whether to start them for these files."""
        return sum(file.size_bytes + _BYTES_PER_FILE for file in files) >= self.least_bytes


class Preparing:
    """Prepares batches of files of one folder; leave it as a context.

    Args:
        crew: Who does.
        folder: Where the files lie.
        known: What the store holds, by path.
        here: Prepares files in this process.
    """

    def __init__(
        self,
        crew: Crew,
        folder: Folder,
        known: Mapping[str, ManifestRow],
        here: Callable[[Sequence[SourceFile]], list[Prepared]],
    ) -> None:
        self._folder = folder
        self._known = known
        self._here = here
        self._most_waiting = crew.workers + _AHEAD
        self._workers = [_Worker(crew.recipe) for _ in range(crew.workers)]
        self._idle = SimpleQueue[_Worker]()
        for worker in self._workers:
            self._idle.put(worker)
        # A thread for each process, which sends and waits.
        self._pool = ThreadPoolExecutor(crew.workers, thread_name_prefix="gnomon-prepare")
        self._closing = False

    def batches(self, batches: Iterable[Sequence[SourceFile]]) -> Iterator[list[Prepared]]:
        """What became of each file of each batch, in order; the next ones are prepared meanwhile."""
        waiting: deque[Future[list[Prepared]]] = deque()
        for files in batches:
            waiting.append(self._pool.submit(self._prepare, files))
            if len(waiting) > self._most_waiting:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def _prepare(self, files: Sequence[SourceFile]) -> list[Prepared]:
        worker = self._idle.get()
        try:
            known = {file.path: self._known[file.path] for file in files if file.path in self._known}
            return worker.prepare(self._folder, files, known)
        except _GoneError:
            return [] if self._closing else self._here(files)
        finally:
            self._idle.put(worker)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing = True
        for worker in self._workers:
            worker.end()
        self._pool.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.close()


class _GoneError(Exception):
    """A process has ended, or none could be started."""


class _Worker:
    """One process, started when it is first asked; see ``index.worker``. One thread at a time, but for ``end``."""

    def __init__(self, recipe: Callable[[], Steps]) -> None:
        self._recipe = recipe
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False

    def prepare(self, folder: Folder, files: Sequence[SourceFile], known: Mapping[str, ManifestRow]) -> list[Prepared]:
        """What became of each.

        Raises:
            _GoneError: It ended instead.
        """
        try:
            if self._process is None and not self._ended:
                self._process = start(WORKER)
                self._send(self._recipe)
            self._send((folder, files, known))
            prepared: list[Prepared] = pickle.load(self._pipes[1])  # noqa: S301 - our own process, with our own rights
        except (OSError, EOFError, pickle.UnpicklingError) as e:
            self.end()
            raise _GoneError from e
        return prepared

    def _send(self, message: object) -> None:
        pickle.dump(message, self._pipes[0], pickle.HIGHEST_PROTOCOL)
        self._pipes[0].flush()

    @property
    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._process is None or self._process.stdin is None or self._process.stdout is None:
            raise EOFError
        return self._process.stdin, self._process.stdout

    def end(self) -> None:
        """End it, whatever it does, and start no other."""
        self._ended = True
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """Let go of what is left of it, when nobody waits for its answer any more."""
        self.end()
        if self._process is not None:
            self._process.wait()
            for pipe in self._pipes:
                with suppress(OSError):  # unsent bytes of a request that was given up
                    pipe.close()
