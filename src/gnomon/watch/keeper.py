"""The host of ``gnomon watch``: no server, no questions; it indexes what changes and says so."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from gnomon.config import Config
from gnomon.corpus import Corpus
from gnomon.errors import GnomonError
from gnomon.figures import number
from gnomon.index.report import IndexReport
from gnomon.index.run import IndexOptions
from gnomon.values import Folder

_COMPARE_SECONDS = 60.0  # where the system cannot watch


class Keeper:
    """Keeps the index of some settings fresh; see ``watching.Host``.

    Args:
        load: The settings as they are now.
        stop: Set to end it.
        tell: Told one line for each run that changed something, and for each failure that is new.
    """

    def __init__(self, load: Callable[[], Config], stop: threading.Event, tell: Callable[[str], None]) -> None:
        self._load = load
        self._stop = stop
        self._tell = tell
        self._corpus = Corpus(load())
        self._failure = ""

    @property
    def corpus(self) -> Corpus:
        """The corpus, made anew where the settings changed or a folder came back."""
        try:
            config = self._load()
        except GnomonError as e:
            self._fail(f"the settings cannot be used, so the old ones stay in force: {e}")
            return self._corpus
        if config != self._corpus.config:
            self._corpus.close()
            self._corpus = Corpus(config)
        return self._corpus

    def may_catch_up(self) -> bool:
        """Always; the first run makes the index."""
        return True

    def catch_up(self) -> None:
        """Bring everything in step."""
        self._index(None)

    def take_up(self, paths: Sequence[Path], folders: Sequence[Folder]) -> None:  # noqa: ARG002
        """Bring these folders in step; a run finds the paths by itself."""
        self._index(folders)

    def lost(self) -> None:
        """Nobody asks."""

    def without_watch(self, folders: Sequence[Folder], stop: threading.Event) -> None:
        """Compare the disk once a minute."""
        while not stop.is_set() and self.corpus.folders == folders:
            self.catch_up()
            stop.wait(_COMPARE_SECONDS)

    def _index(self, folders: Sequence[Folder] | None) -> None:
        corpus = self._corpus
        try:
            options = IndexOptions(concurrency=corpus.config["concurrency"])
            report = corpus.index(folders, options=options, stop=self._stop.is_set)
        except GnomonError as e:
            self._fail(f"changed files are not indexed: {e}")
            return
        finally:
            corpus.release_model()  # most of the memory, and loaded again in a quarter of a second
        self._failure = ""
        if line := _line(report):
            self._tell(line)

    def _fail(self, sentence: str) -> None:
        if sentence != self._failure:  # once, not with every save
            self._tell(sentence)
        self._failure = sentence


def _line(report: IndexReport) -> str:
    """What a run did, "" where it changed nothing."""
    indexed = sum(folder.files_processed for folder in report.folders)
    deleted = sum(folder.files_deleted for folder in report.folders)
    warnings = [warning for folder in report.folders for warning in folder.warnings if "its index is kept" in warning]
    counts = f"{indexed} indexed, {deleted} deleted, {number(report.chunks_embedded, 'passage')} embedded"
    parts = [counts] if indexed or deleted or report.chunks_embedded else []
    return "; ".join([*parts, *warnings])
