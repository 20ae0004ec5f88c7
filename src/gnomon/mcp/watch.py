"""Keeps the index fresh while the server runs: changed files are indexed a moment after they were saved."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gnomon.discover.git import git_directory, work_tree_above
from gnomon.errors import GnomonError
from gnomon.index.run import IndexOptions
from gnomon.mcp.relevance import Relevance
from gnomon.values import Folder

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.mcp.service import Service

log = logging.getLogger("gnomon.mcp")

_QUIET_MS = 200  # changes are taken up when none followed for so long
_DEBOUNCE_MS = 2_000  # or when the first is so old
_TICK_MS = 1_000  # how often the list of folders is looked at
_GIT_SECONDS = 0.25
_GIT_PATIENCE_SECONDS = 20.0  # a lock that is older was left by a git that crashed
_COMPARE_SECONDS = 10.0  # where the system cannot watch, the disk is compared with a question, at most this often
_MODEL_PATIENCE_SECONDS = 60.0


def watch(service: Service, stop: threading.Event) -> None:
    """Index what changes until ``stop`` is set; compares the disk at each question where watching is not possible."""
    service.model.wait(_MODEL_PATIENCE_SECONDS)  # the first answers come before catching up
    while not stop.is_set():
        folders = service.corpus.folders
        try:
            if folders:
                _Watch(service, folders, stop).run()
            else:
                stop.wait(_TICK_MS / 1000)
        except (OSError, RuntimeError) as e:
            log.warning("folders cannot be watched (%s); the disk is compared when something is asked", e)
            compare_when_asked(service, folders, stop)
        finally:
            service.freshness.lose()


def compare_when_asked(
    service: Service, folders: Sequence[Folder], stop: threading.Event, *, seconds: float = _COMPARE_SECONDS
) -> None:
    """Catch up after a question, at most every ``seconds``; returns when the folders are others."""
    while not stop.is_set() and service.corpus.folders == folders:
        service.asked.clear()
        catch_up(service)
        stop.wait(seconds)
        service.freshness.lose()  # what was true then may not be now
        while not service.asked.wait(_TICK_MS / 1000) and not stop.is_set():
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


class _Watch:
    """One set of folders under watch."""

    def __init__(self, service: Service, folders: Sequence[Folder], stop: threading.Event) -> None:
        self._service = service
        self._folders = folders
        self._stop = stop
        self._relevance = Relevance(service.corpus, folders)
        self._failing = False

    def run(self) -> None:
        """Until the server stops or the folders are others.

        Raises:
            OSError: The system cannot watch them.
            RuntimeError: The same.
        """
        import watchfiles

        changes = watchfiles.watch(
            *(folder.root for folder in self._folders),
            watch_filter=lambda _, path: self._relevance.at_a_glance(path),
            debounce=_DEBOUNCE_MS,
            step=_QUIET_MS,
            rust_timeout=_TICK_MS,
            yield_on_timeout=True,
            stop_event=self._stop,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )
        caught_up = False
        for batch in changes:
            if self._service.corpus.folders != self._folders:
                return
            if not caught_up:  # from here on no change is missed, so now it is time to compare
                caught_up = self._service.has_index() and not self._service.client_is_indexing
                if caught_up:
                    catch_up(self._service)
            elif batch:
                self._take_up([path for _, path in batch])

    def _take_up(self, changed: Sequence[str]) -> None:
        self._wait_for_git()
        paths = self._relevance.of_index(changed)
        if not paths:
            return
        self._service.freshness.note(paths)
        folders = [f for f in self._folders if any(path.is_relative_to(f.root) for path in paths)]
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

    def _wait_for_git(self) -> None:
        """A checkout or rebase writes many files; reading them halfway would index a state nobody asked for."""
        locks = [lock for folder in self._folders if (lock := _git_lock(folder)) is not None]
        waited = 0.0
        while waited < _GIT_PATIENCE_SECONDS and any(lock.exists() for lock in locks):
            if self._stop.wait(_GIT_SECONDS):
                return
            waited += _GIT_SECONDS


def _git_lock(folder: Folder) -> Path | None:
    top = work_tree_above(folder.root)
    directory = git_directory(top) if top else None
    return directory / "index.lock" if directory else None
