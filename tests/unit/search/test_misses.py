"""Tests of why_not: where a file was lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from gnomon.search import SearchOptions
from gnomon.search.misses import Miss, why_not
from gnomon.store.base import SkipWrite
from gnomon.values import Filters, Skip, SkipReason, Status
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.store import FakeStore

AddFile = Callable[..., int]


@pytest.fixture
def ask(store: FakeStore, embedder: FakeEmbedder) -> Callable[..., Miss]:
    """Why a path is not in the answer to a question."""

    def why(path: str, query: str = "session refresh", **options: object) -> Miss:
        asked = replace(SearchOptions(k=1), **options)  # type: ignore[arg-type]
        return why_not(query, folder="/corpus", path=path, store=store, embedder=embedder, options=asked)

    return why


def test_a_file_that_is_not_indexed_names_the_next_command(ask: Callable[..., Miss]) -> None:
    """Discovery knows more."""
    assert "gnomon why gone.md" in ask("gone.md").reasons[0]


def test_a_skipped_file_has_its_reason(ask: Callable[..., Miss], store: FakeStore) -> None:
    """The store remembers skips."""
    store.write([SkipWrite("/corpus", Skip("big.log", SkipReason.TOO_LARGE, "9 MB"))])
    assert ask("big.log").reasons == ("big.log is not in the index: too large (9 MB)",)


def test_a_filter_is_named(ask: Callable[..., Miss], add: AddFile) -> None:
    """With what it wants."""
    add("a.md", "session refresh")
    assert "matches none of src/**" in ask("a.md", filters=Filters(paths=("src/**",))).reasons[0]


def test_a_hidden_document_names_its_successor(ask: Callable[..., Miss], add: AddFile) -> None:
    """Lifecycle is told apart from ranking."""
    add("old.md", "session refresh", status=Status.SUPERSEDED, successors=("new.md",))
    add("new.md", "session")
    assert ask("old.md").reasons == ("it is superseded and therefore hidden; see new.md",)


def test_a_file_that_is_there_says_so(ask: Callable[..., Miss], add: AddFile) -> None:
    """No miss at all."""
    add("a.md", "session refresh")
    miss = ask("a.md")
    assert (miss.returned, miss.rank) == (True, 1)
    assert set(miss.words) == {"session", "refresh"}


def test_an_outranked_file_has_its_place_and_penalties(ask: Callable[..., Miss], add: AddFile) -> None:
    """The reader sees by what and why."""
    add("session.py", "def session_refresh(): ...", symbols=("session_refresh",))
    add("tests/test_x.py", "session refresh")
    miss = ask("tests/test_x.py")
    assert (miss.returned, miss.rank) == (False, 2)
    assert any("test" in reason for reason in miss.reasons[1:])


def test_a_file_that_no_arm_retrieved_lacks_the_words(ask: Callable[..., Miss], store: FakeStore, add: AddFile) -> None:
    """The words that do not occur are listed."""
    for at in range(200):
        add(f"{at}.md", f"session refresh {at}", vectors=False)
    add("other.md", "payment", vectors=False)
    reasons = ask("other.md").reasons
    assert "neither arm" in reasons[0]
    assert "none of the question's words" in reasons[1]
