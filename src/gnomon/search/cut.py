"""What of a long question was not searched for: nothing is left out in silence."""

from __future__ import annotations

from gnomon.analyze import QueryWords
from gnomon.analyze.query import MOST_WORDS, READ_CHARS
from gnomon.embed.base import Embedder


def what_was_cut(query: QueryWords, embedder: Embedder | None) -> tuple[str, ...]:
    """One sentence, or none where all of the question was searched for.

    Args:
        query: Analyzed.
        embedder: With which it was searched for, None for words alone.
    """
    cuts = []
    if query.length_chars > READ_CHARS:
        cuts.append(f"the first {READ_CHARS:,} of its {query.length_chars:,} characters were read")
    if query.word_count > MOST_WORDS:
        cuts.append(f"{MOST_WORDS} of its {query.word_count} different words were looked up")
    if embedder is not None and (fitting := _chars_in_window(query.text, embedder)) < len(query.text):
        cuts.append(f"meaning was compared by its first {fitting:,} characters")
    return (f"The question is long: {', '.join(cuts)}.",) if cuts else ()


def _chars_in_window(text: str, embedder: Embedder) -> int:
    """Characters of a question that the model takes in."""
    prefix = embedder.spec.query_prefix
    fitting = embedder.spec.window_tokens - embedder.spec.special_tokens
    if len(prefix) + len(text) <= fitting:  # no token is shorter than a character
        return len(text)
    starts = embedder.token_starts(prefix + text)
    return starts[fitting] - len(prefix) if len(starts) > fitting else len(text)
