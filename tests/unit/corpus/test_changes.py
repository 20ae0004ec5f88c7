"""A command says how many files changed since they were indexed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gnomon.__main__ import run
from gnomon.config import load_config
from gnomon.corpus import Corpus, changes
from gnomon.corpus.changes import tell_changes
from tests.fakes.embedder import FakeEmbedder

_LONG_AGO = (1_000_000_000, 1_000_000_000)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Three files that nobody has touched for long."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.md").write_text(f"# {name}\n\nheron\n", "utf-8")
        os.utime(folder / f"{name}.md", _LONG_AGO)
    return folder


@pytest.fixture
def corpus(docs: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    """The folder, indexed."""
    monkeypatch.setattr(Corpus, "embedder", property(lambda _: FakeEmbedder()))
    settings = docs.parent / "settings.json"
    settings.write_text(json.dumps({"defaultRoots": ["docs"], "indexPath": "index"}), "utf-8")
    corpus = Corpus(load_config(settings))
    corpus.index()
    return corpus


def _lengthen(file: Path) -> None:
    file.write_text(file.read_text("utf-8") + "more\n", "utf-8")


def _exchange(file: Path) -> None:
    """Another text of the same size."""
    file.write_text(file.read_text("utf-8").replace("heron", "egret"), "utf-8")


@pytest.mark.parametrize("change", [_lengthen, _exchange, Path.unlink])
def test_files_that_changed_are_counted(corpus: Corpus, docs: Path, change: Callable[[Path], None]) -> None:
    """However they did, with what to do."""
    change(docs / "a.md")
    assert tell_changes(corpus) == "1 indexed file changed since; run: gnomon index"
    change(docs / "b.md")
    assert tell_changes(corpus) == "2 indexed files changed since; run: gnomon index"
    corpus.index()
    assert tell_changes(corpus) == ""


def test_files_with_the_same_bytes_did_not_change(corpus: Corpus, docs: Path) -> None:
    """A branch that is left and taken again touches them; new ones are not looked for."""
    os.utime(docs / "a.md", (2_000_000_000, 2_000_000_000))
    (docs / "new.md").write_text("# New\n", "utf-8")
    assert tell_changes(corpus) == ""


def test_count_is_a_least_one_where_too_much_was_touched_to_be_read(
    corpus: Corpus, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is certain is told, and that it may be more."""
    monkeypatch.setattr(changes, "_MOST_READ_BYTES", 0)
    _exchange(docs / "a.md")
    assert tell_changes(corpus) == ""
    _lengthen(docs / "b.md")
    assert tell_changes(corpus) == "at least 1 indexed file changed since; run: gnomon index"


def test_nobody_looks_where_there_are_too_many_files(
    corpus: Corpus, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer has no time for it."""
    monkeypatch.setattr(changes, "_MOST_FILES", 2)
    _lengthen(docs / "a.md")
    assert tell_changes(corpus) == ""


def test_search_says_it_whatever_it_finds(
    corpus: Corpus, docs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file that answers now may be none of the hits; standard output has these only."""
    _exchange(docs / "a.md")
    command = ["gnomon", "search", "--words-only", "--json", "egret", "--config", str(corpus.config.file)]
    monkeypatch.setattr("sys.argv", command)
    assert run() == 1
    out, err = capsys.readouterr()
    assert json.loads(out) == []
    assert "note: 1 indexed file changed since; run: gnomon index\n" in err
