"""The default store: documents, words and vectors in one SQLite file, changed in one transaction."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from gnomon.errors import StoreError
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
)
from gnomon.store.checks import check_vectors, is_large_removal, one_document
from gnomon.store.connections import Connections, connect_reader, translated
from gnomon.store.memory import DocumentMemory, RowMemory
from gnomon.store.reading import (
    changed_documents,
    document_ids,
    file_counts,
    partial_documents,
    pending,
    read_manifest,
)
from gnomon.store.rows import FROM_DOCUMENTS, HEAD_COLUMNS, TEXT_COLUMNS, path_blob, read_chunk, read_document
from gnomon.store.schema import MAX_CHUNKS, ORDINAL_BITS, read_meta, unmarshal
from gnomon.store.words_arm import WordsArm
from gnomon.values import WordQuery

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from gnomon.store.vectors import VectorSearch
    from gnomon.store.writing import Changes

# Rows remembered within one generation: about 1 kB and 0.7 kB each.
_MAX_DOCUMENTS = 10_000
_MAX_HEADS = 20_000


def open_store(path: Path, *, fingerprint: Fingerprint, writable: bool, replace: bool = False) -> SqliteStore:
    """See ``gnomon.store.open_store``."""
    if writable:
        # What only writers need stays out of a one-shot search.
        from gnomon.store.opening import prepare_writing

        prepare_writing(path, fingerprint, replace=replace)
    return SqliteStore(path, fingerprint, writable=writable)


def has_index(path: Path) -> bool:
    """See ``gnomon.store.has_index``; a run that was killed before it made the tables leaves none."""
    try:
        # A journal beside the file is there only while it is made into one with a log.
        if not path.stat().st_size or Path(f"{path}-journal").exists():
            return False
    except FileNotFoundError:
        return False
    # Never by opening the file ourselves: closing it would drop the locks of every connection of this process, and
    # the last other process would take the log away under them (https://www.sqlite.org/howtocorrupt.html, 2.2).
    with translated(path), closing(connect_reader(path)) as connection:
        return connection.execute("SELECT 1 FROM sqlite_schema").fetchone() is not None


class SqliteStore:
    """One open SQLite index; see ``gnomon.store.base.Store``. Serves many threads.

    Attributes:
        field_weights: Of the words arm; may be set for tuning.
    """

    def __init__(self, path: Path, fingerprint: Fingerprint, *, writable: bool) -> None:
        self.field_weights = FieldWeights()
        self._path = path
        self._files = tuple(f"{path}{ending}" for ending in ("", "-wal", "-shm"))
        self._fingerprint = fingerprint
        self._writable = writable
        self._connections = Connections(path, fingerprint)
        self._documents = DocumentMemory()
        self._some_documents = RowMemory[int, StoredDocument](_MAX_DOCUMENTS)
        self._heads = RowMemory[int, StoredChunk](_MAX_HEADS)
        self._words = WordsArm(self._connections)
        self._vectors: VectorSearch | None = None
        self._lock = threading.Lock()
        self._status: StoreStatus | None = None
        self._words_rows = 0  # written or removed by this store
        self._connections.check()

    # -- what it is -------------------------------------------------------------------------------------------------
    @property
    def generation(self) -> int:
        """See ``Store``."""
        with self._connections.reading() as reader:
            return reader.generation

    def status(self) -> StoreStatus:
        """See ``Store``; counted once per generation."""
        size_bytes = self._size_bytes()
        with self._connections.reading() as reader:
            known = self._status
            if known and (known.generation, known.size_bytes) == (reader.generation, size_bytes):
                return known
            execute = reader.connection.execute
            documents, chunks, missing = execute(
                "SELECT count(*), coalesce(sum(chunk_count), 0), coalesce(sum(missing), 0) FROM documents"
            ).fetchone()
            self._status = StoreStatus(
                documents=documents,
                skips=execute("SELECT count(*) FROM skips").fetchone()[0],
                chunks=chunks,
                vectors_missing=missing,
                vectors_cached=execute("SELECT count(*) FROM vectors WHERE uses = 0").fetchone()[0],
                size_bytes=size_bytes,
                exact=True,
                generation=reader.generation,
                fingerprint=unmarshal(reader.connection),
            )
            return self._status

    def _size_bytes(self) -> int:
        size_bytes = 0
        for path in self._files:
            with suppress(FileNotFoundError):  # the last process to close takes the log along
                size_bytes += os.stat(path).st_size  # noqa: PTH116 - asked for each search
        return size_bytes

    def get_meta(self, key: str) -> str:
        """See ``Store``."""
        with self._connections.reading() as reader:
            return read_meta(reader.connection, f"user.{key}")

    def set_meta(self, key: str, value: str) -> None:
        """See ``Store``."""
        with self._writing() as connection:
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"user.{key}", value))

    # -- reading ----------------------------------------------------------------------------------------------------
    def snapshot(self) -> AbstractContextManager[None]:
        """See ``Store``."""
        return self._connections.snapshot()

    def folders(self) -> list[str]:
        """See ``Store``; in alphabetical order."""
        with self._connections.reading() as reader:
            rows = reader.connection.execute(
                "SELECT root FROM folders AS f WHERE EXISTS (SELECT 1 FROM documents WHERE folder = f.id)"
                " OR EXISTS (SELECT 1 FROM skips WHERE folder = f.id) ORDER BY root"
            )
            return [os.fsdecode(root) for (root,) in rows]

    def manifest(self, folder: str) -> dict[str, ManifestRow]:
        """See ``Store``."""
        with self._connections.reading() as reader:
            return read_manifest(reader.connection, folder)

    def file_counts(self) -> dict[str, FileCounts]:
        """See ``Store``; in alphabetical order."""
        with self._connections.reading() as reader:
            return file_counts(reader.connection)

    def documents(self) -> Sequence[StoredDocument]:
        """See ``Store``; by id."""
        with self._connections.reading() as reader:
            return self._documents.all(
                reader.generation,
                changed=partial(changed_documents, reader.connection),
                present=partial(document_ids, reader.connection),
                source=reader.identity,
            )

    def unliving_documents(self) -> Sequence[StoredDocument]:
        """See ``Store``; by id."""
        with self._connections.reading() as reader:
            rows = reader.connection.execute(f"{FROM_DOCUMENTS} WHERE d.unliving = 1 ORDER BY d.id")
            return tuple(read_document(row) for row in rows)

    def partial_documents(self) -> Sequence[StoredDocument]:
        """See ``Store``; by id."""
        with self._connections.reading() as reader:
            return partial_documents(reader.connection)

    def document(self, document_id: int) -> StoredDocument:
        """See ``Store``.

        Raises:
            StoreError: It is gone meanwhile, among others.
        """
        return one_document(self.documents_of((document_id,)), document_id, self._path)

    def documents_of(self, document_ids: Iterable[int]) -> dict[int, StoredDocument]:
        """See ``Store``."""
        with self._connections.reading() as reader:

            def fetch(numbers: list[int]) -> dict[int, StoredDocument]:
                rows = reader.connection.execute(
                    f"{FROM_DOCUMENTS} WHERE d.id IN (SELECT value FROM json_each(?))",  # noqa: S608 - a constant
                    (json.dumps(numbers),),
                )
                return {row[0]: read_document(row) for row in rows}

            return self._some_documents.read(reader.moment, map(int, document_ids), fetch)

    def find_document(self, folder: str, path: str) -> StoredDocument | None:
        """See ``Store``."""
        try:
            where = (path_blob(folder), path_blob(path))
        except UnicodeEncodeError:
            return None  # no file has such a name
        with self._connections.reading() as reader:
            row = reader.connection.execute(f"{FROM_DOCUMENTS} WHERE f.root = ? AND d.path = ?", where).fetchone()
            return read_document(row) if row else None

    def document_frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """See ``Store``."""
        return self._words.count(words)

    def words_held(self, words: Collection[str], chunk_ids: Sequence[int]) -> dict[int, frozenset[str]]:
        """See ``Store``."""
        return self._words.held(words, chunk_ids)

    def search_words(self, query: WordQuery, *, limit: int, selection: Selection) -> list[tuple[int, float]]:
        """See ``Store``."""
        if limit < 1 or selection.admits_nothing:
            return []
        return self._words.search(query, weights=self.field_weights, limit=limit, selection=selection)

    def search_vectors(
        self, vector: NDArray[np.float32], *, limit: int, selection: Selection
    ) -> list[tuple[int, float]]:
        """See ``Store``."""
        if limit < 1 or selection.admits_nothing:
            return []
        return self._vector_search().search(vector, limit=limit, selection=selection)

    def cosines(self, vector: NDArray[np.float32], chunk_ids: Sequence[int]) -> dict[int, float]:
        """See ``Store``."""
        return self._vector_search().cosines(vector, chunk_ids)

    def vectors_of(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float16]]:
        """See ``Store``."""
        return self._vector_search().stored(keys)

    def _vector_search(self) -> VectorSearch:
        with self._lock:
            if self._vectors is None:
                from gnomon.store.vectors import VectorSearch  # loads numpy

                self._vectors = VectorSearch(self._connections, self._fingerprint.dim)
            return self._vectors

    def chunks(self, chunk_ids: Sequence[int], *, with_text: bool = True) -> list[StoredChunk]:
        """See ``Store``; every text is compared with its checksum."""
        columns = TEXT_COLUMNS if with_text else HEAD_COLUMNS
        wanted = [int(number) for number in chunk_ids]
        with self._connections.reading() as reader:

            def fetch(numbers: list[int]) -> dict[int, StoredChunk]:
                rows = reader.connection.execute(
                    f"SELECT {columns} FROM json_each(?) AS j JOIN texts AS t ON t.id = j.value",  # noqa: S608
                    (json.dumps(numbers),),
                )
                return {row[0]: read_chunk(row) for row in rows}

            found = fetch(wanted) if with_text else self._heads.read(reader.moment, wanted, fetch)
        return [found[number] for number in wanted if number in found]

    def document_chunks(self, document_id: int) -> list[StoredChunk]:
        """See ``Store``."""
        base = document_id << ORDINAL_BITS
        with self._connections.reading() as reader:
            rows = reader.connection.execute(
                f"SELECT {TEXT_COLUMNS} FROM texts AS t WHERE t.id BETWEEN ? AND ? ORDER BY t.id",  # noqa: S608
                (base, base + MAX_CHUNKS - 1),
            )
            return [read_chunk(row) for row in rows]

    # -- writing ----------------------------------------------------------------------------------------------------
    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        if not self._writable:
            raise StoreError(f"the index {self._path} is open for reading only")
        with self._connections.writing() as connection:
            yield connection

    @contextmanager
    def _changing(self) -> Iterator[Changes]:
        from gnomon.store.writing import Changes

        with self._writing() as connection:
            changes = Changes(connection, self._fingerprint)
            yield changes
            changes.finish()
            self._words_rows += changes.words_rows

    def write(self, writes: Sequence[DocumentWrite | SkipWrite]) -> int:
        """See ``Store``.

        Raises:
            ValueError: Chunks and words of a document do not pair up.
        """
        if not writes:
            return 0
        with self._changing() as changes:
            for write in writes:
                if isinstance(write, SkipWrite):
                    changes.put_skip(write)
                else:
                    changes.put_document(write)
        return changes.known_vectors

    def touch(self, folder: str, files: Mapping[str, tuple[int, int, int]]) -> None:
        """See ``Store``."""
        if files:
            with self._changing() as changes:
                for path, times in files.items():
                    changes.touch(folder, path, times)

    def forget(self, folder: str, paths: Collection[str]) -> None:
        """See ``Store``."""
        if paths:
            with self._changing() as changes:
                for path in paths:
                    changes.remove(folder, path)
            self._give_back_space(changes.removed_chunks)

    def forget_folder(self, folder: str) -> int:
        """See ``Store``."""
        with self._changing() as changes:
            documents = changes.remove_folder(folder)
        self._give_back_space(changes.removed_chunks)
        return documents

    def _give_back_space(self, removed_chunks: int) -> None:
        if is_large_removal(removed_chunks, self.status().chunks):
            self.optimize()

    def pending(self, *, limit: int) -> list[tuple[bytes, str]]:
        """See ``Store``."""
        with self._connections.reading() as reader:
            return pending(reader.connection, limit)

    def put_vectors(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """See ``Store``.

        Raises:
            ValueError: The shape is not (len(keys), dim), or a number is not finite.
        """
        check_vectors(keys, vectors, self._fingerprint.dim)
        if keys:
            with self._changing() as changes:
                changes.put_vectors(keys, vectors)

    def optimize(self) -> None:
        """See ``Store``."""
        from gnomon.store.tidying import merge_all, trim

        with self._writing() as connection:
            trim(connection, self._fingerprint.dim)
        merge_all(self._writing)
        self._connections.give_back_space()

    def close(self) -> None:
        """See ``Store``; before, the pieces of the words index that it wrote are put together."""
        rows, self._words_rows = self._words_rows, 0
        try:
            if rows:
                from gnomon.store.tidying import merge_pieces

                merge_pieces(self._writing, rows)
        finally:
            self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
