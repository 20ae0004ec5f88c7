"""Why no document passes the filters of a question: a typing error must not look like an empty corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from gnomon.search.filters import date_of, reason_against
from gnomon.search.left_out import LIFT
from gnomon.values import Document, Filters

_NAMED: Final = 12  # languages that are listed, the most frequent


def why_nothing_passes(documents: Iterable[Document], filters: Filters) -> str:
    """One sentence that names each filter which alone admits nothing, and what there is instead.

    Args:
        documents: All that are indexed.
        filters: With which none of them may come back.
    """
    known = list(documents)
    if not known:
        return "No indexed document passes these filters: nothing is indexed"
    causes = [*_folders(known, filters), *_paths(known, filters), *_languages(known, filters), *_kinds(known, filters)]
    causes += _others(known, filters)
    if not causes and _admits_any(known, filters):
        causes = ["those that do are superseded, archived or not valid then (--all, or searchAll, returns them too)"]
    return "No indexed document passes these filters: " + (
        "; ".join(causes) or "each of them admits some, all together admit none"
    )


def _folders(known: Sequence[Document], filters: Filters) -> list[str]:
    if not filters.folders or any(each.folder in filters.folders for each in known):
        return []
    return [f"nothing is indexed in {' or '.join(filters.folders)}"]


def _paths(known: Sequence[Document], filters: Filters) -> list[str]:
    if not filters.paths or _admits_any(known, Filters(paths=filters.paths)):
        return []
    return [f"no path matches {' or '.join(filters.paths)} (globs are relative to the folder, like src/**/*.py)"]


def _languages(known: Sequence[Document], filters: Filters) -> list[str]:
    if not filters.languages or _admits_any(known, Filters(languages=filters.languages)):
        return []
    indexed = [name for name, _ in Counter(each.language for each in known if each.language).most_common()]
    near = [guess for name in filters.languages for guess in _near(name, indexed)]
    told = f"none is in {' or '.join(filters.languages)}"
    told += f", did you mean {' or '.join(dict.fromkeys(near))}?" if near else ""
    more = f" and {len(indexed) - _NAMED} more" if len(indexed) > _NAMED else ""
    return [f"{told} (indexed are: {', '.join(indexed[:_NAMED])}{more})"]


def _near(name: str, indexed: Sequence[str]) -> list[str]:
    from difflib import get_close_matches

    return [each for each in indexed if each.startswith(name)][:2] or get_close_matches(name, indexed, n=2)


def _kinds(known: Sequence[Document], filters: Filters) -> list[str]:
    if not filters.kinds or _admits_any(known, Filters(kinds=filters.kinds)):
        return []
    return [f"none is {' or '.join(filters.kinds)} (indexed are: {', '.join(sorted({each.kind for each in known}))})"]


def _others(known: Sequence[Document], filters: Filters) -> list[str]:
    causes = []
    if filters.exclude and not _admits_any(known, Filters(exclude=filters.exclude)):
        causes.append(f"each path holds an excluded fragment ({', '.join(filter(None, filters.exclude))})")
    if filters.default_exclude and not _admits_any(known, Filters(default_exclude=filters.default_exclude)):
        causes.append(
            f"each path holds one of the setting defaultExclude ({', '.join(filters.default_exclude)}): {LIFT}"
        )
    if filters.since and not _admits_any(known, Filters(since=filters.since)):
        causes.append(f"none is of {filters.since} or later (the newest is of {max(map(date_of, known))})")
    return causes


def _admits_any(known: Sequence[Document], filters: Filters) -> bool:
    return any(not reason_against(each, filters) for each in known)
