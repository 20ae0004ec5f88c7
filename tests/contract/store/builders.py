"""Documents and vectors for the store's contract: small, and a pure function of their text."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.store import SCHEMA_VERSION, open_store
from gnomon.store.base import DocumentWrite, Fingerprint, Selection, Store
from gnomon.values import Chunk, ChunkWords, Document, Span, WordQuery

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIM = 32
FINGERPRINT = Fingerprint(SCHEMA_VERSION, "model-a", DIM, "analyzer-1", "chunker-1", "extractor-1")
EVERYTHING = Selection()
FOLDER = "/home/me/notes"


def open_sqlite(path: Path, *, writable: bool = True, replace_it: bool = False, of: Fingerprint = FINGERPRINT) -> Store:
    """The SQLite index at a path, for writing unless told otherwise."""
    return open_store("sqlite", path, fingerprint=of, writable=writable, replace=replace_it)


def document(path: str, *, folder: str = FOLDER, mtime_ns: int = 1_000, **fields: Any) -> Document:
    """A living document of prose."""
    plain = Document(folder, path, 10, mtime_ns, mtime_ns, "0" * 64, "prose", "markdown")
    return replace(plain, **fields)


def write(path: str, *texts: str, folder: str = FOLDER, **fields: Any) -> DocumentWrite:
    """A document with one chunk per text, whose words are those between blanks, and the path's."""
    chunks, words, start = [], [], 0
    for ordinal, text in enumerate(texts):
        chunks.append(Chunk(ordinal, Span(start, start + len(text)), ordinal + 1, ordinal + 1, text))
        words.append(ChunkWords(tuple(text.split()), path=tuple(path.split("/"))))
        start += len(text)
    return DocumentWrite(document(path, folder=folder, **fields), chunks, words)


def vector(text: str, dim: int = DIM) -> NDArray[np.float32]:
    """A unit vector that only depends on the text."""
    seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
    drawn = np.random.default_rng(seed).normal(size=dim).astype(np.float32)
    return drawn / np.float32(np.linalg.norm(drawn))


def embed_all(store: Store, batch: int = 1_000) -> int:
    """Give every waiting text its vector; returns how many texts there were."""
    count = 0
    while waiting := store.pending(limit=batch):
        store.put_vectors([key for key, _ in waiting], np.stack([vector(text) for _, text in waiting]))
        count += len(waiting)
    return count


def found_texts(store: Store, *words: str, selection: Selection = EVERYTHING, limit: int = 100) -> list[str]:
    """Texts of the chunks that any of these words finds, best first."""
    hits = store.search_words(WordQuery(words), limit=limit, selection=selection)
    return [stored.chunk.text for stored in store.chunks([number for number, _ in hits])]


def nearest_texts(store: Store, text: str, *, selection: Selection = EVERYTHING, limit: int = 100) -> list[str]:
    """Texts of the chunks nearest to this text, best first."""
    hits = store.search_vectors(vector(text), limit=limit, selection=selection)
    return [stored.chunk.text for stored in store.chunks([number for number, _ in hits])]


def ids_of(store: Store, paths: Sequence[str], folder: str = FOLDER) -> frozenset[int]:
    """Document ids of these paths."""
    found = (store.find_document(folder, path) for path in paths)
    return frozenset(stored.id for stored in found if stored)
