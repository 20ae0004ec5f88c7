"""Filters -> which documents an arm may return; decided before any top-k, so a narrow search misses nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final
from weakref import WeakKeyDictionary

from gnomon.discover.globs import matches_in
from gnomon.lifecycle import resolve
from gnomon.lifecycle.graph import DocumentLife, LifeGraph
from gnomon.store.base import Selection, Store
from gnomon.values import Document, Filters, Status

_NO_GRAPH: Final = LifeGraph()
# Chinese, Japanese and Korean characters, and what else no space parts, begin about here.
_WITHOUT_SPACES: Final = "\u2e80"


@dataclass(frozen=True, slots=True)
class Admission:
    """Which documents may come back, and what became of each.

    Attributes:
        selection: For the arms.
        lives: Fates of all documents that are not simply living.
        passing: Documents that the filters let pass, whatever became of them; None lets all pass.
        left_out: Documents that nothing but the settings' excludes keeps out.
    """

    selection: Selection
    lives: LifeGraph
    passing: frozenset[int] | None = None
    left_out: frozenset[int] = frozenset()


def admit(store: Store, filters: Filters, hidden_statuses: Collection[str]) -> Admission:
    """The documents a search may return.

    Where no document says anything of its life and nothing is filtered, no document is read at all.
    """
    lives = life_graph(store, hidden_statuses, as_of=filters.as_of)
    hidden = frozenset[int]() if filters.search_all else lives.hidden
    if not filters_documents(filters):
        return Admission(Selection(without=hidden), lives)
    passing, left_out = _passing(store, filters)
    return Admission(Selection(only=passing - hidden), lives, passing, left_out - hidden)


_passed: WeakKeyDictionary[Store, tuple[tuple[int, Filters], tuple[frozenset[int], frozenset[int]]]] = (
    WeakKeyDictionary()
)


def _passing(store: Store, filters: Filters) -> tuple[frozenset[int], frozenset[int]]:
    """Documents that the filters let pass, and those that they would but for the settings' excludes.

    Kept until the index or the filters change: a walk over 5,000 documents takes 7 ms.
    """
    key = (store.generation, filters)
    kept = _passed.get(store)
    if kept is None or kept[0] != key:
        kept = _passed[store] = (key, _walk(store, filters))
    return kept[1]


def _walk(store: Store, filters: Filters) -> tuple[frozenset[int], frozenset[int]]:
    asked = replace(filters, default_exclude=())
    passing, left_out = set[int](), set[int]()
    for each in store.documents():
        if not reason_against(each.document, asked):
            by_default = held_fragment(each.document.path, filters.default_exclude)
            (left_out if by_default else passing).add(each.id)
    return frozenset(passing), frozenset(left_out)


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
    of_paths = filters.folders or filters.paths or filters.exclude or filters.default_exclude
    return bool(of_paths or filters.languages or filters.kinds or filters.since)


def reason_against(document: Document, filters: Filters) -> str:
    """Why a document may not come back, in words; "" where the filters admit it."""
    if filters.folders and document.folder not in filters.folders:
        return f"it is in {document.folder}, not in the folders asked for"
    if filters.paths and not any(matches_in(document.folder, document.path, glob) for glob in filters.paths):
        return "its path matches none of " + ", ".join(filters.paths)
    if fragment := next((each for each in filters.exclude if each and each.lower() in document.path.lower()), ""):
        return f'its path holds the excluded fragment "{fragment}"'
    if by_default := reason_by_default(document.path, filters):
        return by_default
    if filters.languages and document.language not in filters.languages:
        return f'its language is "{document.language}", not ' + " or ".join(filters.languages)
    if filters.kinds and document.kind not in filters.kinds:
        return f"its kind is {document.kind}, not " + " or ".join(filters.kinds)
    if filters.since and date_of(document) < filters.since:
        return f"its date {date_of(document)} is before {filters.since}"
    return ""


def reason_by_default(path: str, filters: Filters) -> str:
    """Why the settings' excludes keep a path out, in words; "" where they do not."""
    fragment = held_fragment(path, filters.default_exclude)
    return f'its path holds "{fragment}" of the setting defaultExclude' if fragment else ""


def held_fragment(path: str, fragments: Iterable[str]) -> str:
    """The first fragment that stands in a path as whole words, whatever their case; "" where none does.

    A part of a word is none: nobody asked for these, and who keeps "plans" away has nothing against floor plans.

    >>> held_fragment("Work/2026-plans/launch.md", ("archive", "plans"))
    'plans'
    >>> held_fragment("floorplans/attic.md", ("archive", "plans"))
    ''
    """
    folded = path.lower()
    return next((each for each in fragments if each and _holds(folded, each.lower())), "")


def _holds(path: str, fragment: str) -> bool:
    at = path.find(fragment)
    while at >= 0:
        end = at + len(fragment)
        if not _is_one_word(path[at - 1 : at] + fragment[0]) and not _is_one_word(fragment[-1] + path[end : end + 1]):
            return True
        at = path.find(fragment, at + 1)
    return False


def _is_one_word(pair: str) -> bool:
    """Whether two neighbours belong to one word, as far as their script tells: some write no spaces."""
    return len(pair) == 2 and pair.isalnum() and max(pair) < _WITHOUT_SPACES


def date_of(document: Document) -> str:
    """ISO date a document is of: its own, else the day its file was changed (UTC)."""
    return document.date or datetime.fromtimestamp(document.mtime_ns / 1e9, UTC).date().isoformat()
