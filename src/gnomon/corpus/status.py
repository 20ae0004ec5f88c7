"""What the index is and holds, as values and as the fields that users read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.corpus.places import shown_place
from gnomon.store.base import FileCounts, Store, StoreStatus
from gnomon.values import PARTLY, Document, Folder, display_path

if TYPE_CHECKING:
    from gnomon.corpus import Corpus


@dataclass(frozen=True, slots=True)
class FolderStatus:
    """What is known of one folder.

    Attributes:
        folder: Which.
        documents: Indexed files.
        skips: Number of skipped files by reason.
        partly: Number of indexed files whose text is not the whole of them.
        indexed: Whether anything of it is in the index.
    """

    folder: Folder
    documents: int
    skips: dict[str, int]
    partly: int
    indexed: bool


@dataclass(frozen=True, slots=True)
class CorpusStatus:
    """What the index is and holds.

    Attributes:
        index_dir: Where it is: a folder, or what names it in a bucket or a database.
        model: Id of the model in the settings.
        store: None where nothing is indexed yet.
        folders: Those that are on disk.
        missing: Folders of the settings that are not on disk.
        last_run: ISO time of the end of the last index run, or "".
        running: As ``running_line`` has it, of whatever process.
    """

    index_dir: Path | str
    model: str
    store: StoreStatus | None
    folders: tuple[FolderStatus, ...]
    missing: tuple[Path, ...]
    last_run: str
    running: str


def status_of(corpus: Corpus) -> CorpusStatus:
    """See ``Corpus.status``."""
    running = running_line(corpus.config.index_dir)  # first: what it still writes is then counted, not missing
    store = corpus.store() if corpus.is_indexed() else None
    return CorpusStatus(
        index_dir=shown_place(corpus.config),
        model=corpus.embedder.spec.id,
        store=store.status() if store else None,
        folders=folder_statuses(corpus.folders, store),
        missing=corpus.config.missing,
        last_run=store.get_meta("lastRun") if store else "",
        running=running,
    )


def folder_statuses(folders: Sequence[Folder], store: Store | None) -> tuple[FolderStatus, ...]:
    """A row per folder."""
    counts = store.file_counts() if store else {}
    partly = Counter(document.folder for document, _ in partly_read(store)) if store else Counter[str]()
    rows = []
    for folder in folders:
        root = str(folder.root)
        found = counts.get(root, FileCounts(0, {}))
        rows.append(FolderStatus(folder, found.documents, dict(found.skips), partly[root], indexed=root in counts))
    return tuple(rows)


def first_step(*, has_folders: bool, missing: Sequence[Path]) -> str:
    """What a person does so that something is found, where nothing is indexed.

    Args:
        has_folders: The settings name some that are on disk.
        missing: Those they name that are not.
    """
    if has_folders:
        return "run: gnomon index"
    if missing:
        return f"bring back {', '.join(map(str, missing))}, or add another folder: gnomon add PATH"
    return "add a folder: gnomon add PATH, then run: gnomon index"


def running_line(index_dir: Path) -> str:
    """How far the index run at work is, and its process; "" where there is none."""
    from gnomon.index.activity import run_at_work

    run = run_at_work(index_dir)
    return f"{run.line()} (id {run.pid})" if run else ""


def partly_read(store: Store) -> Iterator[tuple[Document, str]]:
    """The documents whose text is not the whole of them, each with what is missing."""
    for stored in store.partial_documents():
        missing = (w.removeprefix(PARTLY) for w in stored.document.warnings if w.startswith(PARTLY))
        yield stored.document, " ".join(missing)


def status_fields(status: CorpusStatus) -> dict[str, Any]:
    """The state of the index in one shape for the command line's JSON and the server's."""
    store = status.store
    return {
        "indexDir": display_path(str(status.index_dir)),
        "indexed": store is not None,
        "model": status.model,
        "modelFingerprint": store.fingerprint.model if store else "",
        "documents": store.documents if store else 0,
        "chunks": store.chunks if store else 0,
        "vectorsMissing": store.vectors_missing if store else 0,
        "sizeBytes": store.size_bytes if store else 0,
        "exact": store.exact if store else True,
        "generation": store.generation if store else 0,
        "lastRun": status.last_run,
        "running": status.running,
        "folders": [
            {
                "name": display_path(row.folder.name),
                "path": display_path(str(row.folder.root)),
                "indexed": row.indexed,
                "documents": row.documents,
                "skipped": row.skips,
                "partly": row.partly,
            }
            for row in status.folders
        ],
        "missingFolders": [display_path(str(path)) for path in status.missing],
    }
