"""One open LanceDB index; see ``gnomon.store.base.Store``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
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
from gnomon.store.lancedb.connections import Connections, Snapshot
from gnomon.store.lancedb.place import Place
from gnomon.store.lancedb.reading import Reading
from gnomon.store.lancedb.words import count_chunks, search_words, words_held
from gnomon.store.lancedb.writer import Writer
from gnomon.store.memory import DocumentMemory, FrequencyMemory
from gnomon.values import WordQuery

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gnomon.store.lancedb.writing import Changes

Result = TypeVar("Result")


class LanceStore:
    """Documents, words and vectors in LanceDB. Serves many threads."""

    def __init__(self, place: Place, fingerprint: Fingerprint, *, writable: bool) -> None:
        self._place = place
        self._fingerprint = fingerprint
        self._writable = writable
        self._connections = Connections(place, fingerprint)
        self._writer = Writer(self._connections)
        self._documents = DocumentMemory()
        self._frequencies = FrequencyMemory()
        self._connections.read(lambda _: None)

    # -- what it is -------------------------------------------------------------------------------------------------
    @property
    def generation(self) -> int:
        """See ``Store``."""
        return self._connections.read(lambda snapshot: snapshot.head.generation)

    def status(self) -> StoreStatus:
        """See ``Store``."""
        return self._connections.read(self._status)

    def _status(self, snapshot: Snapshot) -> StoreStatus:
        head = snapshot.head
        return StoreStatus(
            documents=head.counts.documents,
            skips=head.counts.skips,
            chunks=head.counts.chunks,
            vectors_missing=head.counts.waiting,
            vectors_cached=head.counts.kept,
            size_bytes=self._place.size_bytes(),
            exact=not head.probes,
            generation=head.generation,
            fingerprint=head.stored_fingerprint,
        )

    def get_meta(self, key: str) -> str:
        """See ``Store``."""
        return self._connections.read(lambda snapshot: snapshot.head.meta.get(key, ""))

    def set_meta(self, key: str, value: str) -> None:
        """See ``Store``."""
        self._require_writable()
        with self._writer.commit() as (transaction, following):
            head = transaction.head
            following.append(head.next(meta=dict(head.meta) | {key: value}))

    # -- reading ----------------------------------------------------------------------------------------------------
    def snapshot(self) -> AbstractContextManager[None]:
        """See ``Store``."""
        return self._connections.snapshot()

    def _ask(self, question: Callable[[Reading], Result]) -> Result:
        return self._connections.read(lambda snapshot: question(Reading(snapshot)))

    def folders(self) -> list[str]:
        """See ``Store``; in alphabetical order."""
        return self._ask(Reading.folders)

    def manifest(self, folder: str) -> dict[str, ManifestRow]:
        """See ``Store``."""
        return self._ask(lambda reading: reading.manifest(folder))

    def file_counts(self) -> dict[str, FileCounts]:
        """See ``Store``; in alphabetical order."""
        return self._ask(Reading.file_counts)

    def documents(self) -> Sequence[StoredDocument]:
        """See ``Store``; by id."""

        def ask(reading: Reading) -> Sequence[StoredDocument]:
            return self._documents.all(
                reading.generation, changed=reading.changed_documents, present=reading.document_ids
            )

        return self._ask(ask)

    def unliving_documents(self) -> Sequence[StoredDocument]:
        """See ``Store``; by id."""
        return self._ask(Reading.unliving)

    def partial_documents(self) -> Sequence[StoredDocument]:
        """See ``Store``; by id."""
        return self._ask(Reading.partial)

    def document(self, document_id: int) -> StoredDocument:
        """See ``Store``.

        Raises:
            StoreError: It is gone meanwhile, among others.
        """
        return one_document(self.documents_of((document_id,)), document_id, self._place.name)

    def documents_of(self, document_ids: Iterable[int]) -> dict[int, StoredDocument]:
        """See ``Store``."""
        wanted = [int(number) for number in document_ids]
        return self._ask(lambda reading: reading.documents(wanted)) if wanted else {}

    def find_document(self, folder: str, path: str) -> StoredDocument | None:
        """See ``Store``."""
        return self._ask(lambda reading: reading.find(folder, path))

    def document_frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """See ``Store``."""
        wanted = list(words)
        return self._connections.read(lambda snapshot: self._count(snapshot, wanted))

    def _count(self, snapshot: Snapshot, words: Iterable[str]) -> dict[str, int]:
        def fetch(missing: list[str]) -> dict[str, int]:
            return dict.fromkeys(missing, 0) | count_chunks(snapshot, missing)

        return self._frequencies.count(snapshot.head.generation, words, fetch)

    def words_held(self, words: Collection[str], chunk_ids: Sequence[int]) -> dict[int, frozenset[str]]:
        """See ``Store``."""
        return self._connections.read(lambda snapshot: words_held(snapshot, words, chunk_ids)) if chunk_ids else {}

    def search_words(self, query: WordQuery, *, limit: int, selection: Selection) -> list[tuple[int, float]]:
        """See ``Store``."""
        if limit < 1 or selection.admits_nothing:
            return []
        words = (*query.any_of, *query.all_of, *query.none_of)

        def ask(snapshot: Snapshot) -> list[tuple[int, float]]:
            return search_words(snapshot, query, self._count(snapshot, words), limit=limit, selection=selection)

        return self._connections.read(ask)

    def search_vectors(
        self, vector: NDArray[np.float32], *, limit: int, selection: Selection
    ) -> list[tuple[int, float]]:
        """See ``Store``."""
        from gnomon.store.lancedb.vectors import search_vectors
        from gnomon.store.vectors import unit

        query = unit(vector, self._fingerprint.dim)
        if limit < 1 or selection.admits_nothing:
            return []
        return self._connections.read(
            lambda snapshot: search_vectors(snapshot, query, limit=limit, selection=selection)
        )

    def cosines(self, vector: NDArray[np.float32], chunk_ids: Sequence[int]) -> dict[int, float]:
        """See ``Store``."""
        from gnomon.store.lancedb.vectors import cosines_of
        from gnomon.store.vectors import unit

        query = unit(vector, self._fingerprint.dim)
        return self._connections.read(lambda snapshot: cosines_of(snapshot, query, chunk_ids))

    def vectors_of(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float16]]:
        """See ``Store``."""
        from gnomon.store.lancedb.vectors import stored_vectors

        return self._connections.read(lambda snapshot: stored_vectors(snapshot, keys))

    def chunks(self, chunk_ids: Sequence[int], *, with_text: bool = True) -> list[StoredChunk]:
        """See ``Store``; every text is compared with its checksum."""
        wanted = [int(number) for number in chunk_ids]
        return self._ask(lambda r: r.chunks(wanted, with_text=with_text)) if wanted else []

    def document_chunks(self, document_id: int) -> list[StoredChunk]:
        """See ``Store``."""
        return self._ask(lambda reading: reading.chunks_of(document_id))

    # -- writing ----------------------------------------------------------------------------------------------------
    def _require_writable(self) -> None:
        if not self._writable:
            raise StoreError(f"the index {self._place.name} is open for reading only")

    def _change(self, apply: Callable[[Changes], Result]) -> tuple[Result, int]:
        """The result of a change, and how many chunks it removed."""
        from gnomon.store.lancedb.writing import Changes

        self._require_writable()
        with self._writer.commit() as (transaction, following):
            changes = Changes(transaction, self._fingerprint)
            result = apply(changes)
            following.append(changes.finish())
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
        left = self._connections.read(lambda snapshot: snapshot.head.counts.chunks)
        if is_large_removal(removed_chunks, left):
            self.optimize()

    def pending(self, *, limit: int) -> list[tuple[bytes, str]]:
        """See ``Store``."""
        return self._ask(lambda reading: reading.pending(limit))

    def put_vectors(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """See ``Store``.

        Raises:
            ValueError: The shape is not (len(keys), dim), or a number is not finite.
        """
        check_vectors(keys, vectors, self._fingerprint.dim)
        if keys:
            self._change(lambda changes: changes.put_vectors(keys, vectors))

    def optimize(self) -> None:
        """See ``Store``."""
        self._require_writable()
        self._writer.tidy()

    def close(self) -> None:
        """See ``Store``."""
        self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
