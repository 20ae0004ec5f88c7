"""What is indexed and yet no search returns until all is asked for, and what a document says of its own life."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from gnomon.values import Folder, Status

if TYPE_CHECKING:
    from gnomon.corpus import Corpus
    from gnomon.store.base import StoredDocument

_SEARCHES: Final = "searches leave it out"
_GROUNDED: Final = "searches with --ranking grounded and search_notes leave it out"


def why_left_out(corpus: Corpus, path: str) -> str:
    """What keeps a file, or all of a folder, out of answers, and how to get it; "" where nothing does.

    Args:
        corpus: The file need not be indexed yet.
        path: As ``confine`` takes it.

    Raises:
        ConfinementError: The path is in none of the folders.
        StoreError: There is an index, but it cannot be read.
    """
    return _reason(corpus, *_looked_up(corpus, path))


def told_life(corpus: Corpus, path: str) -> str:
    """What the index knows of a file's life, if searches return it, and what is wrong with that, as ``doctor`` has it.

    Args:
        corpus: The file need not be indexed yet.
        path: As ``confine`` takes it.

    Returns:
        "" of a file that just lives, and of one that is not indexed.

    Raises:
        ConfinementError: The path is in none of the folders.
        StoreError: There is an index, but it cannot be read.
    """
    from gnomon.corpus.measuring import warnings_of_life
    from gnomon.search.filters import life_graph

    _, stored = _looked_up(corpus, path)
    if stored is None:
        return ""
    lives = life_graph(corpus.store(), corpus.search_options().hidden_statuses)
    fate = lives.fate(stored.id)
    told = [*fate.problems, *warnings_of_life(stored.document.warnings)]
    if not fate.hidden and fate.status is not Status.LIVING:
        instead = f" → {successor}" if (successor := lives.successor(stored.id)) else ""
        line = f" (line {stored.document.status_line})" if stored.document.status_line else ""
        told.insert(0, f"its status{line} is {fate.status}{instead}")
    return "; ".join(told)


def _looked_up(corpus: Corpus, path: str) -> tuple[str, StoredDocument | None]:
    """A path relative to its folder, and what is indexed there."""
    from gnomon.discover import confine

    folder, relative = confine(corpus.folders, path)
    return relative, corpus.store().find_document(str(folder.root), relative) if corpus.is_indexed() else None


def all_left_out(corpus: Corpus) -> Iterator[tuple[Folder, str, str]]:
    """Every indexed file that is left out: folder, path and why.

    Raises:
        StoreError: Nothing is indexed yet, or the index cannot be read.
    """
    folders = {str(folder.root): folder for folder in corpus.folders}
    for stored in corpus.store().documents():
        folder = folders.get(stored.document.folder)
        if folder and (reason := _reason(corpus, stored.document.path, stored)):
            yield folder, stored.document.path, reason


def _reason(corpus: Corpus, path: str, stored: StoredDocument | None) -> str:
    from gnomon.search.filters import reason_by_default
    from gnomon.search.left_out import LIFT
    from gnomon.search.misses import reason_hidden

    options = corpus.search_options(ranking="grounded")
    if stored and (reason := reason_hidden(corpus.store(), stored, options)):
        return f"{_SEARCHES}: {reason}; {LIFT}"
    if reason := reason_by_default(path, options.filters):
        return f"{_SEARCHES if corpus.config.ranking == 'grounded' else _GROUNDED}: {reason}; {LIFT}"
    return ""
