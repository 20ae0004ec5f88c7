"""Text to words: one analyzer for every words arm."""

from __future__ import annotations

from gnomon.analyze.query import QueryKind, QueryWords, analyze_query
from gnomon.analyze.text import ANALYZER_VERSION, analyze, chunk_words

__all__ = ["ANALYZER_VERSION", "QueryKind", "QueryWords", "analyze", "analyze_query", "chunk_words"]
