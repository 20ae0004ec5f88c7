"""The words arm: a GIN index finds the chunks that hold rarer words, which the server scores by our formula."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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

# Each word is looked for once per row, in the inner query, and read where it was found, in the outer one.
_BEST = """
SELECT id, {score} AS score FROM (
    SELECT c.id, c.counts, 1.2 * (0.25 + 0.75 * (c.length / %(average)s)) AS norm{places}
    FROM {s}.chunks AS c WHERE c.words && %(rare)s::int[]{conditions} OFFSET 0
) AS found
ORDER BY score DESC, id LIMIT %(limit)s
"""
_PLACE = ", position(%(word{n})s::bytea IN c.counts) AS p{n}"
_TERM = (
    "CASE WHEN p{n} > 0 THEN %(weight{n})s * get_byte(counts, p{n} + 4) * 2.2::float8"
    " / (get_byte(counts, p{n} + 4) + norm) ELSE 0 END"
)

# Of an entry of ``chunks.counts``: this byte, the word's number in four bytes of seven bits, and how often it occurs.
# No other byte is as high, so that a word is found at its own place only.
_MARK = 0xFF
_MOST_COUNTED = 0xFE
# More words than this are scored by their rarest: PostgreSQL gives a row at most 1,664 columns.
_MAX_SCORED = 300


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


def packed(counts: Iterable[tuple[int, int]]) -> bytes:
    """(number of a word, how often it occurs), as ``chunks.counts`` has them.

    >>> packed([(1, 2), (300, 1)]).hex(" ")
    'ff 00 00 00 01 02 ff 00 00 02 2c 01'
    """
    return b"".join(_place(number) + bytes((min(count, _MOST_COUNTED),)) for number, count in counts)


def _place(number: int) -> bytes:
    """How the entry of a word begins."""
    return bytes((_MARK, number >> 21 & 0x7F, number >> 14 & 0x7F, number >> 7 & 0x7F, number & 0x7F))


def look_up(reader: Reader, words: Iterable[str]) -> dict[str, Known]:
    """What is known of each word; unknown ones are left out."""
    by_token = {encode(word): word for word in words if word}
    memory = reader.remembered.words
    missing = [token for token in by_token if token not in memory]
    if missing:
        memory.update(dict.fromkeys(missing))
        rows = reader.execute(
            "SELECT v.word, v.id, (SELECT coalesce(sum(f.chunks), 0) FROM {s}.frequencies AS f WHERE f.word = v.id)"
            " FROM {s}.vocabulary AS v WHERE v.word = ANY(%s)",
            (missing,),
        )
        memory.update((token, (number, int(chunks))) for token, number, chunks in rows)
    return {word: Known(*known) for token, word in by_token.items() if (known := memory[token])}


def words_held(reader: Reader, words: Iterable[str], chunk_ids: Sequence[int]) -> dict[int, frozenset[str]]:
    """Which of the words each chunk holds in any field."""
    known = {each.id: word for word, each in look_up(reader, words).items()}
    rows = reader.execute(
        "SELECT c.id, ARRAY(SELECT unnest(c.words) INTERSECT SELECT unnest(%s::int[]))"
        " FROM {s}.chunks AS c WHERE c.id = ANY(%s)",
        (list(known), list(chunk_ids)),
    )
    held = {number: frozenset(known[each] for each in numbers) for number, numbers in rows}
    return {chunk: held.get(chunk, frozenset()) for chunk in chunk_ids}


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
    scoring = sorted(scoring, key=lambda word: present[word].chunks)[:_MAX_SCORED]
    values: dict[str, Any] = {
        "average": state.words / state.chunks,
        "rare": [present[word].id for word in rare],
        "limit": limit,
    }
    for n, word in enumerate(scoring):
        values[f"word{n}"] = _place(present[word].id)
        values[f"weight{n}"] = idf(present[word].chunks, state.chunks)
    conditions = ""
    if query.all_of:
        conditions += " AND c.words @> %(all_of)s::int[]"
        values["all_of"] = [present[word].id for word in query.all_of]
    if unwanted := [present[word].id for word in query.none_of if word in present]:
        conditions += " AND NOT c.words && %(none_of)s::int[]"
        values["none_of"] = unwanted
    conditions += admitted("c.document", selection, values)
    numbers = range(len(scoring))
    statement = (
        _BEST.replace("{conditions}", conditions)
        .replace("{places}", "".join(_PLACE.replace("{n}", str(n)) for n in numbers))
        .replace("{score}", " + ".join(_TERM.replace("{n}", str(n)) for n in numbers))
    )
    rows = reader.execute(statement, values)
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
