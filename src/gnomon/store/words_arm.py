"""The words arm of one store: the first question goes to FTS5, later ones are scored in memory where they fit."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from gnomon.store.base import FieldWeights, Selection
from gnomon.store.memory import FrequencyMemory
from gnomon.store.reading import chunk_count
from gnomon.store.words import MAX_RESIDENT_CHUNKS, WordSearch, count_rows, rows_with
from gnomon.values import WordQuery

if TYPE_CHECKING:
    from gnomon.store.connections import Connections, Reader
    from gnomon.store.postings import Postings


class WordsArm:
    """Answers by BM25, and counts words. Thread-safe."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._frequencies = FrequencyMemory()
        self._lock = threading.Lock()
        self._asked = 0
        self._postings: Postings | None = None

    def count(self, words: Iterable[str]) -> dict[str, int]:
        """Number of chunks that hold each word in any field."""
        with self._connections.reading() as reader:
            return self._count(reader, words)

    def search(
        self, query: WordQuery, *, weights: FieldWeights, limit: int, selection: Selection
    ) -> list[tuple[int, float]]:
        """(chunk id, bm25), best first, ties by id.

        In large corpora rows that hold only the query's commonest words are left out; see ``words.split``.
        """
        with self._connections.reading() as reader:
            chunks = self._frequencies.chunks(reader.moment, partial(chunk_count, reader.connection))
            search = WordSearch(reader, weights=weights, limit=limit, selection=selection)
            postings = self._in_memory() if chunks <= MAX_RESIDENT_CHUNKS else None
            found = postings.search(reader, query, search, self._frequencies) if postings else None
            if found is None:
                found = search.run(query, self._count(reader, (*query.any_of, *query.all_of)), chunks=chunks)
            return found

    def held(self, words: Collection[str], chunk_ids: Sequence[int]) -> dict[int, frozenset[str]]:
        """Which of the words each chunk holds in any field."""
        with self._connections.reading() as reader:
            postings = self._postings
            found = postings.holding(reader, words, chunk_ids) if postings else {}
            for word in words:
                if word not in found:
                    found[word] = rows_with(reader.connection, word, chunk_ids)
        return {chunk: frozenset(word for word, rows in found.items() if chunk in rows) for chunk in chunk_ids}

    def _count(self, reader: Reader, words: Iterable[str]) -> dict[str, int]:
        return self._frequencies.count(reader.moment, words, partial(count_rows, reader.connection))

    def _in_memory(self) -> Postings | None:
        """None for the first question: a one-shot process reads nothing but what it needs."""
        with self._lock:
            self._asked += 1
            if self._postings is None and self._asked > 1:
                from gnomon.store.postings import Postings  # loads numpy

                self._postings = Postings()
            return self._postings
