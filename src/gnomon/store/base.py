"""What every store promises: one place for documents, chunks, words and vectors, changed in transactions.

A backend gives two ranked lists, words and vectors; fusion and filters over documents are not its business beyond
keeping to the ids it is told. Words arrive analyzed; no text is ever query syntax.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

from gnomon.values import Chunk, ChunkWords, Document, Skip, WordQuery

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """All that shaped what is stored; a store of another fingerprint is refused.

    Attributes:
        schema: Of the store's own tables.
        model: ``Embedder.fingerprint``.
        dim: Length of a vector.
        analyzer: Version of the analyzer.
        chunker: Version and limits of the chunkers.
        extractor: Version of the extractors; older documents are read again, not refused.
    """

    schema: int
    model: str
    dim: int
    analyzer: str
    chunker: str
    extractor: str


@dataclass(frozen=True, slots=True)
class ManifestRow:
    """What the store knows of one file, indexed or skipped; what planning compares with the disk."""

    size_bytes: int
    mtime_ns: int
    ctime_ns: int
    sha256: str
    extractor: str
    chunk_count: int
    skip: Skip | None = None


@dataclass(frozen=True, slots=True)
class FileCounts:
    """How many files of one folder are stored: indexed ones, and skipped ones by reason as users read it."""

    documents: int
    skips: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document with its id in this store."""

    id: int
    document: Document
    chunk_count: int


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk with its id and document id in this store; ``chunk.text`` is "" where only the head was asked for.

    Ids of one document's chunks follow each other as their ordinals do: ``id - chunk.ordinal`` is the same for all.
    """

    id: int
    document_id: int
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class DocumentWrite:
    """One document to be put in place of whatever is stored at its folder and path."""

    document: Document
    chunks: Sequence[Chunk]
    words: Sequence[ChunkWords]


@dataclass(frozen=True, slots=True)
class SkipWrite:
    """One file that is not indexed, to be put in place of whatever is stored at its folder and path.

    ``sha256`` is "" where the file was not read; ``size_bytes`` and times are 0 where they are not known.
    """

    folder: str
    skip: Skip
    size_bytes: int = 0
    mtime_ns: int = 0
    ctime_ns: int = 0
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which documents an arm may return: only these ids (None: all), and none of those."""

    only: frozenset[int] | None = None
    without: frozenset[int] = frozenset()

    def admits(self, document_id: int) -> bool:
        """Whether a document may come back."""
        return (self.only is None or document_id in self.only) and document_id not in self.without

    @property
    def admits_nothing(self) -> bool:
        """Whether no document may come back, whatever the question."""
        return self.only is not None and not self.only


@dataclass(frozen=True, slots=True)
class FieldWeights:
    """How much one occurrence of a word counts in each field of ``ChunkWords``; the same in every backend.

    Chosen by benchmarks/quality: with the ranking layer, half or double of each changes nDCG@10 by less than 0.002.
    """

    body: float = 1.0
    symbols: float = 3.0
    headings: float = 3.0
    path: float = 2.0


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """Figures of the whole store.

    Attributes:
        chunks: All chunks.
        vectors_missing: Chunks without a vector.
        vectors_cached: Vectors kept for texts that no chunk has at present.
        size_bytes: Of all files of the store on disk.
        exact: Whether vectors are searched exactly.
        generation: Rises by one with each committed change.
    """

    documents: int
    skips: int
    chunks: int
    vectors_missing: int
    vectors_cached: int
    size_bytes: int
    exact: bool
    generation: int
    fingerprint: Fingerprint


class Store(Protocol):
    """One open index. Reading never blocks and is never blocked; writing needs ``writable=True`` at opening.

    All methods raise ``StoreError`` (or a leaf of it) for what the backend reports. One object serves many threads.
    """

    # -- what it is -------------------------------------------------------------------------------------------------
    @property
    def generation(self) -> int:
        """Of the last committed change by any process; cheap enough for every query."""
        ...

    def status(self) -> StoreStatus:
        """Figures of the whole store."""
        ...

    def get_meta(self, key: str) -> str:
        """A small string kept beside the data ("lastRun", "calibration"), "" where absent."""
        ...

    def set_meta(self, key: str, value: str) -> None:
        """Keep a small string; does not change the generation."""
        ...

    # -- reading ----------------------------------------------------------------------------------------------------
    def snapshot(self) -> AbstractContextManager[None]:
        """Let all that this thread reads meanwhile be of one generation; cheaper than finding it anew each time."""
        ...

    def folders(self) -> list[str]:
        """Roots that have documents or skips stored."""
        ...

    def manifest(self, folder: str) -> dict[str, ManifestRow]:
        """Every path stored for a folder root."""
        ...

    def file_counts(self) -> dict[str, FileCounts]:
        """By folder root, of those that have documents or skips stored; counted without reading them."""
        ...

    def documents(self) -> Sequence[StoredDocument]:
        """All documents; kept in memory until the generation changes."""
        ...

    def unliving_documents(self) -> Sequence[StoredDocument]:
        """Documents not ``living``, or with an expiry, successors or ``supersedes``; few, so found without the rest."""
        ...

    def partial_documents(self) -> Sequence[StoredDocument]:
        """Documents whose text is not the whole of them (``values.PARTLY``); few, so found without the rest."""
        ...

    def document(self, document_id: int) -> StoredDocument:
        """One document by id."""
        ...

    def documents_of(self, document_ids: Iterable[int]) -> dict[int, StoredDocument]:
        """Documents by id, those that are gone left out; for the many candidates of one question."""
        ...

    def find_document(self, folder: str, path: str) -> StoredDocument | None:
        """One document by folder root and relative path."""
        ...

    def document_frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Number of chunks in which each analyzed word occurs in any field; 0 where none."""
        ...

    def words_held(self, words: Collection[str], chunk_ids: Sequence[int]) -> dict[int, frozenset[str]]:
        """Which of these analyzed words each of the chunks holds in any field; none where the chunk is gone."""
        ...

    def search_words(self, query: WordQuery, *, limit: int, selection: Selection) -> list[tuple[int, float]]:
        """(chunk id, bm25 > 0), best first, ties by id. Fields are weighted alike in every backend."""
        ...

    def search_vectors(
        self, vector: NDArray[np.float32], *, limit: int, selection: Selection
    ) -> list[tuple[int, float]]:
        """(chunk id, cosine), best first, ties by id; cosine exact over the stored precision."""
        ...

    def cosines(self, vector: NDArray[np.float32], chunk_ids: Sequence[int]) -> dict[int, float]:
        """Cosine of each of these chunks; those without a vector are absent."""
        ...

    def vectors_of(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float16]]:
        """Stored vectors of these texts, each of shape (dim,); texts without one are absent."""
        ...

    def chunks(self, chunk_ids: Sequence[int], *, with_text: bool = True) -> list[StoredChunk]:
        """Chunks by id in the order asked for; ids gone meanwhile are left out."""
        ...

    def document_chunks(self, document_id: int) -> list[StoredChunk]:
        """All chunks of a document, by ordinal."""
        ...

    # -- writing ----------------------------------------------------------------------------------------------------
    def write(self, writes: Sequence[DocumentWrite | SkipWrite]) -> int:
        """Replace these documents in one transaction; chunks whose embedded text has a known vector get it at once.

        Returns:
            How many of the written chunks have a vector already.
        """
        ...

    def touch(self, folder: str, files: Mapping[str, tuple[int, int, int]]) -> None:
        """Record new (size, mtime_ns, ctime_ns) of files whose content is unchanged."""
        ...

    def forget(self, folder: str, paths: Collection[str]) -> None:
        """Remove these paths, documents and skips alike, in one transaction."""
        ...

    def forget_folder(self, folder: str) -> int:
        """Remove all of a folder; returns how many documents went."""
        ...

    def pending(self, *, limit: int) -> list[tuple[bytes, str]]:
        """(key, embedded text) of texts without a vector, each text once; newest documents first."""
        ...

    def put_vectors(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Store unit vectors for the texts of ``pending``, in one transaction; unknown keys are kept for reuse."""
        ...

    def optimize(self) -> None:
        """Give back space and tidy the words index; safe at any time."""
        ...

    def close(self) -> None:
        """Release files; the object is done."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...


def text_key(embedded: str) -> bytes:
    """Key under which the vector of a text is kept: 16 bytes of BLAKE2b of its UTF-8."""
    import hashlib  # 5 ms that a search by words does without

    return hashlib.blake2b(embedded.encode("utf-8", "surrogatepass"), digest_size=16).digest()
