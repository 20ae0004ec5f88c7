"""Fewer hits wanted are the same hits, only fewer: nothing is refused, and no order changes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from gnomon.search import SearchOptions, search
from gnomon.values import Filters, Ranking, Status
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


def _many(add: AddFile, count: int) -> None:
    """Files of words that are drawn anew for each, the same in every run."""
    words = [f"word{number}" for number in range(40)]
    draw = random.Random(7)
    for number in range(count):
        add(f"{number}.md", " ".join(draw.choices(words, k=draw.randint(3, 20))))


@pytest.mark.parametrize("ranking", ["hybrid", "grounded"])
def test_more_hits_begin_with_the_fewer(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile, ranking: Ranking
) -> None:
    """How many candidates are ranked does not hang on how many hits are wanted."""
    _many(add, 250)
    options = SearchOptions(ranking=ranking, min_score=0.0, relative_cutoff=0.0, lexical_max_doc_freq=0.0)

    def ask(k: int) -> list[str]:
        found = search("word1 word2 word3", store=store, embedder=embedder, options=replace(options, k=k))
        scores = [hit.score for hit in found.hits]
        assert scores == sorted(scores, reverse=True)
        return [hit.path for hit in found.hits]

    all_hits = ask(130)
    assert len(all_hits) == 130
    assert all(ask(k) == all_hits[:k] for k in (3, 10, 30, 60, 100))


def test_what_lies_deeper_follows_where_one_file_holds_the_best(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile
) -> None:
    """It has a few places only, and twenty hits were wanted."""
    gap = "nothing of interest"
    add("long.md", *["session refresh" if at % 2 == 0 else gap for at in range(160)])
    for number in range(30):
        add(f"{number}.md", f"session {number} and much else that was never asked for")
    found = search("session refresh", store=store, embedder=embedder, options=SearchOptions(k=20, per_file=2))
    assert [hit.path for hit in found.hits[:2]] == ["long.md", "long.md"]
    assert len({hit.path for hit in found.hits}) == 19


def test_path_boost_lifts_nothing_above_the_hits_of_fewer(
    add: AddFile, store: FakeStore, embedder: FakeEmbedder
) -> None:
    """What is far below the best fifty is no candidate for the first ten, however many are wanted."""
    _many(add, 80)
    options = SearchOptions(ranking="grounded", min_score=0.0, relative_cutoff=0.0, lexical_max_doc_freq=0.0)

    def ask(k: int, *boosted: str) -> list[str]:
        boosts = tuple((path, 100.0) for path in boosted)
        asked = replace(options, k=k, path_boosts=boosts)
        return [hit.path for hit in search("word1 word2 word3", store=store, embedder=embedder, options=asked).hits]

    plain = ask(55)
    near, far = plain[44], plain[54]
    assert ask(10, near)[0] == ask(55, near)[0] == near
    assert ask(30, far) == plain[:30]
    assert ask(55, far) == [*plain[:50], far, *plain[50:54]]
