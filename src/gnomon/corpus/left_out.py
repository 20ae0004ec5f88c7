"""What is indexed and yet no search returns until all is asked for: superseded, or excluded by the settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from gnomon.values import Folder

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
    from gnomon.discover import confine

    folder, relative = confine(corpus.folders, path)
    stored = corpus.store().find_document(str(folder.root), relative) if corpus.is_indexed() else None
    return _reason(corpus, relative, stored)


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
