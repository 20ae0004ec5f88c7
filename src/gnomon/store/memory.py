"""What a store remembers between questions; the same for every backend. All of it is thread-safe."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from gnomon.store.base import StoredDocument

# Words whose frequency is remembered at one moment: a few MB.
_MAX_FREQUENCIES = 50_000

Key = TypeVar("Key")
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


class RowMemory(Generic[Key, Row]):
    """Rows by key, remembered at one moment: questions in a row meet the same ones."""

    def __init__(self, most: int) -> None:
        self._lock = threading.Lock()
        self._most = most
        self._moment: Hashable = None
        self._rows: dict[Key, Row] = {}

    def read(
        self, moment: Hashable, keys: Iterable[Key], fetch: Callable[[list[Key]], Mapping[Key, Row]]
    ) -> dict[Key, Row]:
        """These rows as of a moment; those not remembered are fetched together, absent ones left out."""
        wanted = list(dict.fromkeys(keys))
        with self._lock:
            if moment != self._moment or len(self._rows) > self._most:
                self._moment, self._rows = moment, {}
            known = {key: self._rows[key] for key in wanted if key in self._rows}
        missing = [key for key in wanted if key not in known]
        if missing:
            fetched = fetch(missing)
            with self._lock:
                if moment == self._moment:
                    self._rows.update(fetched)
            known.update(fetched)
        return known


class FrequencyMemory:
    """How many chunks hold a word, and how many there are, counted once per moment."""

    def __init__(self) -> None:
        self._counts = RowMemory[str, int](_MAX_FREQUENCIES)
        self._totals = RowMemory[None, int](1)

    def count(
        self, moment: Hashable, words: Iterable[str], fetch: Callable[[list[str]], Mapping[str, int]]
    ) -> dict[str, int]:
        """Chunks of each word as of a moment; ``fetch`` counts those not remembered, and leaves none out."""
        return self._counts.read(moment, words, fetch)

    def chunks(self, moment: Hashable, fetch: Callable[[], int]) -> int:
        """All chunks as of a moment."""
        return self._totals.read(moment, [None], lambda _: {None: fetch()})[None]
