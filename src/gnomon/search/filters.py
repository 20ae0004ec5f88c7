"""Filters -> which documents an arm may return; decided before any top-k, so a narrow search misses nothing."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from weakref import WeakKeyDictionary

from gnomon.discover.globs import matches_in
from gnomon.lifecycle import resolve
from gnomon.lifecycle.graph import DocumentLife, LifeGraph
from gnomon.store.base import Selection, Store
from gnomon.values import Document, Filters, Status

_NO_GRAPH: Final = LifeGraph()


@dataclass(frozen=True, slots=True)
class Admission:
    """Which documents may come back, and what became of each.

    Attributes:
        selection: For the arms.
        lives: Fates of all documents that are not simply living.
    """

    selection: Selection
    lives: LifeGraph


def admit(store: Store, filters: Filters, hidden_statuses: Collection[str]) -> Admission:
    """The documents a search may return.

    Where no document says anything of its life and nothing is filtered, no document is read at all.
    """
    lives = life_graph(store, hidden_statuses, as_of=filters.as_of)
    hidden = frozenset[int]() if filters.search_all else lives.hidden
    if not filters_documents(filters):
        return Admission(Selection(without=hidden), lives)
    kept = (each.id for each in store.documents() if not reason_against(each.document, filters))
    return Admission(Selection(only=frozenset(kept) - hidden), lives)


_graphs: WeakKeyDictionary[Store, tuple[tuple[object, ...], LifeGraph]] = WeakKeyDictionary()


def life_graph(store: Store, hidden_statuses: Collection[str], *, as_of: str = "") -> LifeGraph:
    """Fates of all documents; kept until the index, the day or the question changes."""
    today = datetime.now(UTC).date().isoformat()
    key = (store.generation, today, as_of, tuple(hidden_statuses))
    kept = _graphs.get(store)
    if kept is None or kept[0] != key:
        if as_of or store.unliving_documents():
            lives = [DocumentLife.of(each.id, each.document) for each in store.documents()]
            hiding = [Status(each) for each in hidden_statuses]
            kept = (key, resolve(lives, hidden_statuses=hiding, today=today, as_of=as_of))
        else:
            kept = (key, _NO_GRAPH)
        _graphs[store] = kept
    return kept[1]


def filters_documents(filters: Filters) -> bool:
    """Whether a filter speaks of living documents too."""
    return bool(
        filters.folders or filters.paths or filters.exclude or filters.languages or filters.kinds or filters.since
    )


def reason_against(document: Document, filters: Filters) -> str:
    """Why a document may not come back, in words; "" where the filters admit it."""
    path = document.path.lower()
    fragment = next((each for each in filters.exclude if each and each.lower() in path), "")
    if filters.folders and document.folder not in filters.folders:
        return f"it is in {document.folder}, not in the folders asked for"
    if filters.paths and not any(matches_in(document.folder, document.path, glob) for glob in filters.paths):
        return "its path matches none of " + ", ".join(filters.paths)
    if fragment:
        return f'its path holds the excluded fragment "{fragment}"'
    if filters.languages and document.language not in filters.languages:
        return f'its language is "{document.language}", not ' + " or ".join(filters.languages)
    if filters.kinds and document.kind not in filters.kinds:
        return f"its kind is {document.kind}, not " + " or ".join(filters.kinds)
    if filters.since and date_of(document) < filters.since:
        return f"its date {date_of(document)} is before {filters.since}"
    return ""


def date_of(document: Document) -> str:
    """ISO date a document is of: its own, else the day its file was changed (UTC)."""
    return document.date or datetime.fromtimestamp(document.mtime_ns / 1e9, UTC).date().isoformat()
