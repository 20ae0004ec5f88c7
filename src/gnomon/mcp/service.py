"""What the server keeps while it runs: the corpus, the model's state, the running index and the watch.

No tool waits for another: searches read, the index runs in a thread of its own, and the model warms up in a third.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from gnomon.config import Config
from gnomon.corpus import Corpus
from gnomon.errors import GnomonError, StoreError, UsageError
from gnomon.index.events import Embedded, Event, FileIndexed, FileSkipped, FolderStarted, Waiting, ignore
from gnomon.index.run import IndexOptions
from gnomon.search import SearchOptions
from gnomon.values import Answer, Folder, IndexReport

log = logging.getLogger("gnomon.mcp")

_IDLE_SECONDS = 15 * 60.0
_WATCHDOG_SECONDS = 1.0


class Service:
    """The corpus as the server uses it; safe to share between threads."""

    def __init__(self, config: Config, *, idle_seconds: float = _IDLE_SECONDS) -> None:
        self.corpus = Corpus(config)
        self.model_state = "loading"
        self.changed: set[Path] = set()
        self.watching = False
        self._idle_seconds = idle_seconds
        self._used = time.monotonic()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    # -- life -------------------------------------------------------------------------------------------------------
    def start(self) -> None:
        """Load the model and begin to watch, both in the background."""
        self._spawn("model", self.load_model)
        self._spawn("idle", self._unload_when_idle)
        if self.corpus.config["watch"]:
            from gnomon.mcp.watch import watch

            self._spawn("watch", lambda: watch(self, self._stop))

    def stop(self, *, seconds: float = 1.0) -> None:
        """Ask every thread to end and wait a moment; a running index ends after its batch or with the process."""
        self._stop.set()
        deadline = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    @property
    def stopping(self) -> bool:
        """Whether the server is on its way out."""
        return self._stop.is_set()

    def _spawn(self, name: str, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, name=f"gnomon-{name}", daemon=True)
        self._threads.append(thread)
        thread.start()

    # -- model ------------------------------------------------------------------------------------------------------
    def load_model(self) -> None:
        """Make the model answer; what went wrong is kept for the next answer."""
        self.model_state = "loading"
        try:
            self.corpus.embedder.embed_query("ready")
        except GnomonError as e:
            self.model_state = f"failed: {e}"
            log.warning("words only: %s", e)
        else:
            self.model_state = "ready"

    def _unload_when_idle(self) -> None:
        while not self._stop.wait(_WATCHDOG_SECONDS):
            idle = time.monotonic() - self._used
            if idle > self._idle_seconds and self.model_state == "ready":
                self.corpus.release_model()
                self.model_state = "unloaded"

    # -- reading ----------------------------------------------------------------------------------------------------
    def search(self, query: str, options: SearchOptions) -> tuple[Answer, str]:
        """An answer, and why meaning was not searched ("" where it was)."""
        self._used = time.monotonic()
        if self.model_state == "unloaded":
            self.load_model()
        ready = self.model_state == "ready"
        answer = self.corpus.search(query, options, use_model=ready)
        return answer, "" if ready else f"model {self.model_state}"

    def changed_count(self) -> int:
        """Files that changed since they were indexed, as far as the watch has seen; -1 where nothing is watched."""
        return len(self.changed) if self.watching else -1

    def folder(self, name: str) -> Folder:
        """A folder by name or path; one outside the settings only where ``allowIndexRoots`` says so.

        Raises:
            UsageError: It is none of them.
        """
        allowed = [Path(root).expanduser().resolve() for root in self.corpus.config["allowIndexRoots"]]
        place = Path(name).expanduser().resolve()
        if place in allowed and place.is_dir():
            return Folder(place.name, place)
        (root,) = self.corpus.named_folders([name])
        return next(folder for folder in self.corpus.folders if str(folder.root) == root)

    # -- writing ----------------------------------------------------------------------------------------------------
    def index(
        self,
        folders: Sequence[Folder] | None,
        options: IndexOptions,
        *,
        progress: Progress | None = None,
        stop: Callable[[], bool] = bool,
    ) -> IndexReport:
        """Run the indexer in this thread; ends early when the server stops."""
        report = self.corpus.index(
            folders,
            options=options,
            listener=progress or ignore,
            stop=lambda: stop() or self.stopping,
        )
        if not report.interrupted and folders is None:
            self.changed.clear()
        return report

    def has_index(self) -> bool:
        """Whether there is something to search."""
        try:
            self.corpus.store()
        except StoreError:
            return False
        return True


class Progress:
    """A listener that keeps a number which only grows, for the client's progress token.

    Attributes:
        done: Files read plus passages embedded so far.
        total: The most that is known of; 0 while unknown.
        message: What is going on.
    """

    def __init__(self) -> None:
        self.done = 0
        self.total = 0
        self.message = "looking for files"
        self._files = 0

    def __call__(self, event: Event) -> None:
        """Take note of an event."""
        match event:
            case FolderStarted(folder, position, total):
                self.message = f"reading folder {position} of {total}: {folder.name}"
            case FileIndexed() | FileSkipped():
                self._files += 1
                self.done = self._files
            case Embedded(done, total):
                self.done, self.total = self._files + done, self._files + total
                self.message = f"{done} of {total} passages have their meaning"
            case Waiting():
                self.message = "waiting for another process that writes to this index"
            case _:
                pass


def require(value: str, name: str) -> str:
    """A text that is not blank.

    Raises:
        UsageError: It is.
    """
    if not value.strip():
        raise UsageError(f"{name} is empty")
    return value
