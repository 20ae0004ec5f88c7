"""An answer says that meaning is incomplete while passages wait for their vectors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gnomon.config import load_config
from gnomon.corpus import Corpus
from gnomon.index.events import Event, FileIndexed
from gnomon.index.lock import writer_lock
from gnomon.search import SearchOptions
from tests.fakes.embedder import FakeEmbedder


@pytest.fixture
def interrupted(tmp_path: Path, embedder: FakeEmbedder) -> Corpus:
    """Two notes, whose index run ended before it came to meaning."""
    (tmp_path / "docs").mkdir()
    for name in ("heron", "egret"):
        (tmp_path / "docs" / f"{name}.md").write_text(f"# Birds\n\nThe {name} stands in the reeds.\n", "utf-8")
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"defaultRoots": ["docs"], "indexPath": "index"}), "utf-8")
    corpus = Corpus(load_config(settings))
    read: list[Event] = []
    report = corpus.index(
        listener=lambda event: read.append(event) if isinstance(event, FileIndexed) else None,
        stop=lambda: len(read) == 2,
    )
    assert report.interrupted
    return corpus


def _told(corpus: Corpus, *, ranking: str = "", use_model: bool = True) -> list[str]:
    answer = corpus.search("heron", corpus.search_options(ranking=ranking), use_model=use_model)
    return [notice for notice in answer.notices if "no vector yet" in notice]


@pytest.mark.parametrize("ranking", ["hybrid", "grounded"])
def test_missing_vectors_are_told_with_what_to_do(interrupted: Corpus, ranking: str) -> None:
    """A refusal may come from them as well as from the corpus."""
    note = "2 of 2 passages have no vector yet, so meaning is incomplete; run: gnomon index"
    assert _told(interrupted, ranking=ranking) == [note]


def test_run_at_work_needs_no_advice(interrupted: Corpus) -> None:
    """It does by itself what would be advised."""
    with writer_lock(interrupted.config.index_dir):
        assert _told(interrupted)[0].endswith("meaning is incomplete; an index run is at work")


def test_nothing_is_told_where_meaning_is_whole_or_not_wanted(interrupted: Corpus) -> None:
    """A search by words misses nothing for want of vectors."""
    assert _told(interrupted, use_model=False) == []
    interrupted.index()
    assert _told(interrupted) == []


def test_passages_that_are_related_are_as_incomplete(interrupted: Corpus, tmp_path: Path) -> None:
    """They are found by their vectors alone."""
    found = interrupted.find_related(str(tmp_path / "docs" / "heron.md"), 3, SearchOptions())
    assert (found.hits, ["2 of 2 passages" in notice for notice in found.notices]) == ((), [True])
