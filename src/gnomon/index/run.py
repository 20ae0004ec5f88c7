"""Carries out an index run: all words first, so that everything is findable within seconds, then the vectors.

Each batch is one transaction; whatever stops the run loses at most the batch that is made and the one that is stored.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

from gnomon.embed.base import Embedder
from gnomon.errors import FolderError
from gnomon.index.ahead import NOTHING_AHEAD, Ahead, AheadOptions, embedding_ahead
from gnomon.index.document import Prepared, Steps, Touched, build
from gnomon.index.events import (
    Embedded,
    FileIndexed,
    FilesFound,
    FileSkipped,
    FolderDone,
    FolderStarted,
    Listener,
    ignore,
)
from gnomon.index.plan import Plan, plan_folder
from gnomon.index.preparing import Crew, Preparing
from gnomon.index.presence import Presence
from gnomon.index.reading import Reading
from gnomon.index.report import FolderReport, IndexReport
from gnomon.index.shard import Shard
from gnomon.store.base import DocumentWrite, ManifestRow, SkipWrite, Store
from gnomon.values import PARTLY, Folder, Skip, SourceFile

# One transaction; small enough that Ctrl-C is answered within a second, large enough that commits do not show. The
# first batches are smaller: some files are found at once, and there is something to embed while the others are read.
_FILES_PER_BATCH = 128
_FILES_AT_FIRST = 8
_BYTES_PER_BATCH = 4_000_000  # several batches are in memory at a time
_TEXTS_PER_BATCH = 256
_BATCHES_PER_LOOK = 4  # at what waits


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """How an index run goes.

    Attributes:
        force: Read every file again, and let an empty folder empty its index.
        max_files: Stop after this many newly indexed files; nothing is pruned then.
        concurrency: Files read at the same time, where reading is slow.
        ahead: What is embedded while files are read.
        shard: The share of files and texts that this run is for; None for all.
        crew: Processes that prepare documents where there are many; None for none.
    """

    force: bool = False
    max_files: int | None = None
    concurrency: int = 4
    ahead: AheadOptions = NOTHING_AHEAD
    shard: Shard | None = None
    crew: Crew | None = None


@dataclass(slots=True)
class _Tally:
    """Counts of one folder while its run goes on; only this module changes it.

    ``before`` is how many files of other folders the run has indexed already.
    """

    before: int = 0
    seen: int = 0
    processed: int = 0
    partly: int = 0
    unchanged: int = 0
    touched: int = 0
    deleted: int = 0
    chunks: int = 0
    reused: int = 0
    redactions: int = 0
    skips: list[Skip] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    truncated: bool = False

    def report(self, folder: Folder) -> FolderReport:
        """The counts as users read them."""
        return FolderReport(
            folder=folder,
            files_processed=self.processed,
            files_partly=self.partly,
            files_unchanged=self.unchanged + self.touched,
            files_deleted=self.deleted,
            chunks_written=self.chunks,
            skips=tuple(sorted(self.skips, key=lambda skip: skip.path)),
            warnings=tuple(self.warnings),
            redactions=self.redactions,
            truncated=self.truncated,
        )


@dataclass(frozen=True, slots=True)
class Run:
    """One index run: what it works on and whom it tells.

    Attributes:
        store: Opened for writing, under the writer's lock.
        embedder: None leaves the vectors for a later run.
        steps: What a document goes through.
        options: How it goes.
        listener: Told each event, from the thread that calls ``index``.
        stop: Asked between batches whether to end early.
    """

    store: Store
    embedder: Embedder | None
    steps: Steps
    options: IndexOptions = IndexOptions()
    listener: Listener = ignore
    stop: Callable[[], bool] = bool

    def index(self, folders: Sequence[Folder]) -> IndexReport:
        """Bring the store in step with these folders.

        Raises:
            FolderError: None of the folders can be read; with several, one that cannot is a warning of its report.
            ModelError: The model stopped answering; the words stay searchable.
            StoreError: The store cannot be written.
        """
        begun = time.monotonic()
        reports: list[FolderReport] = []
        reused = 0
        with embedding_ahead(self.store, self.embedder, self.options.ahead, self.stop) as ahead:
            for position, folder in enumerate(folders, 1):
                if self.stop():
                    break
                self.listener(FolderStarted(folder, position, len(folders)))
                tally = _Tally(before=_processed(reports))
                reports.append(self._folder(folder, tally, ahead, alone=len(folders) == 1))
                reused += tally.reused
                self.listener(FolderDone(reports[-1]))
        early = ahead.done if ahead else 0
        embedded = self._embed(early) if self.embedder else 0
        status = self.store.status()
        return IndexReport(
            folders=tuple(reports),
            chunks_embedded=embedded,
            chunks_reused=reused,
            chunks_pending=status.vectors_missing,
            seconds=time.monotonic() - begun,
            generation=status.generation,
            interrupted=self.stop(),
        )

    def _folder(self, folder: Folder, tally: _Tally, ahead: Ahead | None, *, alone: bool) -> FolderReport:
        try:
            self._bring_in_step(folder, tally, ahead)
        except FolderError as e:
            if alone:
                raise
            tally.warnings.append(f"{e}; its index is kept")
        return tally.report(folder)

    def _bring_in_step(self, folder: Folder, tally: _Tally, ahead: Ahead | None) -> None:
        root = str(folder.root)
        presence = Presence(folder.root)
        manifest = self.store.manifest(root)
        found = self.steps.discover(folder, tally.warnings.append)
        plan = plan_folder(found, manifest, extractor=self.steps.extractor, force=self.options.force)
        presence.check()
        self.listener(FilesFound(len(plan.read), plan.unchanged))
        tally.skips.extend(plan.skips)
        tally.unchanged = plan.unchanged
        with self._reading(folder, plan, {} if self.options.force else manifest) as reading:
            for batch in reading.batches(self._batches(plan, tally)):
                presence.check()
                self._write(root, batch, tally)
                tally.seen += len(batch)
                if self.stop():
                    break
                if ahead and isinstance(reading, Reading):  # processes leave no core idle
                    ahead.wake()
        tally.truncated = tally.seen < len(plan.read)
        presence.check()
        self._write_skips(root, plan, tally)
        tally.deleted = self._prune(root, plan, manifest, tally)

    def _reading(
        self, folder: Folder, plan: Plan, known: Mapping[str, ManifestRow]
    ) -> Reading[SourceFile, Prepared] | Preparing:
        prepare = partial(build, folder, steps=self.steps, known=known)
        crew = self.options.crew
        # With a limit, how many files are read depends on what became of those before.
        if crew and self.options.max_files is None and crew.pays(plan.read):
            return Preparing(crew, folder, known, prepare, self.stop)
        return Reading(prepare, self.options.concurrency)

    def _batches(self, plan: Plan, tally: _Tally) -> Iterator[list[SourceFile]]:
        queue = iter(plan.read)
        limit = self.options.max_files
        size = _FILES_AT_FIRST
        while not self.stop():
            left = size if limit is None else min(size, limit - tally.before - tally.processed)
            files = _up_to(_BYTES_PER_BATCH, islice(queue, max(left, 0)))
            if not files:
                return
            size = min(2 * size, _FILES_PER_BATCH)
            yield files

    def _write(self, root: str, batch: list[Prepared], tally: _Tally) -> None:
        touched = {b.path: (b.size_bytes, b.mtime_ns, b.ctime_ns) for b in batch if isinstance(b, Touched)}
        writes = [b for b in batch if not isinstance(b, Touched)]
        if touched:
            self.store.touch(root, touched)
            tally.touched += len(touched)
        if writes:
            tally.reused += self.store.write(writes)
        for write in writes:
            if isinstance(write, SkipWrite):
                tally.skips.append(write.skip)
                self.listener(FileSkipped(write.skip))
            else:
                self._count(write, tally)

    def _count(self, write: DocumentWrite, tally: _Tally) -> None:
        tally.processed += 1
        tally.chunks += len(write.chunks)
        tally.partly += any(warning.startswith(PARTLY) for warning in write.document.warnings)
        tally.redactions += write.document.redactions
        tally.warnings.extend(f"{write.document.path}: {warning}" for warning in write.document.warnings)
        self.listener(FileIndexed(write.document.path, len(write.chunks)))

    def _write_skips(self, root: str, plan: Plan, tally: _Tally) -> None:
        if plan.new_skips and not tally.truncated:
            self.store.write([SkipWrite(root, skip) for skip in plan.new_skips])
        for skip in plan.skips:
            self.listener(FileSkipped(skip))

    def _prune(self, root: str, plan: Plan, manifest: Mapping[str, ManifestRow], tally: _Tally) -> int:
        """Forget what is gone, unless the run saw only a part, or saw nothing where there were files before.

        A folder that is suddenly empty is most often a disk that is not mounted.
        """
        if tally.truncated or not plan.gone:
            return 0
        if plan.found_nothing and not self.options.force:
            tally.warnings.append(
                f"{root} has no files any more, so its index is kept; if that is right, run: gnomon index --force"
            )
            return 0
        self.store.forget(root, plan.gone)
        return sum(1 for path in plan.gone if manifest[path].skip is None)

    def _embed(self, done: int) -> int:
        """Embed what waits; ``done`` texts of this run have their vector already. Returns how many have it then."""
        total = done + self.store.status().vectors_missing
        with ThreadPoolExecutor(1, thread_name_prefix="gnomon-store") as writer:
            for stored in self._stored(writer):
                done += stored
                self.listener(Embedded(done, max(total, done)))
        return done

    def _stored(self, writer: ThreadPoolExecutor) -> Iterator[int]:
        """Embed batch by batch, each stored while the next is embedded; yields how many are stored."""
        assert self.embedder is not None  # noqa: S101 - the caller has looked
        while not self.stop() and (pending := self.store.pending(limit=_BATCHES_PER_LOOK * _TEXTS_PER_BATCH)):
            write, size = None, 0
            for at in range(0, len(pending), _TEXTS_PER_BATCH):
                if self.stop():
                    break
                keys, texts = zip(*pending[at : at + _TEXTS_PER_BATCH], strict=True)
                vectors = self.embedder.embed_passages(texts)
                if write:
                    write.result()
                    yield size
                write, size = writer.submit(self.store.put_vectors, keys, vectors), len(keys)
            if write:
                write.result()
                yield size


def _up_to(size_bytes: int, files: Iterable[SourceFile]) -> list[SourceFile]:
    """The first of some files, until they have so many bytes together."""
    found: list[SourceFile] = []
    for file in files:
        found.append(file)
        size_bytes -= file.size_bytes
        if size_bytes <= 0:
            break
    return found


def _processed(reports: Sequence[FolderReport]) -> int:
    return sum(report.files_processed for report in reports)
