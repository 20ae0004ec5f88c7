"""Passages of other files near to one."""

from __future__ import annotations

from collections.abc import Callable

from gnomon.search import SearchOptions
from gnomon.search.related import find_related
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.store import FakeStore


def test_a_file_with_many_near_passages_takes_no_place_from_others(
    store: FakeStore, embedder: FakeEmbedder, add: Callable[..., int]
) -> None:
    """As many files come back as are wanted and there."""
    add("here.md", "herons fish in reeds")
    add("many.md", *(f"herons fish in reeds {number}" for number in range(60)))
    for number in range(6):
        add(f"far{number}.md", f"herons {number} and other birds of the shore")
    document = store.find_document("/corpus", "here.md")
    assert document is not None
    answer = find_related(document, 1, store=store, embedder=embedder, options=SearchOptions(k=7))
    assert {hit.path for hit in answer.hits} == {"many.md", *(f"far{number}.md" for number in range(6))}
