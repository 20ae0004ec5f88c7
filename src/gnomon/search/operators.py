"""Quoted phrases and exclusions, checked on the texts of the candidates of both arms."""

from __future__ import annotations

from gnomon.analyze import QueryWords, analyze
from gnomon.analyze.query import contains_phrase, fold_text
from gnomon.search.candidate import Candidate
from gnomon.store.base import Store


def keep_admitted(query: QueryWords, candidates: list[Candidate], store: Store) -> list[Candidate]:
    """Candidates that hold every quoted phrase and nothing excluded.

    The words arm only knows that the words occur; the vectors arm not even that. Texts are read only where the
    question has such an operator.
    """
    if not query.phrases and not query.excluded:
        return candidates
    texts = {stored.id: stored.chunk.text for stored in store.chunks([each.stored.id for each in candidates])}
    return [each for each in candidates if _admits(query, _searchable(each, texts.get(each.stored.id, "")))]


def _searchable(candidate: Candidate, text: str) -> str:
    chunk = candidate.stored.chunk
    return "\n".join((text, *chunk.breadcrumb, *chunk.symbols, candidate.document.path))


def _admits(query: QueryWords, text: str) -> bool:
    folded = fold_text(text)
    if not all(contains_phrase(folded, phrase) for phrase in query.phrases):
        return False
    if any(contains_phrase(folded, piece) for piece in query.excluded):
        return False
    return not query.words.none_of or not set(query.words.none_of) & set(analyze(text))
