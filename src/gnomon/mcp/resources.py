"""Documents as resources: ``gnomon://folder/path``."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from gnomon.corpus import Corpus
from gnomon.errors import ConfinementError, UsageError
from gnomon.mcp.text import clean
from gnomon.values import display_path

_PAGE = 500
_SCHEME = "gnomon://"
_CURSOR = re.compile("[0-9]{1,9}")


def list_resources(corpus: Corpus, cursor: str | None) -> tuple[list[tuple[str, str]], str | None]:
    """(address, path) of indexed documents, a page of them, and the cursor of the next page.

    Raises:
        UsageError: The cursor is none of ours.
    """
    if not _CURSOR.fullmatch(cursor or "0"):
        raise UsageError(f"unknown cursor {(cursor or '')[:40]}; give none, or the nextCursor of an answer")
    start = int(cursor or 0)
    if not corpus.is_indexed():
        return [], None
    names = {str(folder.root): folder.name for folder in corpus.folders}
    rows = [d.document for d in corpus.store().documents() if d.document.folder in names]
    rows.sort(key=lambda document: (document.folder, document.path))
    page = [(_address(names[row.folder], row.path), display_path(row.path)) for row in rows[start : start + _PAGE]]
    return page, str(start + _PAGE) if start + _PAGE < len(rows) else None


def read_resource(corpus: Corpus, address: str) -> str:
    """The text of one document.

    Raises:
        ConfinementError: It is in none of the folders.
        DocumentError: It cannot become text.
    """
    name, _, path = address.removeprefix(_SCHEME).partition("/")
    folder = next((f for f in corpus.folders if _quoted_name(f.name) == name or f.name == unquote(name)), None)
    if folder is None or not address.startswith(_SCHEME):
        raise ConfinementError(f"{address} is in none of the folders")
    return clean(corpus.document(str(folder.root / unquote(path, errors="surrogateescape")))[2].text)


def _address(folder: str, path: str) -> str:
    return f"{_SCHEME}{_quoted_name(folder)}/{quote(path, errors='surrogateescape')}"


def _quoted_name(folder: str) -> str:
    return quote(folder, safe="", errors="surrogateescape")
