"""Tests of passages: neighbours read as one, places shared out."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from gnomon.search.candidate import Candidate, Evidence
from gnomon.search.merge import choose, join
from gnomon.store.base import StoredChunk
from gnomon.values import Chunk, Document, Span


def _candidate(document: int, ordinal: int) -> Candidate:
    chunk = Chunk(ordinal, Span(0, 1), 1, 1, "")
    return Candidate(
        StoredChunk(document * 100 + ordinal, document, chunk),
        Document("", str(document), 0, 0, 0, "", "code", ""),
        Evidence(),
    )


def _chosen(*places: tuple[int, int], k: int = 5, per_file: int = 3) -> list[list[int]]:
    passages = choose([_candidate(*place) for place in places], k=k, per_file=per_file)
    return [[each.stored.id for each in passage] for passage in passages]


def test_neighbours_join_and_take_no_place() -> None:
    """Before and after, in any order of arrival."""
    assert _chosen((1, 5), (2, 0), (1, 6), (1, 4), k=2) == [[104, 105, 106], [200]]


def test_a_passage_stays_readable() -> None:
    """The fifth neighbour is a passage of its own."""
    assert _chosen(*[(1, at) for at in range(5)]) == [[100, 101, 102, 103], [104]]


def test_a_file_has_its_places_and_no_more() -> None:
    """The next file gets the rest."""
    assert _chosen((1, 0), (1, 5), (1, 9), (2, 0), k=3, per_file=2) == [[100], [105], [200]]


def test_nothing_is_taken_after_the_last_place() -> None:
    """Neighbours of taken passages still join until a new one would be needed."""
    assert _chosen((1, 0), (2, 0), (1, 1), k=1) == [[100]]


@given(st.text(alphabet="ab\n ", min_size=1, max_size=60), st.lists(st.integers(0, 60), max_size=6))
def test_joining_gives_back_the_text(text: str, cuts: list[int]) -> None:
    """Chunks that touch or overlap join to the very text they were cut from."""
    borders = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    chunks = []
    for ordinal, (start, end) in enumerate(pairwise(borders)):
        begin = max(0, start - 3) if ordinal % 2 else start
        line = text.count("\n", 0, begin) + 1
        chunks.append(Chunk(ordinal, Span(begin, end), line, line + text.count("\n", begin, end), text[begin:end]))
    assert join(chunks) == text


def test_blank_lines_between_chunks_come_back() -> None:
    """Chunks leave white space out; their lines and spans say how much there was."""
    first = Chunk(0, Span(0, 1), 1, 1, "a")
    assert join([first, Chunk(1, Span(5, 6), 3, 3, "b")]) == "a\n\n  b"
    assert join([first, Chunk(1, Span(5, 9), 3, 4, "b\r\nc")]) == "a\r\n\r\nb\r\nc"
