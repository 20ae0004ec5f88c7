"""Text to words: one analyzer for every words arm. Its modules are imported when they are first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from gnomon.analyze.query import QueryKind, QueryWords, analyze_query
    from gnomon.analyze.text import analyze, chunk_words, written_words

__all__ = [
    "ANALYZER_VERSION",
    "QueryKind",
    "QueryWords",
    "analyze",
    "analyze_query",
    "chunk_words",
    "written_words",
]

# Rises with every change of what a text's words are; part of the store's fingerprint.
ANALYZER_VERSION: Final = "2"

_LATE = {
    "QueryKind": "query",
    "QueryWords": "query",
    "analyze_query": "query",
    "analyze": "text",
    "chunk_words": "text",
    "written_words": "text",
}


def __getattr__(name: str) -> Any:
    """The parts that only analysing needs; the version alone, which every command compares, costs nothing."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"gnomon.analyze.{_LATE[name]}"), name)
