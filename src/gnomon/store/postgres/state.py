"""The one row that says what a corpus is and counts, read in the same moment as what is asked of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any

from gnomon.errors import MismatchError
from gnomon.store import SCHEMA_VERSION
from gnomon.store.base import Fingerprint
from gnomon.store.bm25 import weights_mark
from gnomon.store.damage import DamagedRowError
from gnomon.store.postgres.place import Place
from gnomon.store.postgres.schema import VERSION
from gnomon.store.schema import differences


@dataclass(frozen=True, slots=True)
class State:
    """The one row of ``state``, see there, and two values of ``meta``.

    Attributes:
        tables: Version of the tables.
        effort: ``hnsw.ef_search`` that the approximate index needs; 0 where there is none.
    """

    generation: int
    last_document: int
    documents: int
    skips: int
    chunks: int
    words: int
    vectors: int
    waiting: int
    kept: int
    commits: int
    removed: int
    peak: int
    peak_since: int
    fingerprint: str
    weights: str
    extractor: str
    tables: int
    effort: int

    @property
    def stored_fingerprint(self) -> Fingerprint:
        """As a value."""
        return Fingerprint(**json.loads(self.fingerprint), extractor=self.extractor)


_OF_META = {
    "tables": "coalesce((SELECT value::int FROM {s}.meta WHERE key = 'tables'), 0)",
    "effort": (
        "coalesce((SELECT value::int FROM {s}.meta WHERE key = 'ef_search'"
        " AND to_regclass('{s}.vectors_near') IS NOT NULL), 0)"
    ),
}
STATE = f"SELECT {', '.join(_OF_META.get(each.name, each.name) for each in fields(State))} FROM {{s}}.state"  # noqa: S608


def read_state(row: Any) -> State:
    """What ``STATE`` gives.

    Raises:
        DamagedRowError: It is gone.
    """
    if row is None:
        raise DamagedRowError("no state")
    return State(*row)


def refuse_other(place: Place, state: State, fingerprint: Fingerprint) -> None:
    """Compare what a corpus says of itself with the program.

    Raises:
        MismatchError: They differ; the text names each difference and the command that mends it.
    """
    schema = json.loads(state.fingerprint)["schema"]
    if schema > SCHEMA_VERSION or state.tables > VERSION:
        raise MismatchError(
            f"{place.name} was written by a newer gnomon (schema {schema}.{state.tables}, this one knows "
            f"{SCHEMA_VERSION}.{VERSION}): update gnomon, or rebuild the index: gnomon index --force"
        )
    told = differences(state.stored_fingerprint, fingerprint)
    if not told and state.weights != weights_mark():
        told = f"weights ({state.weights}, now {weights_mark()})"
    if told:
        raise MismatchError(
            f"{place.name} was written with another {told}; rebuild the index: gnomon index --force",
            of_model=state.stored_fingerprint.model != fingerprint.model,
        )
