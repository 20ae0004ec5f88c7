"""Passages that are related to one, and what the settings' excludes cost them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from gnomon.search import SearchOptions
from gnomon.search.related import find_related
from gnomon.values import Answer, Filters
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.store import FakeStore

AddFile = Callable[..., int]
Related = Callable[..., Answer]
_OPTIONS = SearchOptions(filters=Filters(default_exclude=("plans",)), relative_cutoff=0.8)


@pytest.fixture
def related(store: FakeStore, embedder: FakeEmbedder) -> Related:
    """What is related to the first line of a file, by the settings of a project."""

    def find(path: str, **options: object) -> Answer:
        document = store.find_document("/corpus", path)
        assert document
        return find_related(
            document,
            1,
            store=store,
            embedder=embedder,
            options=replace(_OPTIONS, **options),  # type: ignore[arg-type]
        )

    return find


def test_nearest_document_left_out_is_told(add: AddFile, related: Related) -> None:
    """With its score, the rule, how many there are and how to get them."""
    add("launch.md", "when is the launch of kestrel")
    add("gates.md", "when is the launch of gates then")
    add("plans/kestrel.md", "when is the launch of kestrel then")
    add("plans/other.md", "quartz")
    answer = related("launch.md")
    assert [hit.path for hit in answer.hits] == ["gates.md"]
    (notice,) = answer.notices
    assert notice.startswith("plans/kestrel.md (0.")
    assert notice.endswith(
        ') would match, but its path holds "plans" of the setting defaultExclude, which leaves out 2 documents; '
        "--all, or searchAll, searches these too"
    )


def test_nothing_is_told_of_what_is_farther_than_the_hits(add: AddFile, related: Related) -> None:
    """It would hardly have come back."""
    add("launch.md", "when is the launch of kestrel")
    add("gates.md", "when is the launch of kestrel then")
    add("plans/other.md", "quartz and opal")
    assert related("launch.md").notices == ()


def test_document_left_out_is_not_told_of_itself(add: AddFile, related: Related) -> None:
    """Who asks from a plan knows it; other plans are told."""
    add("plans/launch.md", "when is the launch of kestrel")
    add("gates.md", "when is the launch of gates")
    assert related("plans/launch.md").notices == ()
    add("plans/next.md", "when is the launch of kestrel now")
    assert related("plans/launch.md").notices[0].startswith("plans/next.md (0.")


def test_asking_for_all_brings_them_back(add: AddFile, related: Related) -> None:
    """Without a notice."""
    add("launch.md", "when is the launch of kestrel")
    add("plans/kestrel.md", "when is the launch of kestrel then")
    answer = related("launch.md", filters=Filters(search_all=True))
    assert ([hit.path for hit in answer.hits], answer.notices) == (["plans/kestrel.md"], ())


def test_a_file_with_many_near_passages_takes_no_place_from_others(add: AddFile, related: Related) -> None:
    """As many files come back as are wanted and there."""
    add("here.md", "herons fish in reeds")
    add("many.md", *(f"herons fish in reeds {number}" for number in range(60)))
    for number in range(6):
        add(f"far{number}.md", f"herons {number} and other birds of the shore")
    found = {hit.path for hit in related("here.md", k=7).hits}
    assert found == {"many.md", *(f"far{number}.md" for number in range(6))}
