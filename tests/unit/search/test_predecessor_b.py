"""Part B of what the predecessors do, as far as reading and searching documents goes; one test per behaviour.

B2's thresholds and labels are in ``test_grounded``, B5's sentence in ``measure/test_calibrate``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from gnomon.lifecycle import read_lifecycle
from gnomon.mcp.text import notes_text
from gnomon.search import SearchOptions, search
from gnomon.values import Answer, Filters, Hit, Span, Status
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.store import FakeStore

AddFile = Callable[..., int]
_GROUNDED = SearchOptions(ranking="grounded", min_score=0.3, relative_cutoff=0.5)


def ask(store: FakeStore, embedder: FakeEmbedder, query: str, filters: Filters | None = None) -> list[str]:
    """Paths by the grounded policy."""
    options = replace(_GROUNDED, filters=filters or Filters())
    return [hit.path for hit in search(query, store=store, embedder=embedder, options=options).hits]


def test_b1_front_matter_is_parsed_and_removed_from_the_indexed_text() -> None:
    """Status, date and successor are read; the body starts behind."""
    text = "---\nstatus: superseded\ndate: 2026-03-01\nsuperseded_by: reference/auth.md\n---\n# Auth\n"
    life = read_lifecycle(text, path="old.md", language="markdown")
    assert (life.status, life.date, life.successors) == (Status.SUPERSEDED, "2026-03-01", ("reference/auth.md",))
    assert text[life.body_start :] == "# Auth\n"


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.ARCHIVED])
def test_b1_superseded_and_archived_documents_are_not_returned_by_default(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile, status: Status
) -> None:
    """Others are."""
    add("old.md", "how tokens are refreshed", status=status)
    add("new.md", "how tokens are refreshed today")
    assert ask(store, embedder, "tokens refreshed") == ["new.md"]


def test_b1_asked_for_explicitly_it_comes_marked(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """With its successor and its date."""
    add(
        "old.md",
        "how tokens are refreshed",
        status=Status.SUPERSEDED,
        successors=("reference/auth.md",),
        date="2026-03-01",
    )
    add("reference/auth.md", "gates open at seven")
    options = replace(_GROUNDED, filters=Filters(search_all=True))
    answer = search("tokens refreshed", store=store, embedder=embedder, options=options)
    assert "  [superseded → reference/auth.md; 2026-03-01]\n" in notes_text(answer)


def test_b2_excluded_path_fragments_are_skipped_whatever_their_case(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile
) -> None:
    """As defaultExclude and --exclude hand them over."""
    for path in ("Archive/a.md", "notes/PLANS.md", "notes/b.md"):
        add(path, "how tokens are refreshed")
    assert ask(store, embedder, "tokens refreshed", Filters(exclude=("archive", "plans"))) == ["notes/b.md"]


def test_b2_result_line_is_that_of_the_predecessor() -> None:
    """Label, path, breadcrumb, date."""
    hit = Hit(
        1,
        "/kb",
        "reference/auth.md",
        Span(0, 4),
        1,
        1,
        "text",
        0.712,
        "semantic",
        cosine=0.712,
        breadcrumb=("Auth", "How the client refreshes the token"),
        date="2026-01-14",
    )
    line = "[semantic 0.712]  reference/auth.md › Auth > How the client refreshes the token  [2026-01-14]"
    assert line in notes_text(Answer((hit,))).splitlines()


def test_b2_nothing_left_is_said_with_the_best_score_and_the_threshold(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile
) -> None:
    """Through the whole search."""
    add("a.md", "gates open at seven")
    answer = search("zebra quartz", store=store, embedder=embedder, options=replace(_GROUNDED, min_score=0.55))
    assert answer.refusal.startswith("No relevant results (best score ")
    assert answer.refusal.endswith(", threshold 0.55)")


def test_b2_path_boosts_order_the_answer(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """The score shown stays the cosine."""
    add("notes/a.md", "how tokens are refreshed")
    add("reference/b.md", "how tokens are refreshed here")
    options = replace(_GROUNDED, path_boosts=(("reference/", 1.5),))
    hits = search("how tokens are refreshed", store=store, embedder=embedder, options=options).hits
    assert [hit.path for hit in hits] == ["reference/b.md", "notes/a.md"]
    assert all(hit.score == hit.cosine for hit in hits)
    assert hits[0].evidence.boosts == (("path", 1.5),)


@pytest.mark.parametrize("failure", ["", "the server is down"])
def test_without_a_model_only_exact_words_answer_and_say_so(store: FakeStore, add: AddFile, failure: str) -> None:
    """Rare words still find."""
    add("a.md", "how tokens are refreshed")
    add("b.md", "gates open at seven")
    broken = FakeEmbedder(failure=failure) if failure else None
    answer = search("tokens", store=store, embedder=broken, options=_GROUNDED)
    assert [(hit.path, hit.label) for hit in answer.hits] == [("a.md", "exact")]
    assert answer.notices[0].startswith("Searched by exact words only: ")


_WATERS = [f"salmon number {each} swims in cold and clear water" for each in range(60)]


def test_b2_exact_hit_is_told_how_near_it_is(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """Also beyond the nearest passages that are looked at: no hit is without its cosine where it has a vector."""
    add("rivers.md", *_WATERS)
    add("escapes.md", "back slash escaped characters are split at their separators by a regular expression")
    answer = search("salmon in cold water came back", store=store, embedder=embedder, options=_GROUNDED)
    hit = next(hit for hit in answer.hits if hit.path == "escapes.md")
    assert hit.label == "exact"
    assert hit.cosine is not None
    assert hit.score == hit.cosine < 0.3


def test_hits_by_rare_words_alone_come_with_what_they_are_worth(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile
) -> None:
    """A rare word may be there by chance, and who reads the answer has to know that nothing else speaks for it."""
    add("rivers.md", *_WATERS)
    add("escapes.md", "slash escaped characters go back by a regular expression over all that is written")
    answer = search("how do we back up the database", store=store, embedder=embedder, options=_GROUNDED)
    assert [hit.label for hit in answer.hits] == ["exact"]
    (notice,) = answer.notices
    assert notice.startswith("Nothing is near in meaning (best score ")
    assert notice.endswith("only rare words match: back")


def test_without_a_model_nothing_is_refused(store: FakeStore, add: AddFile) -> None:
    """What the semantic track would have found is not known."""
    add("a.md", "how tokens are refreshed")
    add("b.md", "gates open at seven")
    answer = search("quasar", store=store, embedder=FakeEmbedder(failure="down"), options=_GROUNDED)
    assert answer.refusal == "Cannot judge: meaning was not searched, and no rare word of the question occurs"
