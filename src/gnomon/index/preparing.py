"""Takes files through their steps in processes of their own where there is enough to do: Python runs one thread a time.

They read and prepare, this process alone writes; what they made comes in the order of the files. One that ends before
it has answered, whoever killed it, costs no document: another one takes its batch, file by file. A file on which that
one ends, too, is left out: it must not do the same to this process.
"""

from __future__ import annotations

import pickle
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import IO, Protocol, Self

from gnomon.children import Deadline, start
from gnomon.errors import DocumentError
from gnomon.index.document import Prepared, Steps
from gnomon.store.base import ManifestRow
from gnomon.values import Folder, SkipReason, SourceFile

# To be ready takes each a third of a second of a processor, as long as this much text; what a file costs beside its
# bytes is that of this many.
_LEAST_BYTES = 3_000_000
_BYTES_PER_FILE = 500
# Of a processor, that a batch may take: thirty times what is usual, which is a second for a megabyte of text. A small
# file may hold much of it.
_BATCH_SECONDS = 120.0
_SECONDS_PER_BYTE = 30.0 / 1_000_000
# By the clock, as much longer: for a process that works, on a machine that others use, and for one that never will.
_CLOCK_FACTOR = 3.0
# Processes in a row that ended before they had answered anything: it is not the files, then.
_MOST_STARTS = 10
# Batches that wait to be stored, beside the one that each process prepares.
_AHEAD = 2
_LOOK_SECONDS = 0.5  # between two looks at whether the run is to end
WORKER = "gnomon.index.worker"


@dataclass(frozen=True, slots=True)
class Crew:
    """The processes that prepare documents.

    Attributes:
        workers: How many.
        recipe: Makes the steps in each of them; it is pickled.
        least_bytes: They are started for so much text or more.
        batch_seconds: Of a processor, that files may take whatever their size.
    """

    workers: int
    recipe: Callable[[], Steps]
    least_bytes: int = _LEAST_BYTES
    batch_seconds: float = _BATCH_SECONDS

    def pays(self, files: Sequence[SourceFile]) -> bool:
        """Whether to start them for these files."""
        return sum(file.size_bytes + _BYTES_PER_FILE for file in files) >= self.least_bytes


class Here(Protocol):
    """Prepares files in this process."""

    def __call__(self, files: Sequence[SourceFile], *, fault: DocumentError | None = None) -> list[Prepared]:
        """What became of each, in order; with a fault they are left out for that, and go through no step."""
        ...


class Preparing:
    """Prepares batches of files of one folder; leave it as a context.

    Args:
        crew: Who does.
        folder: Where the files lie.
        known: What the store holds, by path.
        here: Prepares files in this process.
        stop: Asked now and then, while a batch is waited for, whether to give up.
    """

    def __init__(
        self, crew: Crew, folder: Folder, known: Mapping[str, ManifestRow], here: Here, stop: Callable[[], bool] = bool
    ) -> None:
        self._stop = stop
        self._batch_seconds = crew.batch_seconds
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
            if len(waiting) > self._most_waiting and self._comes(waiting[0]):
                yield waiting.popleft().result()
        while waiting and self._comes(waiting[0]):
            yield waiting.popleft().result()

    def _comes(self, batch: Future[list[Prepared]]) -> bool:
        """Wait for a batch; returns whether it is there, which it is not where the run is to end before."""
        while not wait([batch], timeout=_LOOK_SECONDS).done:
            if self._stop():
                return False
        return True

    def _prepare(self, files: Sequence[SourceFile]) -> list[Prepared]:
        worker = self._idle.get()
        try:
            return self._ask(worker, files)
        except _EndedError:  # it was at one of them
            return [each for file in files for each in self._alone(worker, file)]
        finally:
            self._idle.put(worker)

    def _alone(self, worker: _Worker, file: SourceFile) -> list[Prepared]:
        try:
            return self._ask(worker, [file])
        except _EndedError as e:
            return self._here([file], fault=e.refusal())

    def _ask(self, worker: _Worker, files: Sequence[SourceFile]) -> list[Prepared]:
        known = {file.path: self._known[file.path] for file in files if file.path in self._known}
        seconds = self._batch_seconds + _SECONDS_PER_BYTE * sum(file.size_bytes for file in files)
        try:
            return worker.prepare((self._folder, files, known, seconds), clock_seconds=_CLOCK_FACTOR * seconds)
        except _GoneError:
            return [] if self._closing else self._here(files)

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
    """No process is started any more: the system gives none, or it met an error that is no document's."""


class _EndedError(Exception):
    """A process was ended before it had answered; another one may go on."""

    def __init__(self, code: int) -> None:
        super().__init__()
        self._code = code

    def refusal(self) -> DocumentError:
        """Why the file that it was at is left out."""
        again = "gnomon index --force tries again"
        if hasattr(signal, "SIGPROF") and self._code == -signal.SIGPROF:
            return DocumentError(SkipReason.EXTRACTION_LIMIT, f"not done after minutes of work; {again}")
        return DocumentError(SkipReason.FAULT, f"two processes ended that read it (exit code {self._code}); {again}")


class _Worker:
    """Processes, one after the other, the first started when it is asked; see ``index.worker``.

    One thread at a time, but for ``end``.
    """

    def __init__(self, recipe: Callable[[], Steps]) -> None:
        self._recipe = recipe
        self._process: subprocess.Popen[bytes] | None = None
        self._fruitless_starts = 0
        self._ended = False

    def prepare(self, request: object, *, clock_seconds: float) -> list[Prepared]:
        """The answer to a request.

        Raises:
            _EndedError: The process was ended.
            _GoneError: There is none any more.
        """
        try:
            with Deadline(self._started(), clock_seconds):
                self._send(request)
                prepared: list[Prepared] = pickle.load(self._pipes[1])  # noqa: S301 - our own process, our own rights
        except (OSError, EOFError, pickle.UnpicklingError) as e:
            raise self._outcome() from e
        self._fruitless_starts = 0
        return prepared

    def _started(self) -> subprocess.Popen[bytes]:
        if self._ended:
            raise EOFError
        if self._process is None:
            self._fruitless_starts += 1
            self._process = start(WORKER)
            self._send(self._recipe)
        return self._process

    def _outcome(self) -> _EndedError | _GoneError:
        """What it means that there is no answer; one that was ended makes room for another."""
        code = self._let_go()
        if code < 0 and not self._ended and self._fruitless_starts < _MOST_STARTS:
            return _EndedError(code)
        self._ended = True
        return _GoneError()

    def _send(self, message: object) -> None:
        pickle.dump(message, self._pipes[0], pickle.HIGHEST_PROTOCOL)
        self._pipes[0].flush()

    @property
    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._process is None or self._process.stdin is None or self._process.stdout is None:
            raise EOFError
        return self._process.stdin, self._process.stdout

    def _let_go(self) -> int:
        """End the process and return its exit code; 0 where there is none."""
        if self._process is None:
            return 0
        self._process.kill()
        code = self._process.wait()
        for pipe in self._pipes:
            with suppress(OSError):  # unsent bytes of a request that was given up
                pipe.close()
        self._process = None
        return code

    def end(self) -> None:
        """End it, whatever it does, and start no other."""
        self._ended = True
        if process := self._process:
            process.kill()

    def close(self) -> None:
        """Let go of what is left of it, when nobody waits for its answer any more."""
        self._ended = True
        self._let_go()
