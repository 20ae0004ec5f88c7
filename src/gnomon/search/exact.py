"""The exact track of the grounded policy: passages that hold a rare word of the question, as it was typed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gnomon.analyze import QueryWords, written_words
from gnomon.search.options import SearchOptions
from gnomon.store.base import Selection, Store, StoredChunk
from gnomon.values import Document, WordQuery

# A word in this many chunks is rare in a corpus of any size.
_RARE_ANYWAY: Final = 5
# Passages that are looked at: enough that those with another ending of a word do not crowd out those with its own.
_POOL: Final = 200
_READ_AT_ONCE: Final = 20


@dataclass(frozen=True, slots=True)
class Exact:
    """What the exact track found.

    Attributes:
        chunks: (chunk, bm25), best first.
        words: Of the question, as typed; each is in one of the chunks.
    """

    chunks: tuple[tuple[int, float], ...] = ()
    words: tuple[str, ...] = ()


def rare_words(frequencies: Mapping[str, int], *, chunks: int, max_doc_freq: float) -> tuple[str, ...]:
    """The words that the exact track is limited to, in the order given.

    A word is rare where it occurs in at most ``max(5, max_doc_freq * chunks)`` chunks and in no more than half of
    all chunks. A word that occurs nowhere is no use.

    >>> rare_words({"token": 5, "gateway": 6, "zebra": 0}, chunks=80, max_doc_freq=0.01)
    ('token',)
    """
    ceiling = min(max(_RARE_ANYWAY, max_doc_freq * chunks), chunks / 2)
    return tuple(word for word, frequency in frequencies.items() if 0 < frequency <= ceiling)


def find_exact(
    query: QueryWords,
    *,
    near: Collection[int],
    alone: int,
    store: Store,
    options: SearchOptions,
    selection: Selection,
) -> Exact:
    """Passages with a rare word of the question.

    The words arm knows stems, and so is what is rare counted; but "capitalise" is no exact match of "capital", so that
    of what it finds only that is kept which holds such a word with the ending it was typed with. To see that, texts are
    read, and no more of them than needed.

    Args:
        query: Analyzed.
        near: Chunks of the semantic track; of all of them it is told whether the exact track has them, too.
        alone: How many others are wanted at most.
        store: To search.
        options: What is rare.
        selection: What may come back.
    """
    frequencies = store.document_frequencies(query.terms)
    ordered = {term: frequencies.get(term, 0) for term in query.terms}
    rare = rare_words(ordered, chunks=store.status().chunks, max_doc_freq=options.lexical_max_doc_freq)
    if not rare:
        return Exact()
    words = WordQuery(any_of=rare, all_of=query.words.all_of, none_of=query.words.none_of)
    found = store.search_words(words, limit=max(_POOL, options.k * 5), selection=selection)
    typed = query.as_typed(rare)
    held = _held(typed, [chunk for chunk, _ in found if chunk in near], store)
    others = [chunk for chunk, _ in found if chunk not in near]
    for start in range(0, len(others), _READ_AT_ONCE):
        if sum(chunk not in near for chunk in held) >= alone:
            break
        held |= _held(typed, others[start : start + _READ_AT_ONCE], store)
    told = set[str]().union(*held.values())
    return Exact(tuple(each for each in found if each[0] in held), tuple(word for word in typed if word in told))


def _held(typed: Sequence[str], chunks: Sequence[int], store: Store) -> dict[int, set[str]]:
    """Those of some words that are written in a chunk, its headings, its names or its path; without chunks of none."""
    stored = store.chunks(chunks)
    documents = store.documents_of({each.document_id for each in stored})
    held = {
        each.id: written_words(typed, _text(each, documents[each.document_id].document))
        for each in stored
        if each.document_id in documents  # else another process took it out meanwhile
    }
    return {chunk: words for chunk, words in held.items() if words}


def _text(stored: StoredChunk, document: Document) -> str:
    chunk = stored.chunk
    return "\n".join((chunk.text, *chunk.breadcrumb, *chunk.symbols, chunk.signature, document.title, document.path))
