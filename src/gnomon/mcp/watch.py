"""Keeps the index fresh while the server runs: changed files are indexed a moment after they were saved."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.errors import GnomonError
from gnomon.index.run import IndexOptions
from gnomon.values import Folder
from gnomon.watch import watching

if TYPE_CHECKING:
    from gnomon.corpus import Corpus
    from gnomon.mcp.service import Service

log = logging.getLogger("gnomon.mcp")

_TICK_SECONDS = 1.0  # how often the list of folders is looked at
_COMPARE_SECONDS = 10.0  # where the system cannot watch, the disk is compared with a question, at most this often
_MODEL_PATIENCE_SECONDS = 60.0


def watch(service: Service, stop: threading.Event) -> None:
    """Index what changes until ``stop`` is set; compares the disk at each question where watching is not possible."""
    service.model.wait(_MODEL_PATIENCE_SECONDS)  # the first answers come before catching up
    watching.watch(_ServerHost(service), stop)


def compare_when_asked(
    service: Service, folders: Sequence[Folder], stop: threading.Event, *, seconds: float = _COMPARE_SECONDS
) -> None:
    """Catch up after a question, at most every ``seconds``; returns when the folders are others."""
    while not stop.is_set() and service.corpus.folders == folders:
        service.asked.clear()
        catch_up(service)
        stop.wait(seconds)
        service.freshness.lose()  # what was true then may not be now
        while not service.asked.wait(_TICK_SECONDS) and not stop.is_set():
            pass


def catch_up(service: Service) -> None:
    """Compare the disk with the index and index what differs."""
    if not service.has_index():
        return
    try:
        changed = len(service.corpus.changed_files())
        service.freshness.compared(changed)
        if changed and not service.held:
            report = service.index(None, IndexOptions(concurrency=service.corpus.config["concurrency"]))
            service.freshness.compared(changed if report.interrupted else 0)
    except GnomonError as e:
        log.warning("changed files are not indexed: %s", e)


class _ServerHost:
    """The server as the watch sees it; see ``watching.Host``."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._failing = False

    @property
    def corpus(self) -> Corpus:
        return self._service.corpus

    def may_catch_up(self) -> bool:
        return self._service.has_index() and not self._service.client_is_indexing

    def catch_up(self) -> None:
        catch_up(self._service)

    def take_up(self, paths: Sequence[Path], folders: Sequence[Folder]) -> None:
        self._service.freshness.note(paths)
        try:
            options = IndexOptions(concurrency=self._service.corpus.config["concurrency"])
            report = self._service.index(folders, options)
        except GnomonError as e:
            if not self._failing:  # once, not with every save
                log.warning("changed files are not indexed: %s", e)
            self._failing = True
            return
        self._failing = False
        if not report.interrupted:
            self._service.freshness.indexed(paths)

    def lost(self) -> None:
        self._service.freshness.lose()

    def without_watch(self, folders: Sequence[Folder], stop: threading.Event) -> None:
        compare_when_asked(self._service, folders, stop)
