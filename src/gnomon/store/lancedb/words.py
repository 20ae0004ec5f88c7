"""The words arm: LanceDB's full-text index finds candidates, which are scored again by the formula of every backend."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from lancedb.query import BooleanQuery, FullTextOperator, FullTextQuery, MatchQuery, Occur

from gnomon.store.base import Selection
from gnomon.store.bm25 import bm25, field_weights, idf
from gnomon.store.lancedb.connections import Snapshot
from gnomon.store.lancedb.selection import admitted
from gnomon.store.lancedb.tables import among, among_ids
from gnomon.store.terms import encode
from gnomon.values import ChunkWords, WordQuery

# Candidates scored again per row wanted, and at least: LanceDB counts the length of a passage with its weighted
# fields and rounds it, so its order is near ours, not ours.
_CANDIDATES_PER_ROW = 4
_MIN_CANDIDATES = 400

# What splits words for LanceDB beside what ``terms.encode`` writes otherwise: blanks of Unicode.
_BLANKS = re.compile("[\x80-\U0010ffff]")


def spelled(word: str) -> str:
    """One analyzed word as exactly one token of a whitespace tokenizer; different words stay different.

    >>> spelled("2026.4.10"), spelled("Two\u3000words")
    ('2026.4.10', '%54;wo%3000;words')
    """
    return _BLANKS.sub(lambda match: f"%{ord(match[0]):x};" if match[0].isspace() else match[0], encode(word))


def word_list(words: ChunkWords) -> tuple[list[str], int]:
    """Words of a chunk as they are indexed, each as often as its field weighs; and how many there are unweighted."""
    listed: list[str] = []
    length = 0
    for field, weight in field_weights().items():
        present = [spelled(word) for word in getattr(words, field) if word]
        length += len(present)
        listed += present * weight
    return listed, length


def count_chunks(snapshot: Snapshot, words: Iterable[str]) -> dict[str, int]:
    """Number of chunks that hold each word in any field."""
    by_token = {spelled(word): word for word in words if word}
    counts = dict.fromkeys(by_token.values(), 0)
    if by_token and snapshot.head.counts.chunks:
        rows = snapshot.table("frequencies").rows(among("word", by_token), ["word", "chunks"])
        for token, chunks in zip(rows["word"].to_pylist(), rows["chunks"].to_pylist(), strict=True):
            counts[by_token[token]] += chunks
    return counts


def words_held(snapshot: Snapshot, words: Iterable[str], chunk_ids: Sequence[int]) -> dict[int, frozenset[str]]:
    """Which of the words each chunk holds in any field."""
    by_token = {spelled(word): word for word in words if word}
    rows = snapshot.table("chunks").rows(among_ids("id", chunk_ids), ["id", "words"])
    held = {
        number: frozenset(by_token[token] for token in by_token.keys() & set(listed.split(" ")))
        for number, listed in zip(rows["id"].to_pylist(), rows["words"].to_pylist(), strict=True)
    }
    return {chunk: held.get(chunk, frozenset()) for chunk in chunk_ids}


def search_words(
    snapshot: Snapshot, query: WordQuery, frequencies: Mapping[str, int], *, limit: int, selection: Selection
) -> list[tuple[int, float]]:
    """(chunk id, bm25), best first, ties by id.

    Args:
        snapshot: To be searched.
        query: Words; with no ``any_of`` those of ``all_of`` score.
        frequencies: Chunks with each word of the query.
        limit: Rows wanted, >= 1.
        selection: Documents that may come back.
    """
    counts = snapshot.head.counts
    scoring = [word for word in query.any_of or query.all_of if frequencies[word]]
    if not scoring or any(not frequencies[word] for word in query.all_of):
        return []
    condition = admitted(snapshot, selection)
    if condition == "false":
        return []
    wanted = max(limit * _CANDIDATES_PER_ROW, _MIN_CANDIDATES)
    columns = ("id", "words", "length")
    expression = _expression(scoring, query, frequencies)
    rows = snapshot.table("chunks").best_by_words(expression, condition, columns, wanted)
    weights = {spelled(word): idf(frequencies[word], counts.chunks) for word in scoring}
    average = counts.words / counts.chunks
    scored = [
        (number, bm25(_occurrences(words, weights), length / average, weights))
        for number, words, length in zip(*(rows[name].to_pylist() for name in columns), strict=True)
    ]
    return sorted(scored, key=lambda hit: (-hit[1], hit[0]))[:limit]


def _expression(scoring: list[str], query: WordQuery, frequencies: Mapping[str, int]) -> FullTextQuery:
    any_of = _match(scoring, FullTextOperator.OR)
    unwanted = [word for word in query.none_of if frequencies[word]]
    if not query.all_of and not unwanted:
        return any_of
    parts: list[tuple[Occur, FullTextQuery]] = [(Occur.MUST, any_of)]
    if query.all_of:
        parts.append((Occur.MUST, _match(query.all_of, FullTextOperator.AND)))
    if unwanted:
        parts.append((Occur.MUST_NOT, _match(unwanted, FullTextOperator.OR)))
    return BooleanQuery(parts)


def _match(words: Iterable[str], operator: FullTextOperator) -> MatchQuery:
    text = " ".join(spelled(word) for word in words)
    return MatchQuery(text, "words", operator=operator)  # type: ignore[call-arg] # pydantic's defaults


def _occurrences(words: str, wanted: Iterable[str]) -> list[tuple[str, float]]:
    listed = words.split(" ")
    return [(word, count) for word in wanted if (count := listed.count(word))]
