"""What the server keeps while it runs: the corpus, the model's state, and what is known of changes on disk.

No tool waits for another: searches read, an index run has a thread of its own, and the model warms up in a third.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from gnomon.config import Config, load_config, name_folders
from gnomon.config.paths import expanded, real
from gnomon.corpus import Corpus
from gnomon.corpus.places import real_place
from gnomon.errors import GnomonError, ModelError, StoreError
from gnomon.index.events import ignore
from gnomon.index.report import IndexReport
from gnomon.index.run import IndexOptions
from gnomon.mcp.freshness import Freshness
from gnomon.mcp.model import ModelState
from gnomon.mcp.progress import Progress
from gnomon.search import SearchOptions
from gnomon.trust import require_trust
from gnomon.values import Answer, Folder

log = logging.getLogger("gnomon.mcp")

_IDLE_SECONDS = 15 * 60.0
_WATCHDOG_SECONDS = 1.0
# Longer than any model of our own takes to load on a busy machine, shorter than clients wait for a tool.
_MODEL_SECONDS = 20.0
# Where words found something: about what a `gnomon search` takes on a busy machine, model and all.
_PATIENCE_SECONDS = 1.5
_STEP_SECONDS = 0.1


class Service:
    """The corpus as the server uses it; safe to share between threads.

    Attributes:
        model: Whether meaning is searched.
        freshness: How far the index is behind the disk.
        asked: Set by each search, for whoever compares the disk only then.
        held: The client cancelled its index run, so nothing is indexed unasked until a file changes.
    """

    def __init__(
        self,
        config: Config,
        *,
        idle_seconds: float = _IDLE_SECONDS,
        model_seconds: float = _MODEL_SECONDS,
        patience_seconds: float = _PATIENCE_SECONDS,
    ) -> None:
        self._corpus = Corpus(config)
        self._settings = _stamp(config.file)
        self._reloading = threading.Lock()
        self.model = ModelState(self._load_model, self._release_model)
        self.freshness = Freshness()
        self.asked = threading.Event()
        self.held = False
        self._client_runs = 0
        self._idle_seconds = idle_seconds
        self._model_seconds, self._patience_seconds = model_seconds, patience_seconds
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._include_indexed_roots()

    # -- life -------------------------------------------------------------------------------------------------------
    def start(self) -> None:
        """Load the model and begin to watch, both in the background."""
        self._spawn("model", self.model.load)
        self._spawn("idle", self._unload_when_idle)
        if self._corpus.config["watch"]:
            from gnomon.mcp.watch import watch

            self._spawn("watch", lambda: watch(self, self._stop))

    def stop(self, *, seconds: float = 0.2) -> None:
        """Ask every thread to end and wait a moment; a running index ends after its batch or with the process."""
        self._stop.set()
        self.asked.set()
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

    def _load_model(self) -> None:
        self._corpus.embedder.embed_query("ready")

    def _release_model(self) -> None:
        self._corpus.release_model()  # of the corpus as it is then
        _trim()

    def _unload_when_idle(self) -> None:
        while not self._stop.wait(_WATCHDOG_SECONDS):
            self.model.unload_if_idle(self._idle_seconds)

    # -- settings ---------------------------------------------------------------------------------------------------
    @property
    def corpus(self) -> Corpus:
        """The corpus by the settings as they are now: a folder added while the server runs is searched at once."""
        seen = _stamp(self._corpus.config.file)
        if seen != self._settings:
            with self._reloading:
                if seen != self._settings:
                    self._settings = seen
                    self._reload()
        return self._corpus

    def _reload(self) -> None:
        try:
            config = load_config(self._corpus.config.file)
            require_trust(config)
        except GnomonError as e:
            log.warning("the settings changed and cannot be used, so the old ones stay in force: %s", e)
            return
        if _without_roots(config) == _without_roots(self._corpus.config):
            self._corpus.config = config
        else:
            self._corpus = Corpus(config)
            self.model.reset()
            self._spawn("model", self.model.load)
        self._include_indexed_roots()

    def _include_indexed_roots(self) -> None:
        """Roots outside the folders that were indexed because the settings allow it stay readable."""
        allowed = self._allowed_roots()
        if allowed and self.has_index():
            indexed = set(self._corpus.store().folders())
            self._add_folders([root for root in allowed if str(root) in indexed])

    def _add_folders(self, roots: Sequence[Path]) -> None:
        config = self._corpus.config
        folders = name_folders([*(folder.root for folder in config.folders), *roots])
        self._corpus.config = replace(config, folders=folders)

    def _allowed_roots(self) -> list[Path]:
        config = self._corpus.config
        return [real(config.file.parent / expanded(root)) for root in config["allowIndexRoots"]]

    def folder(self, name: str) -> Folder:
        """A folder by name or path; one outside the settings only where ``allowIndexRoots`` says so.

        Raises:
            UsageError: It is none of them.
        """
        corpus = self.corpus
        place = real_place(name)
        absolute = place is not None and (name.startswith("~") or Path(name).is_absolute())
        if place is not None and absolute and place in self._allowed_roots() and place.is_dir():
            self._add_folders([place])
            return next(folder for folder in corpus.folders if folder.root == place)
        root, *_ = corpus.named_folders([name])
        return next(folder for folder in corpus.folders if str(folder.root) == root)

    # -- reading ----------------------------------------------------------------------------------------------------
    def search(
        self, query: str, options: SearchOptions, *, progress: Progress | None = None, stop: Callable[[], bool] = bool
    ) -> tuple[Answer, str]:
        """An answer, and why meaning was not searched ("" where it was).

        A first load is waited for: a moment where the words found something, which is the answer after that; longer
        where the answer is a judgement (grounded, or by confidence) or they found nothing, for nothing is refused for
        want of the model.

        Args:
            query: See ``Corpus.search``.
            options: See ``Corpus.search``.
            progress: Told while the model is waited for.
            stop: Asked now and then whether to give up waiting.

        Raises:
            ModelError: Nothing was found, and without the model that is no answer.
        """
        corpus = self.corpus
        self.asked.set()
        ready = self.model.use()
        if not ready and (options.ranking == "grounded" or options.min_confidence is not None):
            ready = self._wait_for_model(self._model_seconds, progress, stop)
        answer = corpus.search(query, options, use_model=ready)
        if not ready and (answer.hits or _refuses_by_words(answer)):
            seconds = self._patience_seconds if answer.hits else self._model_seconds
            if self._wait_for_model(seconds, progress, stop):
                answer, ready = corpus.search(query, options, use_model=True), True
            elif not answer.hits:
                raise ModelError(self._no_judgement())
        if not ready:
            reason = f"model {self.model.state}"
            notices = [n for n in answer.notices if "no embedding model is loaded" not in n]
            return replace(answer, notices=(*notices, f"Searched by words only: {reason}.")), reason
        return answer, next((n for n in answer.notices if "words only" in n), "")

    def _wait_for_model(self, seconds: float, progress: Progress | None, stop: Callable[[], bool]) -> bool:
        """Wait for a first load, at most so long; returns whether the model answers then."""
        if progress is not None and self.model.state == "loading":
            progress.message = "waiting for the model, which is loading"
        deadline = time.monotonic() + seconds
        while self.model.state == "loading" and time.monotonic() < deadline and not (stop() or self.stopping):
            self.model.wait(_STEP_SECONDS)
        return self.model.state == "ready"

    def _no_judgement(self) -> str:
        if self.model.state == "loading":
            return (
                "cannot judge yet: the model is loading, and the words alone find nothing; "
                "this is no refusal, ask again in a few seconds"
            )
        return f"cannot judge: the words alone find nothing, and meaning was not searched (model {self.model.state})"

    def find_related(self, path: str, line: int, options: SearchOptions) -> Answer:
        """See ``Corpus.find_related``; waits for the model, since nothing else can answer."""
        self.asked.set()
        self.model.use()
        return self.corpus.find_related(path, line, options)

    def has_index(self) -> bool:
        """Whether there is something to search."""
        try:
            self._corpus.store()
        except StoreError:
            return False
        return True

    # -- writing ----------------------------------------------------------------------------------------------------
    def index(
        self,
        folders: Sequence[Folder] | None,
        options: IndexOptions,
        *,
        progress: Progress | None = None,
        stop: Callable[[], bool] = bool,
    ) -> IndexReport:
        """Run the indexer in this thread; ends early when the server stops.

        Args:
            folders: Which; None for all.
            options: See ``IndexOptions``.
            progress: Told each event.
            stop: Asked between batches.
        """
        self.model.keep()
        try:
            report = self.corpus.index(
                folders, options=options, listener=progress or ignore, stop=lambda: stop() or self.stopping
            )
        finally:
            self.model.let_go()
        done = [sum(f.files_processed for f in report.folders), sum(f.files_deleted for f in report.folders)]
        log.info("index run over after %.1f s: %d files read, %d forgotten", report.seconds, *done)
        return report

    def index_for_client(
        self, folders: Sequence[Folder] | None, options: IndexOptions, progress: Progress, cancelled: threading.Event
    ) -> IndexReport:
        """The same because a client asked for it; meanwhile the watch starts no run of its own.

        Raises:
            Interrupted: Cancelled while another process was writing.
        """
        self._client_runs += 1
        self.held = False
        try:
            report = self.index(folders, options, progress=progress, stop=cancelled.is_set)
            if folders is None and not (report.interrupted or any(folder.truncated for folder in report.folders)):
                self.freshness.all_indexed()
            return report
        finally:
            self._client_runs -= 1
            self.held = cancelled.is_set()

    @property
    def client_is_indexing(self) -> bool:
        """Whether a run that a client asked for is under way."""
        return self._client_runs > 0


def _refuses_by_words(answer: Answer) -> bool:
    """Whether it says that nothing is relevant; a question without a word, or a filter that nothing passes, does not.

    What the model would add makes no difference to those two.
    """
    return not answer.hits and answer.refusal.startswith(("No relevant results", "Cannot judge"))


def _trim() -> None:
    """Let the C library give freed memory back to the system, where it can be told to: half of a model stays else."""
    import ctypes
    import gc

    gc.collect()
    with suppress(OSError, TypeError, AttributeError):  # Windows has no such library, musl no such function
        ctypes.CDLL(None).malloc_trim(0)


def _stamp(file: Path) -> tuple[int, int, int] | None:
    """What changes whenever a file is written or replaced."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def _without_roots(config: Config) -> dict[str, object]:
    return {name: value for name, value in config.values.items() if name != "defaultRoots"}
