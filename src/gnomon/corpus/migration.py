"""Moves the index of a corpus to another kind of store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.config import Config, is_local
from gnomon.config import index_place as index_folder
from gnomon.corpus import parts
from gnomon.corpus.places import index_place
from gnomon.corpus.writing import alone
from gnomon.errors import UsageError
from gnomon.index.copying import Copy, CopyReport, is_unfinished
from gnomon.index.events import Listener, ignore

if TYPE_CHECKING:
    from gnomon.corpus import Corpus


@dataclass(frozen=True, slots=True)
class Destination:
    """Where an index is to be.

    Attributes:
        backend: A value of ``storeBackend``.
        index_path: Value of ``indexPath`` from then on.
        place: What ``gnomon.store.open_store`` takes.
    """

    backend: str
    index_path: str
    place: Path | str


def destination(config: Config, backend: str, index_path: str | None) -> Destination:
    """Where a backend keeps the index of these settings.

    Args:
        config: As they are.
        backend: Asked for.
        index_path: As it would stand in the settings; None for the present one, where the backend can use it.

    Raises:
        UsageError: It is where the index already is.
    """
    present = str(config["indexPath"])
    if index_path is None:
        index_path = present if is_local(present) else ""
    index_dir = config.index_dir if index_path == present else index_folder(config.file, index_path)
    changed = replace(
        config, values={**config.values, "storeBackend": backend, "indexPath": index_path}, index_dir=index_dir
    )
    place = index_place(changed, backend)
    if backend == config["storeBackend"] and place == index_place(config, backend):
        raise UsageError(f"the index is already there: {place}")
    return Destination(backend, index_path, place)


def migrate(
    corpus: Corpus, to: Destination, *, on_batch: Callable[[int, int], None], listener: Listener = ignore
) -> CopyReport:
    """Copy the index of a corpus; the old one stays as it is, and the settings too.

    Args:
        corpus: Indexed.
        to: Where the copy goes.
        on_batch: Told documents done and documents in all.
        listener: Told while another process writes.

    Raises:
        UsageError: The destination already holds an index.
        StoreError: One of the two cannot be read or written; calling again goes on where this ended.
    """
    from gnomon.store import open_store

    config, fingerprint = corpus.config, corpus.fingerprint()
    with alone(corpus, listener):
        source = corpus.store()
        with source.snapshot(), open_store(to.backend, to.place, fingerprint=fingerprint, writable=True) as target:
            if target.status().documents and not is_unfinished(target):
                raise UsageError(f"{to.place} already holds an index; remove it, or name another place: --index")
            steps = parts.index_steps(config, corpus.embedder, corpus.extractor, corpus.rules)
            return Copy(source, target, steps.words, fingerprint.extractor, on_batch).run()
