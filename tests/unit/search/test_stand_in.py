"""When a hidden document would have matched best, the answer says so and gives its living successor."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from gnomon.search import SearchOptions, search
from gnomon.search.refusal import META_KEY
from gnomon.values import Answer, Filters, Ranking, Status
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.store import FakeStore

AddFile = Callable[..., int]
_QUESTION = "how do people sign in"


@pytest.fixture
def corpus(add: AddFile) -> None:
    """An old decision that repeats the question, its successor that barely does, and another that does more."""
    add("adr/1.md", "people sign in: how do people sign in", status=Status.SUPERSEDED, successors=("2.md",))
    add("adr/2.md", "passkeys replace passwords when people authenticate", date="2026-03-01")
    add("adr/3.md", "people sign papers for the front desk")


def ask(
    store: FakeStore, embedder: FakeEmbedder | None, ranking: Ranking = "hybrid", filters: Filters | None = None
) -> Answer:
    """The answer to the question."""
    return search(
        _QUESTION, store=store, embedder=embedder, options=SearchOptions(ranking=ranking, filters=filters or Filters())
    )


@pytest.mark.usefixtures("corpus")
@pytest.mark.parametrize("ranking", ["hybrid", "grounded"])
def test_living_successor_is_given_instead_of_the_superseded_document(
    store: FakeStore, embedder: FakeEmbedder, ranking: Ranking
) -> None:
    """It comes first, and a notice tells why."""
    answer = ask(store, embedder, ranking)
    assert answer.hits[0].path == "adr/2.md"
    assert "adr/1.md" not in [hit.path for hit in answer.hits]
    assert answer.notices[-1].startswith("adr/1.md would have matched best (")
    assert "), but is superseded; given instead: adr/2.md" in answer.notices[-1]


@pytest.mark.usefixtures("corpus")
@pytest.mark.parametrize("question", [f"{_QUESTION} -replace", f'{_QUESTION} "sign in"'])
def test_stand_in_is_what_the_question_asks_for(store: FakeStore, embedder: FakeEmbedder, question: str) -> None:
    """It holds nothing that is to be left out, and every quoted phrase; else it is named only."""
    answer = search(question, store=store, embedder=embedder, options=SearchOptions())
    assert "adr/2.md" not in [hit.path for hit in answer.hits]
    assert answer.notices[-1].endswith("but is superseded; see adr/2.md")


@pytest.mark.usefixtures("corpus")
def test_document_that_is_not_asked_for_gets_no_stand_in(store: FakeStore, embedder: FakeEmbedder) -> None:
    """The superseded one has what is to be left out."""
    answer = search(f"{_QUESTION} -how", store=store, embedder=embedder, options=SearchOptions())
    assert not [notice for notice in answer.notices if "superseded" in notice]


@pytest.mark.usefixtures("corpus")
def test_stand_in_that_is_refused_is_not_said_to_be_given(store: FakeStore, embedder: FakeEmbedder) -> None:
    """A threshold holds for it, too."""
    noise = {"model": embedder.spec.id, "noiseTypical": 0.0, "noiseCeiling": 0.3}
    store.set_meta(META_KEY, json.dumps(noise))
    answer = search(_QUESTION, store=store, embedder=embedder, options=SearchOptions(min_confidence=1.0))
    assert answer.hits == ()
    assert "given instead" not in "".join(answer.notices)


@pytest.mark.usefixtures("corpus")
@pytest.mark.parametrize(("min_score", "said"), [(0.5, True), (0.1, False), (None, False)])
def test_stand_in_below_the_threshold_is_told_apart(
    store: FakeStore, embedder: FakeEmbedder, min_score: float | None, *, said: bool
) -> None:
    """Who asked for a score sees why a lower one is shown."""
    answer = search(_QUESTION, store=store, embedder=embedder, options=SearchOptions(min_score=min_score))
    assert answer.hits[0].path == "adr/2.md"
    assert ("whatever its own score (0.27, threshold 0.50)" in answer.notices[-1]) is said


@pytest.mark.usefixtures("corpus")
def test_superseded_document_comes_back_marked_when_all_is_asked_for(store: FakeStore, embedder: FakeEmbedder) -> None:
    """With its status and its successor, and without a notice."""
    answer = ask(store, embedder, filters=Filters(search_all=True))
    old = next(hit for hit in answer.hits if hit.path == "adr/1.md")
    assert (old.status, old.successor) == (Status.SUPERSEDED, "adr/2.md")
    assert not answer.notices


@pytest.mark.usefixtures("corpus")
def test_words_decide_where_there_is_no_model(store: FakeStore) -> None:
    """The superseded document has more of the question's words."""
    answer = ask(store, None)
    assert answer.notices[-1] == "adr/1.md would have matched best, but is superseded; given instead: adr/2.md"


@pytest.mark.usefixtures("corpus")
def test_filters_hold_for_the_stand_in(store: FakeStore, embedder: FakeEmbedder) -> None:
    """A successor outside the paths asked for is named, not given."""
    answer = ask(store, embedder, filters=Filters(paths=("adr/1.md", "adr/3.md")))
    assert [hit.path for hit in answer.hits] == ["adr/3.md"]
    assert answer.notices[-1].endswith("but is superseded; see adr/2.md")


def test_archived_document_is_named(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """It has no successor; the reader may still want it."""
    add("notes/old.md", "how do people sign in with passwords", status=Status.ARCHIVED)
    add("notes/new.md", "gates open at seven")
    assert (
        ask(store, embedder).notices[-1].endswith("is archived and names no successor; ask for all documents to see it")
    )


def test_no_word_is_lost_on_a_hidden_document_that_matches_worse(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile
) -> None:
    """A living document answers better."""
    add("adr/1.md", "people park here", status=Status.SUPERSEDED, successors=("2.md",))
    add("adr/2.md", "how do people sign in with passkeys")
    assert not ask(store, embedder).notices


def test_gibberish_gets_no_notice(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """The hidden document is below the threshold of the model."""
    add("adr/1.md", "how do people sign in", status=Status.SUPERSEDED, successors=("2.md",))
    add("adr/2.md", "passkeys")
    assert not search("zxqv wvrtp", store=store, embedder=embedder).notices


def test_date_asked_for_brings_back_what_held_then(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """Before the successor the old document held."""
    add("adr/1.md", "people sign in with passwords", status=Status.SUPERSEDED, successors=("2.md",), date="2020-01-01")
    add("adr/2.md", "people sign in with passkeys", date="2024-01-01")
    answer = ask(store, embedder, filters=Filters(as_of="2022-01-01"))
    assert [(hit.path, hit.status) for hit in answer.hits] == [("adr/1.md", Status.LIVING)]
    assert not answer.notices


def test_successor_that_is_among_the_hits_comes_first(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """It takes the place of the one that is hidden."""
    add("adr/1.md", "how do people sign in", status=Status.SUPERSEDED, successors=("2.md",))
    add("adr/2.md", "people use a passkey and sign")
    add("adr/3.md", "how people sign papers")
    answer = ask(store, embedder)
    assert [hit.path for hit in answer.hits] == ["adr/2.md", "adr/3.md"]
    assert answer.hits[0].score >= answer.hits[1].score


@pytest.mark.parametrize("ranking", ["hybrid", "grounded"])
def test_superseded_document_never_stands_above_its_successor(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile, ranking: Ranking
) -> None:
    """Also where all is asked for and the old one matches better."""
    add("adr/1.md", "how do people sign in", status=Status.SUPERSEDED, successors=("2.md",))
    add("adr/2.md", "how do people sign in with passkeys today")
    answer = ask(store, embedder, ranking, Filters(search_all=True))
    assert [hit.path for hit in answer.hits] == ["adr/2.md", "adr/1.md"]


@pytest.mark.parametrize("ranking", ["hybrid", "grounded"])
def test_superseded_document_never_stands_above_any_of_several_successors(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile, ranking: Ranking
) -> None:
    """What took its place took it together."""
    add("adr/1.md", "how do people sign in", status=Status.SUPERSEDED, successors=("2.md", "3.md"))
    add("adr/2.md", "how do people sign in with passkeys today")
    add("adr/3.md", "how do people sign in from machines again")
    answer = ask(store, embedder, ranking, Filters(search_all=True))
    assert [hit.path for hit in answer.hits] == ["adr/2.md", "adr/3.md", "adr/1.md"]
