"""Passages of other files near to one, asked for by its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.embedder import FakeEmbedder
from tests.unit.cli.conftest import Run

_HERONS, _STORKS = "Herons stand in the reeds at dawn. ", "Storks nest on chimneys in spring. "
_BIRDS = f"---\ntitle: Birds\n---\n\n{_HERONS * 60}\n\n# Storks\n\n{_STORKS * 60}\n"


@pytest.fixture
def birds(folders: Path, run: Run, embedder: FakeEmbedder) -> Path:
    """Indexed: a file of two passages, and for each of them one that says nearly the same."""
    (folders / "notes" / "birds.md").write_text(_BIRDS, "utf-8")
    (folders / "notes" / "heron.md").write_text("Herons stand in the reeds at noon.\n", "utf-8")
    (folders / "code" / "httpie" / "stork.md").write_text("Storks nest on chimneys in summer.\n", "utf-8")
    assert run("index", "--quiet")[0] == 0
    return folders


@pytest.mark.parametrize(
    ("place", "nearest"),
    [
        ("notes/birds.md", "notes/heron.md:1"),
        ("notes/birds.md:1", "notes/heron.md:1"),  # of the head, which is no passage
        ("birds.md:5", "notes/heron.md:1"),
        ("notes/birds.md:9", "code/httpie/stork.md:1"),
    ],
)
def test_nearest_passage_to_the_one_at_a_line_comes_first(birds: Path, run: Run, place: str, nearest: str) -> None:
    """In the form of a search: place, score, evidence and line, for other programs to read."""
    code, out, _ = run("related", place)
    where, _, evidence, *_ = out.splitlines()[0].split("\t")
    assert (code, where) == (0, nearest)
    assert evidence.startswith("semantic ")
    assert "birds.md" not in out


def test_related_takes_the_filters_of_a_search(birds: Path, run: Run) -> None:
    """And its number of hits, and its JSON."""
    hits = json.loads(run("related", "birds.md:9", "-k", "1", "--folder", "notes", "--json")[1])
    assert [hit["path"] for hit in hits] == ["heron.md"]
    assert run("related", "birds.md:9", "--path", "*.rst")[:2] == (1, "No results.\n")


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("notes/birds.md:99", "has no passage at line 99; its text ends at line 9"),
        ("nope.md:3", "no such file in any folder: nope.md"),
    ],
)
def test_place_that_is_none_is_told(birds: Path, run: Run, place: str, said: str) -> None:
    """On standard error, with the exit code of a mistake."""
    code, out, err = run("related", place)
    assert (code, out) == (2, "")
    assert said in err
