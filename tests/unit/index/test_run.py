"""An index run over real files, with a store in memory and an embedder that is a pure function of its text."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gnomon.errors import DocumentError, FolderError, ModelError, StoreError
from gnomon.index import run as run_module
from gnomon.index.document import Steps
from gnomon.index.events import Embedded, Event, FileIndexed, FileSkipped
from gnomon.index.report import IndexReport
from gnomon.index.run import IndexOptions, Run
from gnomon.values import Chunk, ChunkWords, Extracted, Folder, Lifecycle, Skip, SkipReason, SourceFile, Span
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.store import FakeStore

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class _Content:
    def __init__(self, data: bytes, file: SourceFile) -> None:
        self.data, self.size_bytes, self.mtime_ns, self.ctime_ns = data, len(data), file.mtime_ns, file.ctime_ns


def _discover(folder: Folder, _warn: Callable[[str], None]) -> Iterator[SourceFile | Skip]:
    if not folder.root.is_dir():
        raise FolderError(f"no such folder: {folder.root}")
    for path in sorted(folder.root.iterdir()):
        stat = path.stat()
        if path.suffix == ".png":
            yield Skip(path.name, SkipReason.BINARY_EXTENSION)
        else:
            yield SourceFile(path.name, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, "plain file")


def _read(folder: Folder, file: SourceFile) -> _Content:
    return _Content((folder.root / file.path).read_bytes(), file)


def _extract(path: str, data: bytes) -> tuple[Extracted, int]:
    if path.startswith("bad"):
        raise DocumentError(SkipReason.DAMAGED, "made so")
    if path.startswith("worse"):
        raise ZeroDivisionError("a parser's own fault")
    return Extracted(data.decode(), "prose", "markdown"), 0


def _chunk(document: Extracted, path: str, start: int) -> list[Chunk]:
    parts = document.text.split("\n")
    return [Chunk(i, Span(0, len(p)), i + 1, i + 1, p) for i, p in enumerate(parts) if p.strip()]


STEPS = Steps(
    discover=_discover,
    read=_read,
    extract=_extract,
    lifecycle=lambda document, path: Lifecycle(),
    chunk=_chunk,
    words=lambda chunk, path, title: ChunkWords(tuple(chunk.text.split())),
    extractor="1",
)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A folder with three texts, old enough not to be racy."""
    root = tmp_path / "docs"
    root.mkdir()
    for name in ("a.md", "b.md", "c.md"):
        _write(root / name, f"{name} one\n{name} two")
    return Folder("docs", root)


def _write(path: Path, text: str, *, age_s: int = 60) -> None:
    path.write_text(text, encoding="utf-8")
    then = time.time_ns() - age_s * 10**9
    os.utime(path, ns=(then, then))


def _run(store: FakeStore, *folders: Folder, **options: object) -> tuple[IndexReport, list[Event]]:
    events: list[Event] = []
    run = Run(store, FakeEmbedder(), STEPS, IndexOptions(**options), events.append)  # type: ignore[arg-type]
    return run.index(folders), events


@pytest.fixture
def store() -> FakeStore:
    """An empty store in memory."""
    return FakeStore()


def test_every_file_is_counted_once(store: FakeStore, folder: Folder) -> None:
    """Indexed, skipped and damaged files add up to what is on disk."""
    (folder.root / "x.png").write_bytes(b"")
    _write(folder.root / "bad.md", "x")
    _write(folder.root / "worse.md", "x")
    report, events = _run(store, folder)
    (only,) = report.folders
    assert (only.files_processed, only.chunks_written) == (3, 6)
    assert [(s.path, s.reason) for s in only.skips] == [
        ("bad.md", SkipReason.DAMAGED),
        ("worse.md", SkipReason.FAULT),
        ("x.png", SkipReason.BINARY_EXTENSION),
    ]
    assert sum(isinstance(e, FileIndexed) for e in events) == 3
    assert sum(isinstance(e, FileSkipped) for e in events) == 3


def test_second_run_embeds_and_reads_nothing(store: FakeStore, folder: Folder) -> None:
    """Without changes there is nothing to do."""
    _run(store, folder)
    report, events = _run(store, folder)
    assert report.folders[0].files_unchanged == 3
    assert not [e for e in events if isinstance(e, (FileIndexed, Embedded))]


def test_touched_files_are_not_extracted_again(store: FakeStore, folder: Folder) -> None:
    """Other times with the same content change only the stored times."""
    _run(store, folder)
    for name in ("a.md", "b.md"):
        _write(folder.root / name, (folder.root / name).read_text(encoding="utf-8"), age_s=30)
    report, events = _run(store, folder)
    assert report.folders[0].files_unchanged == 3
    assert report.chunks_embedded == 0
    assert not [e for e in events if isinstance(e, FileIndexed)]


def test_renamed_file_is_not_embedded_again(store: FakeStore, folder: Folder) -> None:
    """Vectors are kept by content."""
    _run(store, folder)
    (folder.root / "a.md").rename(folder.root / "z.md")
    report, _ = _run(store, folder)
    assert report.folders[0].files_deleted == 1
    assert (report.chunks_embedded, report.chunks_reused) == (0, 2)


def test_gone_file_is_forgotten(store: FakeStore, folder: Folder) -> None:
    """A file that is no longer on disk is in no table."""
    _run(store, folder)
    (folder.root / "a.md").unlink()
    _run(store, folder)
    assert set(store.manifest(str(folder.root))) == {"b.md", "c.md"}


def test_folder_that_is_suddenly_empty_keeps_its_index(store: FakeStore, folder: Folder) -> None:
    """An unmounted disk must not empty the index; ``force`` may."""
    _run(store, folder)
    for path in folder.root.iterdir():
        path.unlink()
    report, _ = _run(store, folder)
    assert "kept" in report.folders[0].warnings[0]
    assert len(store.manifest(str(folder.root))) == 3
    _run(store, folder, force=True)
    assert store.manifest(str(folder.root)) == {}


def test_missing_folder_among_others_costs_only_itself(store: FakeStore, folder: Folder, tmp_path: Path) -> None:
    """The run goes on with the next folder and says what it left."""
    report, _ = _run(store, Folder("gone", tmp_path / "gone"), folder)
    gone, docs = report.folders
    assert "no such folder" in gone.warnings[0]
    assert docs.files_processed == 3


def test_missing_folder_alone_is_an_error(store: FakeStore, tmp_path: Path) -> None:
    """With nothing to do the user is told."""
    with pytest.raises(FolderError):
        _run(store, Folder("gone", tmp_path / "gone"))


def _vanishing(root: Path, *, before_reading: int) -> Steps:
    """Steps during which the folder's disk goes: its mount point stays, as another, empty folder."""
    left = [before_reading]

    def vanish() -> None:
        root.rename(root.parent / "unmounted")
        root.mkdir()

    def discover(folder: Folder, warn: Callable[[str], None]) -> Iterator[SourceFile | Skip]:
        found = list(_discover(folder, warn))
        if folder.root == root and not before_reading:
            vanish()
            found = found[:1]
        return iter(found)

    def read(folder: Folder, file: SourceFile) -> _Content:
        left[0] -= 1
        if left[0] == 0:
            vanish()
        try:
            return _read(folder, file)
        except FileNotFoundError as e:
            raise DocumentError(SkipReason.VANISHED) from e

    return replace(STEPS, discover=discover, read=read)


@pytest.mark.parametrize("before_reading", [0, 1, 2])
def test_folder_that_goes_in_the_middle_of_a_run_loses_nothing(
    store: FakeStore, folder: Folder, tmp_path: Path, before_reading: int
) -> None:
    """Neither while it is listed nor while it is read is anything taken for deleted; other folders go on."""
    _run(store, folder)
    known = store.manifest(str(folder.root))
    other = Folder("other", tmp_path / "other")
    other.root.mkdir()
    _write(other.root / "d.md", "d.md one")
    for name in ("a.md", "b.md", "c.md"):
        _write(folder.root / name, f"{name} new")
    steps = _vanishing(folder.root, before_reading=before_reading)
    report = Run(store, FakeEmbedder(), steps, IndexOptions(concurrency=1)).index([folder, other])
    assert store.manifest(str(folder.root)) == known
    assert "its index is kept" in report.folders[0].warnings[0]
    assert report.folders[1].files_processed == 1


def test_max_files_truncates_and_does_not_prune(store: FakeStore, folder: Folder) -> None:
    """A run that saw only a part deletes nothing."""
    _run(store, folder)
    (folder.root / "a.md").unlink()
    for name in ("x.md", "y.md"):
        _write(folder.root / name, name)
    report, _ = _run(store, folder, max_files=1)
    (only,) = report.folders
    assert (only.files_processed, only.truncated, only.files_deleted) == (1, True, 0)
    assert "a.md" in store.manifest(str(folder.root))


def test_max_files_that_suffices_does_not_truncate(store: FakeStore, folder: Folder) -> None:
    """A limit that is not reached changes nothing."""
    report, _ = _run(store, folder, max_files=3)
    assert report.folders[0].truncated is False


def test_file_written_just_now_is_looked_at_again(store: FakeStore, folder: Folder) -> None:
    """An edit within the same tick of the clock is not missed."""
    now = folder.root / "now.md"
    _write(now, "first", age_s=0)
    _run(store, folder)
    assert store.manifest(str(folder.root))["now.md"].ctime_ns == 0


def test_stopping_keeps_what_was_committed(store: FakeStore, folder: Folder) -> None:
    """An interrupted run says so and leaves its words searchable."""
    stopped: list[bool] = []
    run = Run(store, FakeEmbedder(), STEPS, stop=lambda: bool(stopped), listener=lambda e: _stop_on(e, stopped))
    report = run.index([folder])
    assert report.interrupted
    assert report.chunks_pending == 6
    assert len(store.manifest(str(folder.root))) == 3


def _stop_on(event: Event, stopped: list[bool]) -> None:
    if isinstance(event, FileIndexed):
        stopped.append(True)


def test_without_an_embedder_the_words_are_indexed(store: FakeStore, folder: Folder) -> None:
    """Vectors wait for a later run."""
    report = Run(store, None, STEPS).index([folder])
    assert (report.chunks_embedded, report.chunks_pending) == (0, 6)


class _Failing(FakeEmbedder):
    """Stops answering after some calls."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self._calls = calls

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self._calls -= 1
        if self._calls < 0:
            raise ModelError("the model is gone")
        return super().embed_passages(texts)


def test_what_was_embedded_before_the_model_failed_is_stored(
    store: FakeStore, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch is stored while the next is embedded, also when that one fails."""
    monkeypatch.setattr(run_module, "_TEXTS_PER_BATCH", 2)
    with pytest.raises(ModelError):
        Run(store, _Failing(calls=2), STEPS).index([folder])
    assert store.status().vectors_missing == 6 - 2 * 2


class _Full(FakeStore):
    """A store on a disk without room for vectors."""

    def put_vectors(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        raise StoreError("the disk is full")


@pytest.mark.parametrize("texts", [1, 256])
def test_vectors_that_cannot_be_stored_are_an_error(
    folder: Folder, texts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the last batch and of one before it."""
    monkeypatch.setattr(run_module, "_TEXTS_PER_BATCH", texts)
    with pytest.raises(StoreError):
        Run(_Full(), FakeEmbedder(), STEPS).index([folder])


def test_progress_counts_what_is_stored(store: FakeStore, folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is told of so many vectors finds at least as many."""
    monkeypatch.setattr(run_module, "_TEXTS_PER_BATCH", 2)
    found: list[tuple[int, int]] = []

    def listener(event: Event) -> None:
        if isinstance(event, Embedded):
            found.append((event.done, 6 - store.status().vectors_missing))

    Run(store, FakeEmbedder(), STEPS, listener=listener).index([folder])

    assert [done for done, _ in found] == [2, 4, 6]
    assert all(done <= stored for done, stored in found)
