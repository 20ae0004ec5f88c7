"""Real documents: the front matter collection and a public tree of decisions, where they are present."""

from __future__ import annotations

import gzip
import json
import tarfile
from pathlib import Path

import pytest

from gnomon.lifecycle import read_lifecycle, resolve
from gnomon.lifecycle.graph import DocumentLife, LifeGraph
from gnomon.values import Status

pytestmark = pytest.mark.shared


def _graph(texts: dict[str, str]) -> tuple[LifeGraph, dict[str, int]]:
    lives = []
    for number, (path, text) in enumerate(sorted(texts.items())):
        life = read_lifecycle(text, path=path, language="markdown")
        lives.append(
            DocumentLife(
                number, "/f", path, life.title, life.status, successors=life.successors, supersedes=life.supersedes
            )
        )
    return resolve(lives), {each.path: each.id for each in lives}


@pytest.fixture
def front_matter(shared_eval: Path) -> tuple[dict[str, str], dict[str, str]]:
    """(text by name, what is odd by name) of the front matter files."""
    with tarfile.open(shared_eval / "ugly.tar.gz") as tar:
        texts = {}
        for member in tar.getmembers():
            name = member.name.rpartition("frontmatter/")[2]
            file = tar.extractfile(member) if "frontmatter/" in member.name and member.isfile() else None
            if file:
                texts[name] = file.read().decode()
        listed = next(each for each in tar.getnames() if each.endswith("LIST.tsv"))
        rows = tar.extractfile(listed)
        assert rows
        lines = [line.split("\t") for line in rows.read().decode().splitlines()]
    return texts, {row[0].rpartition("/")[2]: row[1] for row in lines if row[0].startswith("frontmatter/")}


def test_documents_listed_as_live_are_shown(front_matter: tuple[dict[str, str], dict[str, str]]) -> None:
    """N/A, none, template text, comments and talk about others hide nothing."""
    texts, odd = front_matter
    graph, ids = _graph(texts)
    live = [name for name, what in odd.items() if what.endswith("LIVE")]
    assert len(live) >= 6
    assert not [name for name in live if graph.fate(ids[name]).status is not Status.LIVING]


def test_document_superseded_only_by_its_successors_word_is_hidden(
    front_matter: tuple[dict[str, str], dict[str, str]],
) -> None:
    """Number 18 says nothing; number 17 says that it supersedes it."""
    graph, ids = _graph(front_matter[0])
    assert graph.fate(ids["made-18.md"]).successors == (ids["made-17.md"],)


def test_body_of_every_front_matter_file_is_kept(front_matter: tuple[dict[str, str], dict[str, str]]) -> None:
    """The marker word of each file stands in what is left to index."""
    for name, text in front_matter[0].items():
        if name.startswith("made-"):
            life = read_lifecycle(text, path=name, language="markdown")
            assert f"quokka{int(name[5:7])}" in text[life.body_start :], name


def test_superseded_decisions_are_hidden_and_living_ones_are_not(shared_eval: Path) -> None:
    """The set's own list of superseded decisions is exactly what is hidden, and every one has a living successor."""
    with gzip.open(shared_eval / "adr-gsp" / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    queries = (shared_eval / "adr-gsp" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    dead = {path for line in queries for path in json.loads(line)["must_not_rank_above"]}
    graph, ids = _graph({row.get("path") or row.get("id") or row["_id"]: row["text"] for row in rows})
    assert graph.hidden == {ids[path] for path in dead}
    assert all(graph.fate(each).successors for each in graph.hidden)
