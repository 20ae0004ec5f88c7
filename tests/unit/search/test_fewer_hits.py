"""Fewer hits wanted are the same hits, only fewer: nothing is refused, and no order changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gnomon.search import SearchOptions, search
from gnomon.values import Filters, Status
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.store import FakeStore

AddFile = Callable[..., int]


@pytest.fixture
def ask(store: FakeStore, embedder: FakeEmbedder) -> Callable[..., list[str]]:
    """Paths by the grounded policy."""

    def ask_for(k: int, query: str, *, search_all: bool = False) -> list[str]:
        options = SearchOptions(
            k=k, ranking="grounded", min_score=0.3, relative_cutoff=0.1, filters=Filters(search_all=search_all)
        )
        return [hit.path for hit in search(query, store=store, embedder=embedder, options=options).hits]

    return ask_for


def test_passage_without_the_quoted_phrase_takes_no_place(add: AddFile, ask: Callable[..., list[str]]) -> None:
    """It is nearer in meaning than the one that has the phrase."""
    add("near.md", "deploy blue and deploy green")
    add("exact.md", "on fridays the release crew runs a blue-green deploy behind the balancer at dawn")
    for number in range(6):
        add(f"{number}.md", f"gates open at seven {number}")
    assert [ask(k, '"blue-green deploy"') for k in (1, 2, 5)] == [["exact.md"]] * 3


def test_passage_without_the_quoted_phrase_cuts_off_nothing(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile
) -> None:
    """The cutoff is a share of the best that may come back."""
    add("near.md", "green lamps")
    add("exact.md", "all lamps green tonight")
    options = SearchOptions(ranking="grounded", min_score=0.01, relative_cutoff=0.99)
    answer = search('"lamps green"', store=store, embedder=embedder, options=options)
    assert [hit.path for hit in answer.hits] == ["exact.md"]


def test_successor_is_before_the_superseded_one_also_where_one_hit_is_wanted(
    add: AddFile, ask: Callable[..., list[str]]
) -> None:
    """All documents were asked for."""
    add("old.md", "how tokens are refreshed", status=Status.SUPERSEDED, successors=("new.md",))
    add("new.md", "how tokens are refreshed at present")
    assert ask(2, "how tokens are refreshed", search_all=True) == ["new.md", "old.md"]
    assert ask(1, "how tokens are refreshed", search_all=True) == ["new.md"]
