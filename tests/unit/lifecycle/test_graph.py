"""Chains of successors over a corpus, on hand-made documents."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.lifecycle import resolve
from gnomon.lifecycle.graph import DocumentLife, LifeGraph, mark
from gnomon.values import Status

_ids = count(1)
SUPERSEDED = Status.SUPERSEDED


def life(path: str, status: Status = Status.LIVING, *, by: tuple[str, ...] = (), **more: object) -> DocumentLife:
    """A document in the folder "/f" with a fresh id."""
    return DocumentLife(next(_ids), "/f", path, status=status, successors=by, **more)  # type: ignore[arg-type]


def successors(graph: LifeGraph, document: DocumentLife) -> list[str]:
    """Paths of the documents that hold now."""
    return [graph.paths[each] for each in graph.fate(document.id).successors]


def test_superseded_document_is_hidden_and_gives_its_successor() -> None:
    """The plain case."""
    old, new = life("adr/0001.md", SUPERSEDED, by=("0002.md",)), life("adr/0002.md")
    graph = resolve([old, new])
    assert graph.hidden == {old.id}
    assert successors(graph, old) == ["adr/0002.md"]


def test_chain_gives_its_last_document() -> None:
    """A names B, B names C: both give C."""
    a, b = life("a.md", SUPERSEDED, by=("b.md",)), life("b.md", SUPERSEDED, by=("c.md",))
    graph = resolve([a, b, life("c.md")])
    assert successors(graph, a) == successors(graph, b) == ["c.md"]


def test_several_successors_are_all_given() -> None:
    """Two documents took the place of one."""
    old = life("a.md", SUPERSEDED, by=("b.md", "[C](c.md#part)"))
    assert successors(resolve([old, life("b.md"), life("c.md")]), old) == ["b.md", "c.md"]


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("0002-tokens.md", "adr/0002-tokens.md"),
        ("./0002-tokens.md#status", "adr/0002-tokens.md"),
        ("../ops/run%20book.md", "ops/run book.md"),
        ("/ops/run book.md", "ops/run book.md"),
        ("0002-tokens", "adr/0002-tokens.md"),
        ("[ADR-0002](gone-tokens.md)", "adr/0002-tokens.md"),
        ("ADR-2", "adr/0002-tokens.md"),
        ("2", "adr/0002-tokens.md"),
        ("How we issue tokens", "adr/0002-tokens.md"),
        ("ADR 2: How we issue tokens!", "adr/0002-tokens.md"),
        ("https://github.com/x/y/blob/main/ops/run%20book.md", "ops/run book.md"),
        ("RUN-BOOK.md", "ops/run book.md"),
        ("../guide", "guide/README.md"),
        ("[ADR 7](0007-issue-tokens.html)", "adr/0009-issue-tokens.md"),
    ],
)
def test_reference_resolves(written: str, path: str) -> None:
    """Links relative to the document, root paths, numbers, titles, repository addresses and path ends all resolve."""
    old = life("adr/0001-cookies.md", SUPERSEDED, by=(written,))
    others = [
        life("adr/0002-tokens.md", title="2. How we issue tokens"),
        life("ops/run book.md"),
        life("guide/README.md"),
        life("adr/0009-issue-tokens.md"),
    ]
    assert successors(resolve([old, *others]), old) == [path]


def test_number_of_another_kind_is_not_taken() -> None:
    """PEP 2 is not ADR 2, and phase 2 is no document."""
    pep, phase = life("a/0001.md", SUPERSEDED, by=("PEP 2",)), life("a/0003.md", SUPERSEDED, by=("phase 2",))
    graph = resolve([pep, phase, life("a/adr-0002.md")])
    assert not graph.fate(pep.id).successors
    assert not graph.fate(phase.id).successors


def test_version_in_a_file_name_is_no_number_of_a_document() -> None:
    """ADR 3 is not the third version of the notes."""
    old = life("a/0001.md", SUPERSEDED, by=("ADR-0003",))
    assert not successors(resolve([old, life("a/notes-v3.ipynb"), life("v3.md")]), old)


def test_nearest_document_of_a_number_is_taken() -> None:
    """Two trees of decisions in one folder count from one each."""
    old = life("one/adr/0001.md", SUPERSEDED, by=("ADR-2",))
    assert successors(resolve([old, life("two/adr/0002.md"), life("one/adr/0002.md")]), old) == ["one/adr/0002.md"]


def test_dangling_successor_does_not_hide_the_only_text() -> None:
    """It is shown, marked, and the problem is in words."""
    old = life("a.md", SUPERSEDED, by=("gone.md",), date="2026-03-01")
    graph = resolve([old])
    assert not graph.hidden
    assert mark(graph, old.id, date=old.date) == "[superseded → gone.md (missing); 2026-03-01]"
    assert graph.fate(old.id).problems == ("successor 'gone.md' is not among the indexed documents",)


def test_circle_hides_nobody() -> None:
    """Two documents that name each other are both shown; a third that leads into the circle is hidden."""
    a, b = life("a.md", SUPERSEDED, by=("b.md",)), life("b.md", SUPERSEDED, by=("a.md",))
    c = life("c.md", SUPERSEDED, by=("a.md",))
    graph = resolve([a, b, c])
    assert graph.hidden == {c.id}
    assert "in a circle" in graph.fate(a.id).problems[0]


def test_circle_with_a_way_out_is_hidden() -> None:
    """The circle is not the only living text."""
    a, b = life("a.md", SUPERSEDED, by=("b.md",)), life("b.md", SUPERSEDED, by=("a.md", "c.md"))
    graph = resolve([a, b, life("c.md")])
    assert graph.hidden == {a.id, b.id}
    assert successors(graph, a) == ["c.md"]


def test_document_that_names_itself_is_shown() -> None:
    """A slip of the pen hides nothing."""
    old = life("a.md", SUPERSEDED, by=("a.md",))
    graph = resolve([old])
    assert not graph.hidden
    assert graph.fate(old.id).problems == ("names itself as its successor",)


def test_superseded_without_a_successor_is_hidden() -> None:
    """The status alone hides (B1)."""
    old = life("a.md", SUPERSEDED)
    assert resolve([old, life("b.md")]).hidden == {old.id}


def test_phrase_that_is_no_document_does_not_keep_a_superseded_document_visible() -> None:
    """A phrase names no file that could be missing."""
    old = life("a.md", SUPERSEDED, by=("the new platform",))
    assert resolve([old]).hidden == {old.id}


def test_accepted_document_that_names_an_existing_successor_is_hidden() -> None:
    """The key alone says so."""
    old = life("a.md", by=("b.md",))
    assert resolve([old, life("b.md")]).hidden == {old.id}


def test_accepted_document_that_names_a_web_address_stays_living() -> None:
    """Public trees put discussions there."""
    old = life("a.md", by=("https://docs.example.org/d/1",))
    graph = resolve([old])
    assert graph.fate(old.id).status is Status.LIVING
    assert not graph.hidden


def test_successor_alone_may_say_so() -> None:
    """The old document was never touched again."""
    old, new = life("a.md"), life("b.md", supersedes=("a.md",))
    graph = resolve([old, new])
    assert graph.hidden == {old.id}
    assert (graph.fate(old.id).claimant, graph.fate(old.id).problems) == ("b.md", ())


@pytest.mark.parametrize("status", [Status.DRAFT, Status.REJECTED, Status.WITHDRAWN])
def test_claim_of_a_document_not_in_force_hides_nothing(status: Status) -> None:
    """A draft would supersede; until it is accepted the old one holds."""
    graph = resolve([life("a.md"), life("b.md", status, supersedes=("a.md",))])
    assert not graph.hidden


def test_rejected_successor_keeps_the_old_document_visible() -> None:
    """What took its place was refused."""
    old = life("a.md", SUPERSEDED, by=("b.md",))
    graph = resolve([old, life("b.md", Status.REJECTED)])
    assert not graph.hidden
    assert graph.fate(old.id).problems == ("its successor b.md is rejected",)


def test_archived_is_hidden_and_deprecated_is_not() -> None:
    """Meanings of the statuses."""
    archived, deprecated = life("a.md", Status.ARCHIVED), life("b.md", Status.DEPRECATED)
    graph = resolve([archived, deprecated])
    assert graph.hidden == {archived.id}
    assert mark(graph, deprecated.id, date="") == "[deprecated]"


def test_hidden_statuses_are_configurable() -> None:
    """Rejected documents may hide as well, superseded ones need not."""
    rejected, old = life("a.md", Status.REJECTED), life("b.md", SUPERSEDED, by=("c.md",))
    assert resolve([rejected, old, life("c.md")], hidden_statuses={Status.REJECTED}).hidden == {rejected.id}


def test_expired_document_is_marked_after_its_day() -> None:
    """On the day itself it still holds."""
    note = life("a.md", expires="2026-01-31")
    assert resolve([note], today="2026-01-31").fate(note.id).status is Status.LIVING
    assert resolve([note], today="2026-02-01").fate(note.id).status is Status.EXPIRED


def test_as_of_shows_what_held_then() -> None:
    """Before its successor was dated the old document held, and the successor did not exist."""
    old = life("a.md", SUPERSEDED, by=("b.md",), date="2020-01-01")
    new = life("b.md", date="2024-01-01")
    graph = resolve([old, new], as_of="2022-06-01")
    assert graph.hidden == {new.id}
    assert graph.fate(old.id).status is Status.LIVING
    assert resolve([old, new], as_of="2024-01-01").hidden == {old.id}


def test_as_of_before_everything_hides_everything_dated() -> None:
    """Undated documents always existed."""
    dated, undated = life("a.md", date="2020-01-01"), life("b.md")
    assert resolve([dated, undated], as_of="2019-01-01").hidden == {dated.id}


def test_references_do_not_cross_folders() -> None:
    """A path of another folder is another document."""
    old = life("a.md", SUPERSEDED, by=("b.md",))
    other = DocumentLife(next(_ids), "/g", "b.md")
    assert not resolve([old, other]).fate(old.id).successors


def test_corpus_without_any_life_costs_nothing() -> None:
    """No fates, no look-up tables."""
    assert resolve([life("a.md"), life("b.md")]) == LifeGraph()


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30))
def test_no_document_is_hidden_without_something_to_read_instead(edges: list[tuple[int, int]]) -> None:
    """Whatever the arrows, a hidden document leads to visible ones, and those are nobody's past."""
    named = {old: tuple(f"{new}.md" for start, new in edges if start == old) for old, _ in edges}
    documents = [
        DocumentLife(
            each,
            "/f",
            f"{each}.md",
            status=SUPERSEDED if each in named else Status.LIVING,
            successors=named.get(each, ()),
        )
        for each in range(12)
    ]
    graph = resolve(documents)
    for each in graph.hidden:
        assert graph.fate(each).successors
        assert not set(graph.fate(each).successors) & graph.hidden


def test_file_beside_a_page_tells_of_it() -> None:
    """``kep.yaml`` has the status, ``README.md`` the text: both are hidden, and the new page is given."""
    page = life("keps/1-old/README.md")
    told = life("keps/1-old/kep.yaml", SUPERSEDED, by=("/keps/2-new",), line=4)
    new = life("keps/2-new/README.md")
    graph = resolve([page, told, new])
    assert graph.hidden == {page.id, told.id}
    assert successors(graph, page) == ["keps/2-new/README.md"]


def test_file_beside_a_page_may_supersede() -> None:
    """``replaces`` of a file is the word of its page."""
    old = life("keps/1-old/README.md")
    page = life("keps/2-new/README.md")
    told = life("keps/2-new/kep.yaml", supersedes=("/keps/1-old",), line=4)
    graph = resolve([old, page, told])
    assert graph.hidden == {old.id}
    assert successors(graph, old) == ["keps/2-new/README.md"]


@pytest.mark.parametrize("path", ["keps/1/design.md", "keps/README.md", "keps/1/service.yaml"])
def test_file_beside_other_documents_tells_of_none_of_them(path: str) -> None:
    """Only the page of the very folder is meant."""
    other = life(path)
    told = life("keps/1/kep.yaml", Status.WITHDRAWN, line=4)
    assert resolve([other, told]).fate(other.id).status is Status.LIVING


def test_address_of_a_page_elsewhere_is_not_the_page_here() -> None:
    """The README of another repository is not ours, however the addresses end."""
    page = life("README.md")
    new = life("features/1/README.md", supersedes=("https://example.org/o/r/blob/main/text/a/README.md",))
    assert resolve([page, new]).hidden == frozenset()


@pytest.mark.parametrize("written", ["o/r/keps/375-cpus/README.md", "0008-gone.md"])
def test_reference_that_fits_nothing_is_not_bent_until_it_does(written: str) -> None:
    """Any README, or any name with an eight in it, would be wrong."""
    others = [life("README.md"), life("keps/k8s-images.md"), life("keps/e2e8.md")]
    new = life("keps/3570-cpus/README.md", supersedes=(written,))
    assert resolve([*others, new]).hidden == frozenset()


def test_address_of_a_folder_means_its_page() -> None:
    """As a forge shows it."""
    old = life("keps/1/README.md", SUPERSEDED, by=("https://example.org/o/r/tree/main/keps/2-new",))
    new = life("keps/2-new/README.md")
    assert successors(resolve([old, new]), old) == ["keps/2-new/README.md"]
