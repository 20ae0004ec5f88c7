"""Tests of filters: which documents an arm may return, and why not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gnomon.search.filters import admit, held_fragment, reason_against
from gnomon.values import Document, Filters, Status
from tests.fakes.store import FakeStore

AddFile = Callable[..., int]

_HIDDEN = ("superseded", "archived")
_DOCUMENT = Document("/corpus", "src/api/Auth.py", 1, 1_700_000_000 * 10**9, 1, "", "code", "python")


@pytest.mark.parametrize(
    ("filters", "reason"),
    [
        (Filters(), ""),
        (Filters(folders=("/corpus",)), ""),
        (Filters(folders=("/other",)), "/corpus"),
        (Filters(paths=("docs/**", "src/**/*.py")), ""),
        (Filters(paths=("docs/**",)), "docs/**"),
        (Filters(exclude=("", "AUTH")), "AUTH"),
        (Filters(exclude=("",)), ""),
        (Filters(default_exclude=("", "AUTH")), 'holds "AUTH" of the setting defaultExclude'),
        (Filters(default_exclude=("src/api/",)), "src/api/"),
        (Filters(default_exclude=("aut", "rc/api")), ""),
        (Filters(languages=("python", "go")), ""),
        (Filters(languages=("go",)), "python"),
        (Filters(kinds=("prose",)), "prose"),
        (Filters(since="2023-11-14"), ""),
        (Filters(since="2023-11-15"), "2023-11-14"),
    ],
)
def test_each_filter_gives_its_reason(filters: Filters, reason: str) -> None:
    """Empty where the document may come back; else what is against it."""
    found = reason_against(_DOCUMENT, filters)
    assert reason in found
    assert bool(found) is bool(reason)


@pytest.mark.parametrize(
    ("path", "is_held"),
    [
        ("plans/launch.md", True),
        ("work/PLANS.md", True),
        ("2026-plans_old/a.md", True),
        ("floorplans/plans.md", True),
        ("floorplans/attic.md", False),
        ("planspiel.md", False),
        ("plans2/a.md", False),
        ("項目plans/a.md", True),
    ],
)
def test_excludes_of_the_settings_are_whole_words(path: str, *, is_held: bool) -> None:
    """Nobody asked for them: what only looks alike stays."""
    assert bool(held_fragment(path, ("plans",))) is is_held


def test_without_filters_no_document_is_named(store: FakeStore, add: AddFile) -> None:
    """The arms search everything."""
    add("a.md", "x")
    selection = admit(store, Filters(), _HIDDEN).selection
    assert (selection.only, selection.without) == (None, frozenset())


def test_superseded_documents_are_left_out_until_all_is_asked_for(store: FakeStore, add: AddFile) -> None:
    """With filters and without."""
    old = add("old.md", "x", status=Status.SUPERSEDED, successors=("new.md",))
    new = add("new.md", "y")
    assert admit(store, Filters(), _HIDDEN).selection.without == {old}
    assert admit(store, Filters(paths=("*.md",)), _HIDDEN).selection.only == frozenset([new])
    assert admit(store, Filters(search_all=True), _HIDDEN).selection.without == frozenset()


def test_a_change_of_the_index_is_seen(store: FakeStore, add: AddFile) -> None:
    """Fates are kept until the generation changes."""
    add("new.md", "y")
    assert admit(store, Filters(), _HIDDEN).selection.without == frozenset()
    old = add("old.md", "x", status=Status.SUPERSEDED, successors=("new.md",))
    assert admit(store, Filters(), _HIDDEN).selection.without == {old}
