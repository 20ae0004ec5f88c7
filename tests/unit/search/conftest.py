"""A small corpus in memory for the tests of search."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gnomon.analyze import chunk_words
from gnomon.store.base import DocumentWrite
from gnomon.values import Chunk, Document, Kind, Span
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.store import FakeStore

AddFile = Callable[..., int]


@pytest.fixture
def embedder() -> FakeEmbedder:
    """Embeds by shared words."""
    return FakeEmbedder()


@pytest.fixture
def store() -> FakeStore:
    """Empty."""
    return FakeStore()


@pytest.fixture
def add(store: FakeStore, embedder: FakeEmbedder) -> AddFile:
    """Puts a file into the store, one chunk per text, with vectors; returns the document's id."""

    def add_file(path: str, *texts: str, vectors: bool = True, symbols: tuple[str, ...] = (), **fields: object) -> int:
        kind: Kind = "code" if path.endswith(".py") else "prose"
        chunks, at, line = [], 0, 1
        for ordinal, text in enumerate(texts):
            end_line = line + text.count("\n")
            chunks.append(Chunk(ordinal, Span(at, at + len(text)), line, end_line, text, symbols=symbols))
            at, line = at + len(text) + 1, end_line + 1
        document = Document("/corpus", path, 1, 1, 1, "", kind, "python" if kind == "code" else "markdown", **fields)  # type: ignore[arg-type]
        store.write([DocumentWrite(document, chunks, [chunk_words(chunk, path, "") for chunk in chunks])])
        if vectors:
            pending = store.pending(limit=1000)
            store.put_vectors([key for key, _ in pending], embedder.embed_passages([text for _, text in pending]))
        found = store.find_document("/corpus", path)
        assert found is not None
        return found.id

    return add_file
