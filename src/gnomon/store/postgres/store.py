"""One open corpus in PostgreSQL; see ``gnomon.store.base.Store``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Self, TypeVar

from gnomon.errors import StoreError
from gnomon.store.base import (
    DocumentWrite,
    FileCounts,
    Fingerprint,
    ManifestRow,
    Selection,
    SkipWrite,
    StoredChunk,
    StoredDocument,
    StoreStatus,
)
from gnomon.store.checks import check_pairs, check_vectors, is_large_removal, one_document
from gnomon.store.memory import DocumentMemory
from gnomon.store.postgres import reading
from gnomon.store.postgres.connections import Connections, Reader
from gnomon.store.postgres.place import Place
from gnomon.store.postgres.tidying import tidy
from gnomon.store.postgres.words import look_up, search_words, words_held
from gnomon.values import WordQuery

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gnomon.store.postgres.writing import Changes

Result = TypeVar("Result")

# Commits after which dead rows are given back, where the server does not do so by itself in time.
_COMMITS_PER_TIDYING = 200


class PostgresStore:
    """Documents, words and vectors of one corpus in PostgreSQL. Serves many threads."""

    def __init__(self, place: Place, fingerprint: Fingerprint, *, writable: bool) -> None:
        self._place = place
        self._fingerprint = fingerprint
        self._writable = writable
        self._connections = Connections(place, fingerprint)
        self._documents = DocumentMemory()
        self._connections.read(lambda _: None)

    # -- what it is -------------------------------------------------------------------------------------------------
    @property
    def generation(self) -> int:
        """See ``Store``."""
        return self._connections.read(lambda reader: reader.state.generation)

    def status(self) -> StoreStatus:
        """See ``Store``."""
        return self._connections.read(self._status)

    def _status(self, reader: Reader) -> StoreStatus:
        state = reader.state
        return StoreStatus(
            documents=state.documents,
            skips=state.skips,
            chunks=state.chunks,
            vectors_missing=state.waiting,
            vectors_cached=state.kept,
            size_bytes=reading.size_bytes(reader),
            exact=not state.effort,
            generation=state.generation,
            fingerprint=state.stored_fingerprint,
        )

    def get_meta(self, key: str) -> str:
        """See ``Store``."""

        def ask(reader: Reader) -> str:
            row = reader.execute("SELECT value FROM {s}.meta WHERE key = %s", (f"user.{key}",)).fetchone()
            return str(row[0]) if row else ""

        return self._connections.read(ask)

    def set_meta(self, key: str, value: str) -> None:
        """See ``Store``."""
        self._require_writable()
        statement = "INSERT INTO {s}.meta VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        self._connections.write(lambda writer: writer.execute(statement, (f"user.{key}", value)))

    # -- reading ----------------------------------------------------------------------------------------------------
    def snapshot(self) -> AbstractContextManager[None]:
        """See ``Store``."""
        return self._connections.snapshot()

    def folders(self) -> list[str]:
        """See ``Store``; in alphabetical order."""
        return self._connections.read(reading.folders)

    def manifest(self, folder: str) -> dict[str, ManifestRow]:
        """See ``Store``."""
        return self._connections.read(lambda reader: reading.manifest(reader, folder))

    def file_counts(self) -> dict[str, FileCounts]:
        """See ``Store``; in alphabetical order."""
        return self._connections.read(reading.file_counts)

    def documents(self) -> Sequence[StoredDocument]:
        """See ``Store``; by id."""

        def ask(reader: Reader) -> Sequence[StoredDocument]:
            return self._documents.all(
                reader.state.generation,
                changed=partial(reading.changed_documents, reader),
                present=partial(reading.document_ids, reader),
            )

        return self._connections.read(ask)

    def unliving_documents(self) -> Sequence[StoredDocument]:
        """See ``Store``; by id."""
        return self._connections.read(reading.unliving)

    def partial_documents(self) -> Sequence[StoredDocument]:
        """See ``Store``; by id."""
        return self._connections.read(reading.partial)

    def document(self, document_id: int) -> StoredDocument:
        """See ``Store``.

        Raises:
            StoreError: It is gone meanwhile, among others.
        """
        return one_document(self.documents_of((document_id,)), document_id, self._place.name)

    def documents_of(self, document_ids: Iterable[int]) -> dict[int, StoredDocument]:
        """See ``Store``."""
        wanted = [int(number) for number in document_ids]
        return self._connections.read(lambda reader: reading.documents_by_id(reader, wanted)) if wanted else {}

    def find_document(self, folder: str, path: str) -> StoredDocument | None:
        """See ``Store``."""
        return self._connections.read(lambda reader: reading.find(reader, folder, path))

    def document_frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """See ``Store``."""
        wanted = list(dict.fromkeys(words))
        known = self._connections.read(lambda reader: look_up(reader, wanted))
        return {word: known[word].chunks if word in known else 0 for word in wanted}

    def words_held(self, words: Collection[str], chunk_ids: Sequence[int]) -> dict[int, frozenset[str]]:
        """See ``Store``."""
        return self._connections.read(lambda reader: words_held(reader, words, chunk_ids)) if chunk_ids else {}

    def search_words(self, query: WordQuery, *, limit: int, selection: Selection) -> list[tuple[int, float]]:
        """See ``Store``."""
        if limit < 1 or selection.admits_nothing:
            return []
        words = dict.fromkeys((*query.any_of, *query.all_of, *query.none_of))
        return self._connections.read(
            lambda reader: search_words(reader, query, look_up(reader, words), limit=limit, selection=selection)
        )

    def search_vectors(
        self, vector: NDArray[np.float32], *, limit: int, selection: Selection
    ) -> list[tuple[int, float]]:
        """See ``Store``."""
        from gnomon.store.postgres.vectors import search_vectors
        from gnomon.store.vectors import unit

        query = unit(vector, self._fingerprint.dim)
        if limit < 1 or selection.admits_nothing:
            return []

        return self._connections.read(lambda reader: search_vectors(reader, query, limit=limit, selection=selection))

    def cosines(self, vector: NDArray[np.float32], chunk_ids: Sequence[int]) -> dict[int, float]:
        """See ``Store``."""
        from gnomon.store.postgres.vectors import cosines_of
        from gnomon.store.vectors import unit

        query = unit(vector, self._fingerprint.dim)
        return self._connections.read(lambda reader: cosines_of(reader, query, chunk_ids))

    def vectors_of(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float16]]:
        """See ``Store``."""
        from gnomon.store.postgres.vectors import stored_vectors

        return self._connections.read(lambda reader: stored_vectors(reader, keys))

    def chunks(self, chunk_ids: Sequence[int], *, with_text: bool = True) -> list[StoredChunk]:
        """See ``Store``; every text is compared with its checksum."""
        wanted = [int(number) for number in chunk_ids]
        return self._connections.read(lambda r: reading.chunks(r, wanted, with_text=with_text)) if wanted else []

    def document_chunks(self, document_id: int) -> list[StoredChunk]:
        """See ``Store``."""
        return self._connections.read(lambda reader: reading.document_chunks(reader, document_id))

    # -- writing ----------------------------------------------------------------------------------------------------
    def _require_writable(self) -> None:
        if not self._writable:
            raise StoreError(f"the index {self._place.name} is open for reading only")

    def _change(self, apply: Callable[[Changes], Result]) -> tuple[Result, int]:
        """The result of a change, and how many chunks it removed."""
        from gnomon.store.postgres.writing import Changes

        self._require_writable()

        def work(writer: Reader) -> tuple[Result, Changes, int]:
            changes = Changes(writer, self._fingerprint)
            result = apply(changes)
            changes.finish()
            return result, changes, writer.state.commits

        result, changes, commits = self._connections.write(work)
        changes.committed()
        if commits >= _COMMITS_PER_TIDYING:
            tidy(self._connections, thorough=False)
        return result, changes.removed_chunks

    def write(self, writes: Sequence[DocumentWrite | SkipWrite]) -> int:
        """See ``Store``.

        Raises:
            ValueError: Chunks and words of a document do not pair up.
        """
        check_pairs(writes)
        return self._change(lambda changes: changes.write(writes))[0] if writes else 0

    def touch(self, folder: str, files: Mapping[str, tuple[int, int, int]]) -> None:
        """See ``Store``."""
        if files:
            self._change(lambda changes: changes.touch(folder, files))

    def forget(self, folder: str, paths: Collection[str]) -> None:
        """See ``Store``."""
        if paths:
            self._give_back_space(self._change(lambda changes: changes.forget(folder, paths))[1])

    def forget_folder(self, folder: str) -> int:
        """See ``Store``."""
        documents, removed_chunks = self._change(lambda changes: changes.forget_folder(folder))
        self._give_back_space(removed_chunks)
        return documents

    def _give_back_space(self, removed_chunks: int) -> None:
        left = self._connections.read(lambda reader: reader.state.chunks)
        if is_large_removal(removed_chunks, left):
            self.optimize()

    def pending(self, *, limit: int) -> list[tuple[bytes, str]]:
        """See ``Store``."""
        return self._connections.read(lambda reader: reading.pending(reader, limit))

    def put_vectors(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """See ``Store``.

        Raises:
            ValueError: The shape is not (len(keys), dim), or a number is not finite.
        """
        check_vectors(keys, vectors, self._fingerprint.dim)
        if keys:
            self._change(lambda changes: changes.put_vectors(keys, vectors))

    def claim(self, keys: Sequence[bytes], owner: str, seconds: int) -> set[bytes]:
        """See ``gnomon.index.shard.Leasing``; a lease ends with its time, or when the vector comes.

        Vectors may have come since the caller read what waits, or be coming: such a text is nobody's to embed again.
        """
        self._require_writable()
        if not keys:
            return set()
        with self._connections.alone() as writer:
            rows = writer.execute(
                "WITH still AS (SELECT key FROM {s}.waiting WHERE key = ANY(%s) FOR KEY SHARE SKIP LOCKED)"
                " INSERT INTO {s}.leases AS l SELECT DISTINCT key, %s, now() + make_interval(secs => %s)"
                " FROM still ORDER BY key ON CONFLICT (key) DO UPDATE"
                " SET owner = excluded.owner, expires = excluded.expires"
                " WHERE l.expires < now() OR l.owner = excluded.owner RETURNING key",
                (list(keys), owner, seconds),
            )
            return {bytes(key) for (key,) in rows}

    def optimize(self) -> None:
        """See ``Store``."""
        self._require_writable()
        tidy(self._connections, thorough=True)

    def close(self) -> None:
        """See ``Store``."""
        self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
