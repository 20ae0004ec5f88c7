"""What is said where no document passes the filters."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gnomon.search import SearchOptions, search
from gnomon.search.nothing import why_nothing_passes
from gnomon.values import Document, Filters, Status
from tests.fakes.store import FakeStore

AddFile = Callable[..., int]

_DOCUMENTS = [
    Document("/code", "src/auth.py", 1, 1_700_000_000 * 10**9, 1, "", "code", "python"),
    Document("/notes", "vpn.md", 1, 1_600_000_000 * 10**9, 1, "", "prose", "markdown"),
]


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        (Filters(languages=("pyhton",)), "did you mean python? (indexed are: python, markdown)"),
        (Filters(languages=("py",)), "did you mean python?"),
        (Filters(languages=("klingon",)), "none is in klingon (indexed are: python, markdown)"),
        (Filters(kinds=("data",)), "none is data (indexed are: code, prose)"),
        (Filters(paths=("scr/**",)), "no path matches scr/** (globs are relative to the folder, like src/**/*.py)"),
        (Filters(folders=("/other",)), "nothing is indexed in /other"),
        (Filters(exclude=("a", "vpn")), "each path holds an excluded fragment (a, vpn)"),
        (
            Filters(default_exclude=("src", "vpn")),
            "each path holds one of the setting defaultExclude (src, vpn): --all, or searchAll, searches these too",
        ),
        (Filters(since="2024-01-01"), "none is of 2024-01-01 or later (the newest is of 2023-11-14)"),
        (Filters(kinds=("prose",), languages=("python",)), "all together admit none"),
        (Filters(kinds=("data",), languages=("go",)), "none is in go (indexed are: python, markdown); none is data"),
    ],
)
def test_filter_that_admits_nothing_is_named_with_what_there_is(filters: Filters, said: str) -> None:
    """So that a typing error is seen at once."""
    assert said in why_nothing_passes(_DOCUMENTS, filters)


def test_empty_index_is_said() -> None:
    """No filter is to blame."""
    assert "nothing is indexed" in why_nothing_passes([], Filters(kinds=("code",)))


def test_search_tells_of_the_filter_and_of_what_is_hidden(store: FakeStore, add: AddFile) -> None:
    """In the refusal that people and agents read."""
    add("old.md", "heron", status=Status.SUPERSEDED, successors=("new.md",))
    add("new.md", "heron")
    asked = {"languages": ("markdwon",)}, {"paths": ("old.md",)}
    told = [search("heron", store=store, embedder=None, options=SearchOptions(filters=Filters(**a))) for a in asked]  # type: ignore[arg-type]
    assert "did you mean markdown?" in told[0].refusal
    assert "superseded" in told[1].refusal
