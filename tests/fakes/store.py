"""A store in memory: exact BM25 as FTS5 computes it, exact cosines, the whole protocol."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Self

from gnomon.store.base import (
    DocumentWrite,
    FieldWeights,
    FileCounts,
    Fingerprint,
    ManifestRow,
    Selection,
    SkipWrite,
    StoredChunk,
    StoredDocument,
    StoreStatus,
    text_key,
)
from gnomon.values import PARTLY, Chunk, ChunkWords, Document, Status, WordQuery

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_K1, _B = 1.2, 0.75


@dataclass(slots=True)
class _Row:
    chunk: Chunk
    document_id: int
    weighted: Mapping[str, float]
    length: int


@dataclass(slots=True)
class _Entry:
    row: ManifestRow
    document_id: int = 0


@dataclass(eq=False)
class FakeStore:
    """Keeps everything in dictionaries; one thread at a time."""

    fingerprint: Fingerprint = field(default_factory=lambda: Fingerprint(1, "fake", 3, "1", "1", "1"))
    generation: int = 0
    _meta: dict[str, str] = field(default_factory=dict)
    _entries: dict[tuple[str, str], _Entry] = field(default_factory=dict)
    _documents: dict[int, StoredDocument] = field(default_factory=dict)
    _rows: dict[int, _Row] = field(default_factory=dict)
    _postings: dict[str, dict[int, float]] = field(default_factory=dict)
    _vectors: dict[bytes, NDArray[np.float32]] = field(default_factory=dict)
    _ids: Iterable[int] = field(default_factory=lambda: itertools.count(1))

    # -- what it is
    def status(self) -> StoreStatus:
        """See ``Store.status``."""
        missing = sum(text_key(row.chunk.embedded) not in self._vectors for row in self._rows.values())
        return StoreStatus(
            documents=len(self._documents),
            skips=sum(entry.row.skip is not None for entry in self._entries.values()),
            chunks=len(self._rows),
            vectors_missing=missing,
            vectors_cached=len(self._vectors),
            size_bytes=0,
            exact=True,
            generation=self.generation,
            fingerprint=self.fingerprint,
        )

    def get_meta(self, key: str) -> str:
        """See ``Store.get_meta``."""
        return self._meta.get(key, "")

    def set_meta(self, key: str, value: str) -> None:
        """See ``Store.set_meta``."""
        self._meta[key] = value

    # -- reading
    def snapshot(self) -> AbstractContextManager[None]:
        """See ``Store``; a thread has the store for itself."""
        return nullcontext()

    def folders(self) -> list[str]:
        """See ``Store.folders``."""
        return sorted({folder for folder, _ in self._entries})

    def manifest(self, folder: str) -> dict[str, ManifestRow]:
        """See ``Store.manifest``."""
        return {path: entry.row for (root, path), entry in self._entries.items() if root == folder}

    def file_counts(self) -> dict[str, FileCounts]:
        """See ``Store.file_counts``."""
        counts = {}
        for folder in self.folders():
            rows = self.manifest(folder).values()
            skips = Counter(str(row.skip.reason) for row in rows if row.skip)
            counts[folder] = FileCounts(len(rows) - skips.total(), skips)
        return counts

    def documents(self) -> Sequence[StoredDocument]:
        """See ``Store.documents``."""
        return list(self._documents.values())

    def unliving_documents(self) -> Sequence[StoredDocument]:
        """See ``Store.unliving_documents``."""
        return [
            each
            for each in self._documents.values()
            if each.document.status != Status.LIVING
            or each.document.expires
            or each.document.successors
            or each.document.supersedes
        ]

    def partial_documents(self) -> Sequence[StoredDocument]:
        """See ``Store.partial_documents``."""
        return [each for each in self._documents.values() if any(w.startswith(PARTLY) for w in each.document.warnings)]

    def document(self, document_id: int) -> StoredDocument:
        """See ``Store.document``."""
        return self._documents[document_id]

    def documents_of(self, document_ids: Iterable[int]) -> dict[int, StoredDocument]:
        """See ``Store.documents_of``."""
        return {number: self._documents[number] for number in document_ids if number in self._documents}

    def find_document(self, folder: str, path: str) -> StoredDocument | None:
        """See ``Store.find_document``."""
        entry = self._entries.get((folder, path))
        return self._documents.get(entry.document_id) if entry else None

    def document_frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """See ``Store.document_frequencies``."""
        return {word: len(self._postings.get(word, ())) for word in words}

    def words_held(self, words: Collection[str], chunk_ids: Sequence[int]) -> dict[int, frozenset[str]]:
        """See ``Store``."""
        return {
            chunk: frozenset(word for word in words if chunk in self._postings.get(word, {})) for chunk in chunk_ids
        }

    def search_words(self, query: WordQuery, *, limit: int, selection: Selection) -> list[tuple[int, float]]:
        """See ``Store.search_words``."""
        scores: dict[int, float] = {}
        average = sum(row.length for row in self._rows.values()) / len(self._rows) if self._rows else 1.0
        for word in dict.fromkeys((*query.any_of, *(w for w in query.all_of if w not in query.any_of))):
            posting = self._postings.get(word, {})
            idf = max(1e-6, math.log((len(self._rows) - len(posting) + 0.5) / (len(posting) + 0.5)))
            for chunk, count in posting.items():
                norm = _K1 * (1 - _B + _B * self._rows[chunk].length / average)
                scores[chunk] = scores.get(chunk, 0.0) + idf * count * (_K1 + 1) / (count + norm)
        found = [
            (chunk, score)
            for chunk, score in scores.items()
            if self._admits(chunk, selection)
            and all(chunk in self._postings.get(word, {}) for word in query.all_of)
            and not any(chunk in self._postings.get(word, {}) for word in query.none_of)
        ]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:limit]

    def search_vectors(
        self, vector: NDArray[np.float32], *, limit: int, selection: Selection
    ) -> list[tuple[int, float]]:
        """See ``Store.search_vectors``."""
        ids = [chunk for chunk in self._rows if self._admits(chunk, selection)]
        return sorted(self.cosines(vector, ids).items(), key=lambda pair: (-pair[1], pair[0]))[:limit]

    def cosines(self, vector: NDArray[np.float32], chunk_ids: Sequence[int]) -> dict[int, float]:
        """See ``Store.cosines``."""
        found: dict[int, float] = {}
        for chunk in chunk_ids:
            stored = self._vectors.get(text_key(self._rows[chunk].chunk.embedded)) if chunk in self._rows else None
            if stored is not None:
                found[chunk] = float(stored @ vector)
        return found

    def vectors_of(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float16]]:
        """See ``Store.vectors_of``."""
        return {key: self._vectors[key].astype("float16") for key in keys if key in self._vectors}

    def chunks(self, chunk_ids: Sequence[int], *, with_text: bool = True) -> list[StoredChunk]:
        """See ``Store.chunks``."""
        return [self._stored(chunk, with_text=with_text) for chunk in chunk_ids if chunk in self._rows]

    def document_chunks(self, document_id: int) -> list[StoredChunk]:
        """See ``Store.document_chunks``."""
        ids = [chunk for chunk, row in self._rows.items() if row.document_id == document_id]
        return sorted(self.chunks(ids), key=lambda stored: stored.chunk.ordinal)

    # -- writing
    def write(self, writes: Sequence[DocumentWrite | SkipWrite]) -> int:
        """See ``Store.write``."""
        known = 0
        for write in writes:
            if isinstance(write, SkipWrite):
                self._write_skip(write)
            else:
                known += self._write_document(write)
        self.generation += 1
        return known

    def touch(self, folder: str, files: Mapping[str, tuple[int, int, int]]) -> None:
        """See ``Store.touch``."""
        for path, (size_bytes, mtime_ns, ctime_ns) in files.items():
            entry = self._entries[(folder, path)]
            entry.row = replace(entry.row, size_bytes=size_bytes, mtime_ns=mtime_ns, ctime_ns=ctime_ns)

    def forget(self, folder: str, paths: Collection[str]) -> None:
        """See ``Store.forget``."""
        for path in paths:
            self._remove(folder, path)
        self.generation += 1

    def forget_folder(self, folder: str) -> int:
        """See ``Store.forget_folder``."""
        paths = list(self.manifest(folder))
        before = len(self._documents)
        self.forget(folder, paths)
        return before - len(self._documents)

    def pending(self, *, limit: int) -> list[tuple[bytes, str]]:
        """See ``Store.pending``."""
        texts = {
            text_key(row.chunk.embedded): row.chunk.embedded for _, row in sorted(self._rows.items(), reverse=True)
        }
        return [(key, text) for key, text in texts.items() if key not in self._vectors][:limit]

    def put_vectors(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """See ``Store.put_vectors``."""
        self._vectors.update(zip(keys, vectors, strict=True))
        self.generation += 1

    def optimize(self) -> None:
        """See ``Store.optimize``."""
        used = {text_key(row.chunk.embedded) for row in self._rows.values()}
        self._vectors = {key: vector for key, vector in self._vectors.items() if key in used}

    def close(self) -> None:
        """Nothing is held."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # -- inside
    def _admits(self, chunk: int, selection: Selection) -> bool:
        document = self._rows[chunk].document_id
        return (selection.only is None or document in selection.only) and document not in selection.without

    def _stored(self, chunk: int, *, with_text: bool) -> StoredChunk:
        row = self._rows[chunk]
        return StoredChunk(chunk, row.document_id, row.chunk if with_text else replace(row.chunk, text=""))

    def _write_skip(self, write: SkipWrite) -> None:
        self._remove(write.folder, write.skip.path)
        row = ManifestRow(write.size_bytes, write.mtime_ns, write.ctime_ns, write.sha256, "", 0, write.skip)
        self._entries[(write.folder, write.skip.path)] = _Entry(row)

    def _write_document(self, write: DocumentWrite) -> int:
        document = write.document
        self._remove(document.folder, document.path)
        number = self._next()
        self._documents[number] = StoredDocument(number, document, len(write.chunks))
        self._entries[(document.folder, document.path)] = _Entry(self._manifest_row(document, write), number)
        known = 0
        for chunk, words in zip(write.chunks, write.words, strict=True):
            self._add(chunk, words, number)
            known += text_key(chunk.embedded) in self._vectors
        return known

    def _manifest_row(self, document: Document, write: DocumentWrite) -> ManifestRow:
        return ManifestRow(
            document.size_bytes,
            document.mtime_ns,
            document.ctime_ns,
            document.sha256,
            self.fingerprint.extractor,
            len(write.chunks),
        )

    def _add(self, chunk: Chunk, words: ChunkWords, document_id: int) -> None:
        number = self._next()
        weighted: dict[str, float] = {}
        length = 0
        for name, weight in asdict(FieldWeights()).items():
            for word in getattr(words, name):
                weighted[word] = weighted.get(word, 0.0) + weight
                length += 1
        self._rows[number] = _Row(chunk, document_id, weighted, length)
        for word, count in weighted.items():
            self._postings.setdefault(word, {})[number] = count

    def _remove(self, folder: str, path: str) -> None:
        entry = self._entries.pop((folder, path), None)
        if entry is None or not entry.document_id:
            return
        del self._documents[entry.document_id]
        for chunk in [chunk for chunk, row in self._rows.items() if row.document_id == entry.document_id]:
            for word in self._rows.pop(chunk).weighted:
                del self._postings[word][chunk]

    def _next(self) -> int:
        return next(iter(self._ids))
