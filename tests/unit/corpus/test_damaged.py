"""A damaged index gives way when it is asked for, and what becomes of its file is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gnomon.config import load_config
from gnomon.corpus import Corpus, writing
from gnomon.errors import DamagedError, StoreError
from gnomon.index.run import IndexOptions
from tests.fakes.embedder import FakeEmbedder

_ANEW = IndexOptions(force=True)


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    """One file, indexed."""
    monkeypatch.setattr(Corpus, "embedder", property(lambda _: FakeEmbedder()))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nheron in the reeds\n", "utf-8")
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"defaultRoots": ["docs"], "indexPath": "index"}), "utf-8")
    corpus = Corpus(load_config(settings))
    corpus.index()
    return corpus


def _failing(monkeypatch: pytest.MonkeyPatch, *errors: StoreError) -> None:
    """Let that many runs fail, each by its error, before one works."""
    left, run = list(errors), writing._run

    def fail_first(*arguments: Any) -> Any:
        if left:
            raise left.pop(0)
        return run(*arguments)

    monkeypatch.setattr(writing, "_run", fail_first)


def _kept(corpus: Corpus) -> Path:
    return corpus.index_file.with_name(f"{corpus.index_file.name}.damaged")


def test_run_that_finds_damage_names_the_file_it_put_aside(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes space, and only its owner knows whether it is of use."""
    _failing(monkeypatch, DamagedError("torn"))
    report = corpus.index(options=_ANEW)
    assert any(str(_kept(corpus)) in notice for notice in report.notices)
    assert _kept(corpus).exists()
    assert not any("damaged" in notice for notice in corpus.index(options=_ANEW).notices)


def test_run_without_space_puts_nothing_aside(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was stored before is whole."""
    before = corpus.index_file.stat().st_ino
    _failing(monkeypatch, StoreError("no space left"))
    with pytest.raises(StoreError, match="no space left"):
        corpus.index(options=_ANEW)
    assert corpus.index_file.stat().st_ino == before
    assert not _kept(corpus).exists()


def test_rebuild_that_fails_names_the_file_too(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new index is empty then, and the old file all there is."""
    _failing(monkeypatch, DamagedError("torn"), StoreError("no space left"))
    with pytest.raises(StoreError, match=rf"no space left.*{_kept(corpus)}"):
        corpus.index(options=_ANEW)


def test_damaged_index_is_not_replaced_unasked(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only ``--force`` means that."""
    _failing(monkeypatch, DamagedError("torn"))
    with pytest.raises(DamagedError):
        corpus.index()
    assert not _kept(corpus).exists()
