"""Both arms -> what they say of each candidate chunk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gnomon.analyze import QueryWords
from gnomon.embed.base import Embedder
from gnomon.errors import ModelError
from gnomon.search.aside import Aside
from gnomon.search.candidate import Evidence, Head, read_heads
from gnomon.search.options import SearchOptions
from gnomon.search.rank import Rules
from gnomon.store.base import Selection, Store
from gnomon.values import WordQuery

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The words list is read this deep so that the word score of a candidate of the vectors is known and not taken for 0.
# 100 to 1000 are alike in quality (0.919 to 0.916 on 17 repositories); 1000 cost 1.5 ms more.
WORDS_READ: Final = 200
# Candidates per arm that the ranking layer looks at: 75 to 150 are alike, 300 is worse by 0.003 and slower.
LAYER_POOL: Final = 75
# Words of a long question that are looked up, the rarest: a pasted log would read half of the index.
_WORDS_ASKED: Final = 32
# Folders of a typed path that may be above a root.
_MOST_PARTS: Final = 64


@dataclass(slots=True)
class Retrieved:
    """What both arms found.

    Attributes:
        evidence: By chunk id; the union of both pools.
        heads: Of the words pool by chunk id: read while the vectors are searched.
        rules: Of the ranking layer, which looked at these heads meanwhile; None where it did not.
        words: Chunk ids of the words pool, best first.
        vectors: Chunk ids of the vectors pool, best first.
        notices: One sentence each: why an arm is silent.
        is_foreign: The model was trained on English and the question is in another language.
        vector: Of the question, None where it was not embedded.
    """

    evidence: dict[int, Evidence] = field(default_factory=dict)
    heads: dict[int, Head] = field(default_factory=dict)
    rules: Rules | None = None
    words: list[int] = field(default_factory=list)
    vectors: list[int] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    is_foreign: bool = False
    vector: NDArray[np.float32] | None = None


def retrieve(
    query: QueryWords,
    *,
    store: Store,
    embedder: Embedder | None,
    options: SearchOptions,
    selection: Selection,
    vector: NDArray[np.float32] | None = None,
) -> Retrieved:
    """Ask both arms at the same time, and let each say what it knows of the other's candidates.

    ``vector`` is that of the question where it is known already.
    """
    found = Retrieved()
    pool = pool_size(options)

    def ask_vectors() -> list[tuple[int, float]]:
        found.vector = vector if vector is not None else _embed(query, embedder, found)
        return [] if found.vector is None else store.search_vectors(found.vector, limit=pool, selection=selection)

    def ask_words() -> list[tuple[int, float]]:
        with store.snapshot():
            ranked = list(
                (dict(_by_path(query, store, selection)) | dict(_by_words(query, store, selection, pool))).items()
            )
            heads = read_heads(store, [chunk for chunk, _ in ranked[: _words_pool(query, pool)]])
        found.heads = {head.stored.id: head for head in heads}
        if options.layer and options.fusion == "convex":
            found.rules = Rules(query)
            found.rules.look_at(heads)
        return ranked

    # It is the words that stand aside: they are found before the vectors are, and nobody is woken up for them. The
    # question is taken apart there, too.
    asked = Aside(ask_words) if options.hybrid else None
    _add_vectors(found, ask_vectors())
    if asked:
        _add_words(found, asked.result(), _words_pool(query, pool))
    elif found.vector is None:
        _add_words(found, ask_words(), _words_pool(query, pool))
    found.is_foreign = embedder is not None and embedder.spec.english_only and not query.is_english
    lacking = [chunk for chunk, evidence in found.evidence.items() if evidence.cosine is None]
    if found.vector is not None and lacking:
        for chunk, cosine in store.cosines(found.vector, lacking).items():
            found.evidence[chunk].cosine = cosine
    return found


def pool_size(options: SearchOptions) -> int:
    """Candidates per arm; those of the ranking layer are as many whatever is wanted of them."""
    if options.fusion == "rrf":
        return max(options.k * options.pool_multiplier, options.pool_min)
    return max(options.pool_min, LAYER_POOL)


def _words_pool(query: QueryWords, pool: int) -> int:
    """Candidates of the words arm."""
    return max(pool, WORDS_READ) if query.is_picky else pool


def _embed(query: QueryWords, embedder: Embedder | None, found: Retrieved) -> NDArray[np.float32] | None:
    if embedder is None:
        found.notices.append("Searched by words only: no embedding model is loaded.")
        return None
    if not query.text:
        return None
    try:
        return embedder.embed_query(query.text)
    except ModelError as error:
        found.notices.append(f"Searched by words only: {error}")
        return None


def _by_words(query: QueryWords, store: Store, selection: Selection, pool: int) -> list[tuple[int, float]]:
    words = _rarest(query.words, store)
    if not words.any_of and not words.all_of:
        return []
    return store.search_words(words, limit=max(pool, WORDS_READ), selection=selection)


def _by_path(query: QueryWords, store: Store, selection: Selection) -> list[tuple[int, float]]:
    """The best passage of each file whose path the question is: others may hold its words more often."""
    found: list[tuple[int, float]] = []
    for root in store.folders() if query.path else ():
        for path in _below(root, query.path):
            stored = store.find_document(root, path)
            if stored and selection.admits(stored.id):
                only = Selection(only=frozenset([stored.id]))
                first = [(chunk.id, 0.0) for chunk in store.document_chunks(stored.id)[:1]]
                found += store.search_words(query.words, limit=1, selection=only) or first
    return found


def _below(root: str, path: str) -> list[str]:
    """What a typed path may be below a root: itself, or the rest of one that begins with the end of the root's own."""
    parts = path.split("/")[:_MOST_PARTS]
    above = ["/".join(parts[:at]) for at in range(1, len(parts))]
    return [path, *(path[len(each) + 1 :] for each in above if f"/{root}/".endswith(f"/{each.lstrip('/')}/"))]


def _add_vectors(found: Retrieved, ranked: Sequence[tuple[int, float]]) -> None:
    for rank, (chunk, cosine) in enumerate(ranked, 1):
        found.vectors.append(chunk)
        found.evidence[chunk] = Evidence(cosine=cosine, vector_rank=rank)


def _add_words(found: Retrieved, ranked: Sequence[tuple[int, float]], pool: int) -> None:
    for rank, (chunk, bm25) in enumerate(ranked, 1):
        if rank <= pool:
            found.words.append(chunk)
            evidence = found.evidence.setdefault(chunk, Evidence())
            evidence.word_rank = rank
            evidence.bm25 = bm25
        elif chunk in found.evidence:
            found.evidence[chunk].bm25 = bm25


def _rarest(words: WordQuery, store: Store) -> WordQuery:
    if len(words.any_of) <= _WORDS_ASKED:
        return words
    frequencies = store.document_frequencies(words.any_of)
    known = [word for word in words.any_of if frequencies.get(word)]
    kept = frozenset(sorted(known, key=frequencies.__getitem__)[:_WORDS_ASKED])
    return WordQuery(tuple(word for word in known if word in kept), words.all_of, words.none_of)
