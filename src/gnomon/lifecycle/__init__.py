"""Text to status: what a document says of its own life, and chains of successors.

What each status means is one table, ``MEANINGS``; the words documents use for it are in ``spellings``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from gnomon.lifecycle.sidecars import is_sidecar
from gnomon.values import Lifecycle, Status

if TYPE_CHECKING:
    from gnomon.lifecycle.graph import DocumentLife, LifeGraph

LIFECYCLE_VERSION = 3

# What a status means for a search. ``hiddenStatuses`` in the configuration decides which ones hide.
MEANINGS: dict[Status, str] = {
    Status.LIVING: "valid: shown",
    Status.DRAFT: "proposed, not yet decided: shown and marked",
    Status.DEPRECATED: "valid but on its way out: shown and marked",
    Status.REJECTED: "was never valid: shown and marked, for it tells why not",
    Status.WITHDRAWN: "taken back by its authors: shown and marked",
    Status.EXPIRED: "its date of expiry has passed: shown and marked",
    Status.SUPERSEDED: "another document took its place: hidden; that one is given instead",
    Status.ARCHIVED: "kept for the record only: hidden",
}
HIDDEN_BY_DEFAULT = frozenset({Status.SUPERSEDED, Status.ARCHIVED})

# Languages whose documents may tell of their life; source code and data do not.
_PROSE = frozenset(
    {
        *("markdown", "mdx", "rst", "restructuredtext", "asciidoc", "org", "text", "plaintext", "mediawiki"),
        *("wiki", "html", "docx", "odt", "rtf", "pdf", "epub", "tex", "latex", "textile", "quarto"),
    }
)
_PROSE_SUFFIXES = frozenset(
    {
        *(".md", ".markdown", ".mdx", ".mkd", ".mdown", ".qmd", ".rmd", ".rst", ".rest", ".adoc", ".asciidoc"),
        *(".asc", ".org", ".txt", ".text", ".mediawiki", ".wiki", ".textile", ".html", ".htm", ".docx", ".odt"),
        *(".rtf",),
    }
)
_XML_SUFFIXES = frozenset({".xml", ".xep"})


def read_lifecycle(text: str, *, path: str, language: str) -> Lifecycle:
    """Read what a document says of its own life.

    Understands the headers of XEPs and of the IETF's XML, files that describe the document beside them (``kep.yaml``),
    front matter (YAML, TOML, JSON), headers as in PEPs, reST and AsciiDoc fields, "Key: value" lines and
    tables at the head, status sections anywhere, and banners. Nothing is executed; what cannot be parsed is read line
    by line and becomes a warning. Templates, index pages and logs of many decisions are living.

    Args:
        text: The extracted text, line ends as in the file.
        path: Relative path; its ending decides where ``language`` is not known.
        language: See ``Extracted.language``.
    """
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in _XML_SUFFIXES or is_sidecar(path):
        from gnomon.lifecycle.reading import read_described

        return read_described(text, path=path)
    if language not in _PROSE and (language or suffix not in _PROSE_SUFFIXES) and suffix not in _PROSE_SUFFIXES:
        return Lifecycle()
    from gnomon.lifecycle.reading import read

    return read(text, path=path)


def resolve(
    documents: Sequence[DocumentLife],
    *,
    hidden_statuses: Collection[Status] = HIDDEN_BY_DEFAULT,
    today: str = "",
    as_of: str = "",
) -> LifeGraph:
    """Follow all chains of successors; see ``gnomon.lifecycle.graph.resolve``."""
    from gnomon.lifecycle import graph

    return graph.resolve(documents, hidden_statuses=hidden_statuses, today=today, as_of=as_of)
