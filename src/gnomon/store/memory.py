"""What a store remembers between questions; the same for every backend. All of it is thread-safe."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from gnomon.store.base import StoredDocument

# Words whose frequency is remembered at one moment: a few MB.
_MAX_FREQUENCIES = 50_000

Row = TypeVar("Row")


class DocumentMemory:
    """All documents, read anew only where they changed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._source: Hashable = None
        self._generation = 0
        self._by_id: dict[int, StoredDocument] = {}
        self._all: tuple[StoredDocument, ...] = ()

    def all(
        self,
        generation: int,
        *,
        changed: Callable[[int], Iterable[StoredDocument]],
        present: Callable[[], Iterable[int]],
        source: Hashable = None,
    ) -> Sequence[StoredDocument]:
        """Every document as of a generation.

        Args:
            generation: What the caller's transaction sees.
            changed: Gives the documents written after a generation.
            present: Gives the ids of all, in the order they come back in.
            source: Another one shares nothing with the one before.
        """
        with self._lock:
            if source != self._source or generation < self._generation:
                # A reader that began before another thread's is rare enough to read all again.
                self._source, self._generation, self._by_id = source, 0, {}
            if generation != self._generation:
                known = self._by_id | {each.id: each for each in changed(self._generation)}
                self._by_id = {number: known[number] for number in present()}
                self._all = tuple(self._by_id.values())
                self._generation = generation
            return self._all


class RowMemory(Generic[Row]):
    """Rows by id, remembered at one moment: questions in a row meet the same ones."""

    def __init__(self, most: int) -> None:
        self._lock = threading.Lock()
        self._most = most
        self._moment: Hashable = None
        self._rows: dict[int, Row] = {}

    def read(
        self, moment: Hashable, numbers: Iterable[int], fetch: Callable[[list[int]], dict[int, Row]]
    ) -> dict[int, Row]:
        """These rows as of a moment; those not remembered are fetched together, absent ones left out."""
        wanted = list(numbers)
        with self._lock:
            if moment != self._moment or len(self._rows) > self._most:
                self._moment, self._rows = moment, {}
            known = {number: self._rows[number] for number in wanted if number in self._rows}
        missing = [number for number in wanted if number not in known]
        if missing:
            fetched = fetch(missing)
            with self._lock:
                if moment == self._moment:
                    self._rows.update(fetched)
            known |= fetched
        return known


class FrequencyMemory:
    """How many chunks hold a word, and how many there are, counted once per moment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._moment: Hashable = None
        self._counts: dict[str, int] = {}
        self._chunks: int | None = None

    def count(
        self, moment: Hashable, words: Iterable[str], fetch: Callable[[list[str]], Mapping[str, int]]
    ) -> dict[str, int]:
        """Chunks of each word as of a moment; ``fetch`` counts those not remembered, and leaves none out."""
        wanted = list(dict.fromkeys(words))
        with self._lock:
            self._turn_to(moment)
            known = {word: self._counts[word] for word in wanted if word in self._counts}
        missing = [word for word in wanted if word not in known]
        if missing:
            counted = fetch(missing)
            with self._lock:
                if moment == self._moment:
                    self._counts.update(counted)
            known.update(counted)
        return known

    def chunks(self, moment: Hashable, fetch: Callable[[], int]) -> int:
        """All chunks as of a moment."""
        with self._lock:
            self._turn_to(moment)
            if self._chunks is not None:
                return self._chunks
        total = fetch()
        with self._lock:
            if moment == self._moment:
                self._chunks = total
        return total

    def _turn_to(self, moment: Hashable) -> None:
        if moment != self._moment or len(self._counts) > _MAX_FREQUENCIES:
            self._moment, self._counts, self._chunks = moment, {}, None
