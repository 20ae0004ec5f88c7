"""What is said of a question that is too long to be searched for as a whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gnomon.search import search
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.store import FakeStore

AddFile = Callable[..., int]


def _words(count: int) -> str:
    return " ".join("bcdfghklmnprtwz"[number % 15] + "aeiou"[number // 15] + "rkrk" for number in range(count))


@pytest.mark.parametrize(
    ("question", "cut"),
    [
        ("heron " * 20_000, "the first 20,000 of its 120,000 characters were read"),
        (_words(70), "64 of its 70 different words were looked up"),
        ("heron " * 300, "meaning was compared by its first 1,5"),
    ],
)
def test_long_question_says_what_of_it_was_left_out(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile, question: str, cut: str
) -> None:
    """A pasted log is searched for by its beginning; nothing is skipped in silence."""
    add("a.md", "the heron")
    told = search(question, store=store, embedder=embedder).notices
    assert [notice for notice in told if notice.startswith("The question is long: ") and cut in notice]


def test_question_that_fits_is_not_remarked_on(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """Sixty words are nothing unusual; without the model its window does not matter."""
    add("a.md", "the heron")
    question = _words(64)
    assert not [each for each in search(question, store=store, embedder=embedder).notices if "long" in each]
    assert not [each for each in search("heron " * 300, store=store, embedder=None).notices if "long" in each]
