"""Keeps the index fresh while the server runs: changed files are indexed a moment after they were saved."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.errors import GnomonError
from gnomon.index.run import IndexOptions
from gnomon.values import Folder

if TYPE_CHECKING:
    from gnomon.mcp.service import Service

log = logging.getLogger("gnomon.mcp")

_DEBOUNCE_MS = 800
_POLL_SECONDS = 30.0  # where the system cannot watch, the disk is compared this often
_GIT_WAIT_SECONDS = 0.5
_NOT_OURS = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".rag"})


def watch(service: Service, stop: threading.Event) -> None:
    """Index what changes until ``stop`` is set; falls back to comparing the disk where watching fails."""
    folders = service.corpus.folders
    if not folders:
        return
    _catch_up(service)
    try:
        _watch(service, folders, stop)
    except (OSError, RuntimeError) as e:
        log.warning("folders cannot be watched (%s); the disk is compared every %.0f s", e, _POLL_SECONDS)
        while not stop.wait(_POLL_SECONDS):
            _catch_up(service)


def _watch(service: Service, folders: Iterable[Folder], stop: threading.Event) -> None:
    import watchfiles

    roots = [folder.root for folder in folders]
    changes = watchfiles.watch(
        *roots,
        watch_filter=lambda _, path: _is_ours(Path(path), roots),
        debounce=_DEBOUNCE_MS,
        stop_event=stop,
        raise_interrupt=False,
        ignore_permission_denied=True,
    )
    service.watching = True
    for batch in changes:
        paths = {Path(path) for _, path in batch}
        service.changed |= paths
        _wait_for_git(roots, stop)
        _index(service, [folder for folder in folders if any(path.is_relative_to(folder.root) for path in paths)])
        service.changed -= paths


def _is_ours(path: Path, roots: Iterable[Path]) -> bool:
    root = next((root for root in roots if path.is_relative_to(root)), None)
    return root is not None and _NOT_OURS.isdisjoint(path.relative_to(root).parts)


def _wait_for_git(roots: Iterable[Path], stop: threading.Event) -> None:
    """A checkout or rebase writes many files; reading them halfway would index a state nobody asked for."""
    while any((root / ".git" / "index.lock").exists() for root in roots):
        if stop.wait(_GIT_WAIT_SECONDS):
            return


def _catch_up(service: Service) -> None:
    if service.has_index():
        _index(service, None)


def _index(service: Service, folders: list[Folder] | None) -> None:
    try:
        service.index(folders, IndexOptions(concurrency=service.corpus.config["concurrency"]))
    except GnomonError as e:
        log.warning("changed files are not indexed: %s", e)
