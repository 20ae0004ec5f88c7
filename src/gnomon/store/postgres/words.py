"""The words arm: a GIN index finds the chunks that hold rarer words, which the server scores by our formula."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gnomon.store.base import Selection
from gnomon.store.bm25 import field_weights, idf
from gnomon.store.postgres.connections import Reader
from gnomon.store.terms import encode
from gnomon.store.words import postings_budget, split
from gnomon.values import ChunkWords, WordQuery

# Rows that rarer words should find before common ones are left out; as in the default store.
_ENOUGH_ROWS = 200

# In the order of ``gnomon.store.bm25``, so that the figures are the same to the last digit but one.
_BEST = """
SELECT id, score FROM (
    SELECT c.id, (
        SELECT sum(q.weight * t.count * 2.2 / (t.count + 1.2 * (0.25 + 0.75 * (c.length / %(average)s))))
        FROM unnest(%(ids)s::int[], %(weights)s::float8[]) AS q (word, weight),
        LATERAL (SELECT c.counts[array_position(c.words, q.word)]::float8 AS count) AS t
    ) AS score
    FROM {s}.chunks AS c
    WHERE c.words && %(rare)s::int[]{conditions}
) AS scored
WHERE score IS NOT NULL
ORDER BY score DESC, id LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class Known:
    """What the corpus knows of a word: its number, and how many chunks hold it."""

    id: int
    chunks: int


def word_counts(words: ChunkWords) -> tuple[dict[str, int], int]:
    """Words of a chunk with how often each occurs, by the weight of its fields; and how many there are unweighted."""
    counts: dict[str, int] = {}
    length = 0
    for field, weight in field_weights().items():
        for word in getattr(words, field):
            if word:
                token = encode(word)
                counts[token] = counts.get(token, 0) + weight
                length += 1
    return counts, length


def look_up(reader: Reader, words: Iterable[str]) -> dict[str, Known]:
    """What is known of each word; unknown ones are left out."""
    by_token = {encode(word): word for word in words if word}
    rows = reader.execute(
        "SELECT v.word, v.id, (SELECT coalesce(sum(f.chunks), 0) FROM {s}.frequencies AS f WHERE f.word = v.id)"
        " FROM {s}.vocabulary AS v WHERE v.word = ANY(%s)",
        (list(by_token),),
    )
    return {by_token[token]: Known(number, int(chunks)) for token, number, chunks in rows}


def search_words(
    reader: Reader, query: WordQuery, known: Mapping[str, Known], *, limit: int, selection: Selection
) -> list[tuple[int, float]]:
    """(chunk id, bm25), best first, ties by id.

    In large corpora rows that hold only the query's commonest words are left out; see ``gnomon.store.words.split``.

    Args:
        reader: In a transaction.
        query: Words; with no ``any_of`` those of ``all_of`` score.
        known: Of the words of the query.
        limit: Rows wanted, >= 1.
        selection: Documents that may come back.
    """
    present = {word: each for word, each in known.items() if each.chunks > 0}
    if any(word not in present for word in query.all_of):
        return []
    scoring = {word: present[word].chunks for word in query.any_of or query.all_of if word in present}
    enough = min(limit, _ENOUGH_ROWS)
    rare, common = split(scoring, enough=enough, budget=postings_budget(reader.state.chunks))
    if not rare:
        return []
    if query.all_of:
        rare, common = [*rare, *common], []
    found = _best(reader, query, present, rare, limit, selection)
    if common and 2 * len(found) < enough:
        # The selection, or words to be left out, took what the rare words found.
        found = _best(reader, query, present, [*rare, *common], limit, selection)
    return found


def _best(
    reader: Reader, query: WordQuery, present: Mapping[str, Known], rare: list[str], limit: int, selection: Selection
) -> list[tuple[int, float]]:
    state = reader.state
    scoring = [word for word in query.any_of or query.all_of if word in present]
    values: dict[str, Any] = {
        "average": state.words / state.chunks,
        "ids": [present[word].id for word in scoring],
        "weights": [idf(present[word].chunks, state.chunks) for word in scoring],
        "rare": [present[word].id for word in rare],
        "limit": limit,
    }
    conditions = ""
    if query.all_of:
        conditions += " AND c.words @> %(all_of)s::int[]"
        values["all_of"] = [present[word].id for word in query.all_of]
    if unwanted := [present[word].id for word in query.none_of if word in present]:
        conditions += " AND NOT c.words && %(none_of)s::int[]"
        values["none_of"] = unwanted
    conditions += admitted("c.document", selection, values)
    rows = reader.execute(_BEST.replace("{conditions}", conditions), values)
    return [(int(number), float(score)) for number, score in rows]


def admitted(column: str, selection: Selection, values: dict[str, Any]) -> str:
    """Conditions for the documents of a selection; their ids are put into ``values``."""
    conditions = ""
    if selection.only is not None:
        conditions += f" AND {column} = ANY(%(only)s)"
        values["only"] = sorted(selection.only)
    if selection.without:
        conditions += f" AND {column} <> ALL(%(without)s)"
        values["without"] = sorted(selection.without)
    return conditions
