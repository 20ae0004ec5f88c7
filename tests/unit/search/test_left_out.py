"""What an answer lost to the excludes of the settings is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from gnomon.search import SearchOptions, search
from gnomon.values import Filters, Status
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.store import FakeStore

AddFile = Callable[..., int]
Told = Callable[..., tuple[str, ...]]
_QUESTION = "when is the launch of kestrel"


@pytest.fixture
def told(store: FakeStore, embedder: FakeEmbedder) -> Told:
    """Notices that speak of the setting, in an answer of the grounded policy."""

    def tell(question: str = _QUESTION, *, asked: Filters | None = None, **options: float) -> tuple[str, ...]:
        filters = replace(asked or Filters(), default_exclude=("archive", "plans"))
        grounded = SearchOptions(ranking="grounded", min_score=0.3, relative_cutoff=0.8, filters=filters)
        answer = search(question, store=store, embedder=embedder, options=replace(grounded, **options))  # type: ignore[arg-type]
        return tuple(each for each in answer.notices if "defaultExclude" in each)

    return tell


def test_refusal_names_the_best_document_left_out(add: AddFile, told: Told) -> None:
    """With its score, the rule, how many there are and how they are searched."""
    add("plans/launch.md", "the launch of kestrel is when the gate opens")
    add("archive/2019.md", "quartz")
    add("gates.md", "zebra")
    (notice,) = told()
    assert notice.startswith("plans/launch.md (0.")
    assert notice.endswith(
        ') would match, but its path holds "plans" of the setting defaultExclude, which leaves out 2 documents; '
        "--all, or searchAll, searches these too"
    )


def test_answer_names_a_document_left_out_that_is_as_good(add: AddFile, told: Told) -> None:
    """It would have been among the hits."""
    add("plans/launch.md", "when is the launch of kestrel")
    add("gates.md", "when is the launch of kestrel then")
    assert told()[0].startswith("plans/launch.md (")
    assert "leaves out 1 document;" in told()[0]


def test_document_with_a_rare_word_is_named(add: AddFile, told: Told) -> None:
    """The exact track would have found it."""
    add("plans/launch.md", "many other things and at last KX-4711 beside all that was said before of gates and locks")
    for number in range(4):
        add(f"{number}.md", f"zebra quartz {number}")
    assert told("KX-4711", min_score=0.9)[0].startswith("plans/launch.md (")


@pytest.mark.parametrize("question", ["zebra", "quartz opal"])
def test_nothing_is_said_where_nothing_is_lost(add: AddFile, told: Told, question: str) -> None:
    """What is left out matches worse, or not at all."""
    add("plans/launch.md", "the launch of kestrel and quartz, with a long tail of words that nobody asked for at all")
    add("gates.md", "zebra")
    add("stones.md", "quartz opal")
    assert told(question, lexical_max_doc_freq=0.0) == ()


def test_what_would_not_come_back_anyway_is_not_named(add: AddFile, told: Told) -> None:
    """Superseded, or outside of what was asked for."""
    add("plans/old.md", _QUESTION, status=Status.SUPERSEDED, successors=("../new.md",))
    add("plans/launch.md", _QUESTION)
    add("new.md", "gates")
    assert told(asked=Filters(paths=("new.md",))) == ()
    assert "leaves out 1 document;" in told()[0]
    assert told(asked=Filters(exclude=("launch",))) == ()
