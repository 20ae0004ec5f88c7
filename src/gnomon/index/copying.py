"""Copies one index into another, of any backend, without reading a file or embedding a text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from gnomon.store.base import DocumentWrite, ManifestRow, SkipWrite, Store
from gnomon.values import Chunk, ChunkWords, Document

_DOCUMENTS_PER_BATCH = 64
_TEXTS_PER_BATCH = 1_000
_COPYING = "copying"
# Kept beside the data by other steps.
_META = ("lastRun", "calibration")

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class CopyReport:
    """What was copied.

    Attributes:
        documents: In the new index.
        chunks: In the new index.
        vectors: Copied.
        missing: Chunks that have no vector in either; the next index run embeds them.
    """

    documents: int
    chunks: int
    vectors: int
    missing: int


def is_unfinished(target: Store) -> bool:
    """Whether a copy into this index was interrupted, so that it may be taken up again."""
    return target.get_meta(_COPYING) != ""


@dataclass(frozen=True, slots=True)
class Copy:
    """One index to be copied into another.

    Attributes:
        source: Open for reading.
        target: Open for writing; what an interrupted copy left there is not written again.
        words: (chunk, path, title) to analyzed words, as when it was indexed.
        extractor: Version that the target records; files of another one are marked to be read again.
        on_batch: Told documents done and documents in all.
    """

    source: Store
    target: Store
    words: Callable[[Chunk, str, str], ChunkWords]
    extractor: str
    on_batch: Callable[[int, int], None]

    def run(self) -> CopyReport:
        """Copy all that can be searched; vectors that are only kept for texts that come back are left behind.

        Raises:
            StoreError: One of them cannot be read or written; running again goes on where this ended.
        """
        self.target.set_meta(_COPYING, "begun")
        manifests = {folder: self.source.manifest(folder) for folder in self.source.folders()}
        self._documents(manifests)
        for folder, rows in manifests.items():
            skips = [self._skip(folder, row) for row in rows.values() if row.skip]
            for batch in _batches(skips, _TEXTS_PER_BATCH):
                self.target.write(batch)
        vectors = self._vectors()
        for key in _META:
            if value := self.source.get_meta(key):
                self.target.set_meta(key, value)
        self.target.optimize()
        self.target.set_meta(_COPYING, "")
        status = self.target.status()
        return CopyReport(status.documents, status.chunks, vectors, status.vectors_missing)

    def _documents(self, manifests: Mapping[str, Mapping[str, ManifestRow]]) -> None:
        known = {folder: self.target.manifest(folder) for folder in manifests}
        documents = self.source.documents()
        done = 0
        for batch in _batches(documents, _DOCUMENTS_PER_BATCH):
            writes = []
            for stored in batch:
                document = stored.document
                row = manifests[document.folder].get(document.path)
                if row is None or known[document.folder].get(document.path) == row:
                    continue
                chunks = [each.chunk for each in self.source.document_chunks(stored.id)]
                words = [self.words(chunk, document.path, document.title) for chunk in chunks]
                writes.append(DocumentWrite(self._marked(document, row), chunks, words))
            self.target.write(writes)
            done += len(batch)
            self.on_batch(done, len(documents))

    def _marked(self, document: Document, row: ManifestRow) -> Document:
        """The document, such that the next run reads its file again where another extractor read it."""
        return document if row.extractor == self.extractor else replace(document, sha256="", mtime_ns=0)

    def _skip(self, folder: str, row: ManifestRow) -> SkipWrite:
        assert row.skip is not None  # noqa: S101 - the caller has looked
        if row.extractor != self.extractor:
            return SkipWrite(folder, row.skip)
        return SkipWrite(folder, row.skip, row.size_bytes, row.mtime_ns, row.ctime_ns, row.sha256)

    def _vectors(self) -> int:
        """Give the target's waiting texts the source's vectors, until only texts are left that the source has none of.

        Returns:
            How many were copied.
        """
        import numpy as np

        copied = without = 0
        while True:
            # Those that the source has none of stay in front.
            waiting = self.target.pending(limit=without + _TEXTS_PER_BATCH)[without:]
            if not waiting:
                return copied
            found = self.source.vectors_of([key for key, _ in waiting])
            without += len(waiting) - len(found)
            if found:
                self.target.put_vectors(list(found), np.stack(list(found.values())).astype(np.float32))
                copied += len(found)


def _batches(items: Sequence[Item], size: int) -> Iterator[list[Item]]:
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
