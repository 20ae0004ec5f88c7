"""A share of an index run, so that several machines fill one index without doing anything twice.

Files and texts belong to a share by a hash of what they are called and what they say, so no queue is needed. Where the
store knows leases, a worker that is done goes on with the others' texts, and those of one that died come up again.
"""

from __future__ import annotations

import os
import socket
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast

from gnomon.errors import UsageError
from gnomon.index.document import Steps
from gnomon.store.base import ManifestRow, Store
from gnomon.values import Folder, Skip, SourceFile

# Longest a worker may take for one batch of texts before others take them for left behind.
LEASE_SECONDS = 600


class Leasing(Protocol):
    """What a store adds that knows who is embedding which text."""

    def claim(self, keys: Sequence[bytes], owner: str, seconds: int) -> set[bytes]:
        """Those of these texts that are the owner's from now on: no vector came, and no other's lease is in force."""
        ...


@dataclass(frozen=True, slots=True)
class Shard:
    """One share of several.

    Attributes:
        number: From 1.
        count: Shares in all.
    """

    number: int
    count: int

    @classmethod
    def parsed(cls, text: str) -> Shard:
        """A share as typed: "2/8".

        Raises:
            UsageError: It is none.
        """
        number, _, count = text.partition("/")
        if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count) <= 1_000):
            raise UsageError(f"a share is written I/N, from 1/N to N/N, not {text!r}")
        return cls(int(number), int(count))

    def owns_path(self, path: str) -> bool:
        """Whether a file is of this share."""
        return zlib.crc32(os.fsencode(path)) % self.count == self.number - 1

    def owns_text(self, key: bytes) -> bool:
        """Whether a text is of this share; ``key`` is its ``text_key``."""
        return int.from_bytes(key[:8], "big") % self.count == self.number - 1

    def steps(self, steps: Steps) -> Steps:
        """The same steps over the files of this share alone."""

        def discover(folder: Folder, warn: Callable[[str], None]) -> Iterator[SourceFile | Skip]:
            return (entry for entry in steps.discover(folder, warn) if self.owns_path(entry.path))

        return replace(steps, discover=discover)

    def store(self, store: Store) -> Store:
        """The same store, as far as this share is concerned with it."""
        return cast("Store", _SharedStore(store, self))


class _SharedStore:
    """Shows the files and the waiting texts of one share; all else is the store's."""

    def __init__(self, store: Store, shard: Shard) -> None:
        self._store = store
        self._shard = shard
        self._owner = f"{socket.gethostname()}:{os.getpid()}"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def manifest(self, folder: str) -> dict[str, ManifestRow]:
        """See ``Store``; what is not there cannot be taken for deleted."""
        rows = self._store.manifest(folder)
        return {path: row for path, row in rows.items() if self._shard.owns_path(path)}

    def pending(self, *, limit: int) -> list[tuple[bytes, str]]:
        """See ``Store``; of this share, then, where there are leases, what nobody is embedding."""
        leasing = cast("Leasing", self._store) if hasattr(self._store, "claim") else None
        asked = limit * self._shard.count
        while True:
            waiting = self._store.pending(limit=asked)
            own = [(key, text) for key, text in waiting if self._shard.owns_text(key)]
            chosen = self._claimed(leasing, own, limit)
            if len(waiting) < asked and not chosen and leasing is not None:
                chosen = self._claimed(leasing, waiting, limit)
            if chosen or len(waiting) < asked:
                return chosen
            asked *= 4

    def _claimed(
        self, leasing: Leasing | None, waiting: Sequence[tuple[bytes, str]], limit: int
    ) -> list[tuple[bytes, str]]:
        if leasing is None:
            return list(waiting[:limit])
        for start in range(0, len(waiting), limit):
            some = waiting[start : start + limit]
            mine = leasing.claim([key for key, _ in some], self._owner, LEASE_SECONDS)
            if mine:
                return [(key, text) for key, text in some if key in mine]
        return []
