"""Filters -> which documents an arm may return; decided before any top-k, so a narrow search misses nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Protocol

from gnomon.discover.globs import matches_glob
from gnomon.store.base import Selection, StoredDocument
from gnomon.values import Document, Filters


class Documents(Protocol):
    """The part of a store that filters read."""

    def documents(self) -> Sequence[StoredDocument]:
        """All documents."""
        ...

    def unliving_documents(self) -> Sequence[StoredDocument]:
        """Documents that say something of their life."""
        ...


def select(store: Documents, filters: Filters, hidden_statuses: Collection[str]) -> Selection:
    """The documents a search may return.

    Without filters only the few documents that are not living are read, whatever the size of the corpus.
    """
    hidden = () if filters.search_all else hidden_statuses
    if filters.as_of or needs_all_documents(filters):
        kept = [each for each in store.documents() if not (reason_against(each.document, filters, hidden))]
        return Selection(only=frozenset(each.id for each in kept))
    return Selection(
        without=frozenset(each.id for each in store.unliving_documents() if each.document.status in hidden)
    )


def needs_all_documents(filters: Filters) -> bool:
    """Whether a filter speaks of living documents too."""
    return bool(
        filters.folders or filters.paths or filters.exclude or filters.languages or filters.kinds or filters.since
    )


def reason_against(document: Document, filters: Filters, hidden_statuses: Collection[str]) -> str:
    """Why a document may not come back, in words; "" where it may."""
    checks: Iterable[tuple[bool, Callable[[], str]]] = (
        (
            bool(filters.folders) and document.folder not in filters.folders,
            lambda: f"it is in {document.folder}, not in the folders asked for",
        ),
        (
            bool(filters.paths) and not any(matches_glob(document.path, glob) for glob in filters.paths),
            lambda: "its path matches none of " + ", ".join(filters.paths),
        ),
        (
            any(fragment.lower() in document.path.lower() for fragment in filters.exclude if fragment),
            lambda: "its path holds an excluded fragment (" + ", ".join(filters.exclude) + ")",
        ),
        (
            bool(filters.languages) and document.language not in filters.languages,
            lambda: f'its language is "{document.language}", not ' + ", ".join(filters.languages),
        ),
        (
            bool(filters.kinds) and document.kind not in filters.kinds,
            lambda: f"its kind is {document.kind}, not " + ", ".join(filters.kinds),
        ),
        (
            bool(filters.since) and date_of(document) < filters.since,
            lambda: f"its date {date_of(document)} is before {filters.since}",
        ),
        (document.status in hidden_statuses, lambda: f"its status is {document.status}"),
    )
    return next((why() for against, why in checks if against), "")


def date_of(document: Document) -> str:
    """ISO date a document is of: its own, else the day its file was changed (UTC)."""
    return document.date or datetime.fromtimestamp(document.mtime_ns / 1e9, UTC).date().isoformat()
