"""The head: the one row that says which versions of which tables make the index, and what it counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from gnomon.store.base import Fingerprint


@dataclass(frozen=True, slots=True)
class Counts:
    """Figures that would be slow to count, kept with each change.

    Attributes:
        words: Words of all chunks together, each as often as it occurs.
        frequency_rows: Rows of ``frequencies``, which are added up when there are too many.
        peak: Most vectors in use at once within the time that idle ones are kept, and since when (Unix seconds).
    """

    documents: int = 0
    skips: int = 0
    chunks: int = 0
    words: int = 0
    vectors: int = 0
    waiting: int = 0
    kept: int = 0
    frequency_rows: int = 0
    peak: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Head:
    """State of an index at one commit.

    Attributes:
        serial: Rises with every commit, also those that change nothing that is seen.
        generation: See ``StoreStatus``.
        last_document: Highest id ever given.
        fingerprint: ``Fingerprint`` without extractor, as JSON.
        weights: Of the fields, as they are in ``chunks.words``.
        versions: Table -> (its name in the database, version).
        folders: Hex of a folder's root -> files stored.
        meta: Small strings of the user.
        commits: Since the last tidying.
        probes: Parts of the approximate index that a question looks into; 0 where vectors are searched exactly.
        removed: Chunks removed since the words were indexed from scratch; the index keeps them until then.
    """

    serial: int
    generation: int
    last_document: int
    fingerprint: str
    weights: str
    extractor: str
    versions: Mapping[str, tuple[str, int]]
    counts: Counts = field(default_factory=Counts)
    folders: Mapping[str, int] = field(default_factory=dict)
    meta: Mapping[str, str] = field(default_factory=dict)
    commits: int = 0
    removed: int = 0
    probes: int = 0

    def to_json(self) -> str:
        """Inverse of ``from_json``."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The head as stored.

        Raises:
            ValueError: It is not one.
        """
        try:
            fields: dict[str, Any] = json.loads(text)
            counts = fields.pop("counts")
            counts["peak"] = tuple(counts["peak"])
            versions = {name: (str(physical), int(version)) for name, (physical, version) in fields["versions"].items()}
            return cls(**fields | {"counts": Counts(**counts), "versions": versions})
        except (KeyError, TypeError, AttributeError) as e:
            raise ValueError(f"head: {e}") from e

    @property
    def stored_fingerprint(self) -> Fingerprint:
        """As a value."""
        return Fingerprint(**json.loads(self.fingerprint), extractor=self.extractor)

    def next(self, **changes: Any) -> Self:
        """The head of the commit after this one."""
        return replace(self, serial=self.serial + 1, **changes)
