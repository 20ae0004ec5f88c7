"""The exact track has words as they were typed, not what a stemmer leaves of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gnomon.search import SearchOptions, search
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.store import FakeStore

AddFile = Callable[..., int]
_GROUNDED = SearchOptions(ranking="grounded", min_score=0.99)


@pytest.fixture
def others(add: AddFile) -> None:
    """Enough passages for a word to be rare."""
    for number in range(4):
        add(f"other{number}.md", f"heron {number}")


@pytest.mark.usefixtures("others")
@pytest.mark.parametrize("text", ["capitalise the names", "capitals", "the_capitalised"])
def test_word_of_the_same_stem_is_no_exact_match(store: FakeStore, add: AddFile, text: str) -> None:
    """In a large corpus every word has such neighbours, and they answer nothing."""
    add("a.md", text)
    answer = search("capital of France", store=store, embedder=None, options=_GROUNDED)
    assert answer.hits == ()
    assert answer.refusal.startswith("Cannot judge")


@pytest.mark.usefixtures("others")
@pytest.mark.parametrize(
    ("question", "path", "text"),
    [
        ("capital of France", "a.md", "Capital, and more"),
        ("capital of France", "a.py", "getCapitalOf(country)"),
        ("capital of France", "capital.md", "of what"),
        ("Häuser bauen", "a.md", "die Hauser"),
        ("E-1042", "a.md", "error e-1042"),
        ("2026.4.10", "a.md", "version v2026.4.10"),
        ("首都はどこ", "a.md", "日本の首都"),
    ],
)
def test_word_as_typed_is_one(store: FakeStore, add: AddFile, question: str, path: str, text: str) -> None:
    """Whatever its case and accents, in a name, in a path, or in a script without spaces."""
    add(path, text)
    assert [hit.path for hit in search(question, store=store, embedder=None, options=_GROUNDED).hits] == [path]


@pytest.mark.usefixtures("others")
def test_passages_with_another_ending_do_not_crowd_out_those_with_its_own(store: FakeStore, add: AddFile) -> None:
    """They are better matches for the words arm, which does not know the difference."""
    for number in range(60):
        add(f"many{number}.md", "capitals capitals")
    add("a.md", "the capital and a good deal besides, so that it is a long passage and stands behind the others")
    options = SearchOptions(ranking="grounded", min_score=0.99, lexical_max_doc_freq=1.0)
    for number in range(70):
        add(f"rest{number}.md", "gull")
    assert [hit.path for hit in search("capital", store=store, embedder=None, options=options).hits] == ["a.md"]


@pytest.mark.usefixtures("others")
def test_words_are_told_as_they_were_typed(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """And only those that are in what is shown: "capit" and "franc" are no words."""
    add("a.md", "the capital of the shires and the rest")
    add("b.md", "franchises")
    answer = search("Capital of France?", store=store, embedder=embedder, options=_GROUNDED)
    assert answer.notices[0].endswith("only rare words match: capital")
    explained = search("capital", store=store, embedder=embedder, options=SearchOptions(explain=True))
    assert explained.hits[0].evidence.words == ("capital",)
