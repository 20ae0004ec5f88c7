"""What a person or an agent asked for, on top of the settings: one meaning for the command line and the tools."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from gnomon.corpus.globs import placed_glob
from gnomon.errors import UsageError
from gnomon.values import Kind

if TYPE_CHECKING:
    from gnomon.corpus import Corpus
    from gnomon.search import SearchOptions


@dataclass(frozen=True, slots=True)
class Asked:
    """Options of one search as they were given; empty and None leave the settings in force.

    Attributes:
        ranking: "hybrid" or "grounded".
        k: Hits at most.
        per_file: Passages of one file at most.
        folders: Names or paths.
        paths: Globs; any may match.
        exclude: Fragments of paths, on top of those of the settings.
        languages: In any case.
        kinds: See ``Kind``.
        since: ISO date; documents of that day or later, by their own date, else by that of the file.
        as_of: ISO date; what was valid then.
        search_all: Superseded and archived documents too, and no excludes of the settings.
        min_score: Cosine.
        min_confidence: In [0, 1].
        explain: Fill in why each hit is there.
    """

    ranking: str = ""
    k: int | None = None
    per_file: int | None = None
    folders: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    since: str = ""
    as_of: str = ""
    search_all: bool = False
    min_score: float | None = None
    min_confidence: float | None = None
    explain: bool = False


def options_for(corpus: Corpus, asked: Asked) -> SearchOptions:
    """The settings' options with what was asked for on top.

    Raises:
        UsageError: A folder name or a date makes no sense.
    """
    options = corpus.search_options(ranking=asked.ranking, search_all=asked.search_all)
    filters = replace(
        options.filters,
        folders=corpus.named_folders(asked.folders),
        paths=tuple(placed_glob(corpus.folders, glob) for glob in asked.paths),
        exclude=asked.exclude,
        languages=tuple(name.lower() for name in asked.languages),
        kinds=asked.kinds,
        since=_day("since", asked.since),
        search_all=asked.search_all,
        as_of=_day("as-of", asked.as_of),
    )
    return replace(
        options,
        k=asked.k or options.k,
        filters=filters,
        per_file=asked.per_file or options.per_file,
        min_score=options.min_score if asked.min_score is None else asked.min_score,
        min_confidence=options.min_confidence if asked.min_confidence is None else asked.min_confidence,
        explain=asked.explain,
    )


def _day(name: str, text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat() if text else ""
    except ValueError:
        raise UsageError(f"{name} must be a date like 2026-03-01, not {text}") from None
