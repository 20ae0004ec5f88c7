"""gnomon's own files inside a searched folder: the index, its locks, a project's settings."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from gnomon.cli.shell import run_command_line
from gnomon.config import load_config
from gnomon.corpus import Corpus
from gnomon.values import SkipReason
from tests.fakes.embedder import FakeEmbedder


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    """A project whose index lies in it, indexed."""
    for name in ("SS_CONFIG_PATH", "GNOMON_CONFIG_PATH", "SS_INDEX_DIR", "GNOMON_INDEX_DIR", "CLAUDE_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    fake = FakeEmbedder()
    monkeypatch.setattr(Corpus, "embedder", property(lambda _: fake))
    root = tmp_path / "project"
    (root / ".rag").mkdir(parents=True)
    (root / ".rag" / "config.json").write_text(json.dumps({"vaultPath": ".."}), "utf-8")
    (root / "auth.md").write_text("# Sign-in\n\nThe client refreshes its access token early.\n", "utf-8")
    (root / "notes.bin").write_bytes(b"\0\1\2")
    os.utime(root / "auth.md", (time.time() - 60,) * 2)  # what was written a moment ago is read again, to be sure
    monkeypatch.chdir(root)
    corpus = Corpus(load_config(root / ".rag" / "config.json"))
    corpus.index()
    return corpus


def test_index_inside_a_folder_is_no_change_of_it(corpus: Corpus) -> None:
    """The lock of a run is gone after it, and that says nothing of the documents."""
    assert corpus.changed_files() == []
    assert corpus.index().folders[0].files_processed == 0
    assert corpus.changed_files() == []


def test_own_folder_is_one_skip(corpus: Corpus) -> None:
    """Files come and go in it; what is told of it stays the same."""
    (report,) = corpus.index().folders
    own = [skip.path for skip in report.skips if skip.reason is SkipReason.OWN_FILE]
    assert own == [".rag"]


def test_left_out_file_that_is_gone_does_not_make_the_index_stale(corpus: Corpus) -> None:
    """Nothing that is searched has changed."""
    Path("notes.bin").unlink()
    assert corpus.changed_files() == []
    Path("auth.md").unlink()
    assert corpus.changed_files() == ["auth.md"]


@pytest.mark.parametrize("path", [".rag/index/write.pid", ".rag/index/gnomon.db", ".rag/index", ".rag"])
def test_why_says_that_the_index_is_not_searched(corpus: Corpus, path: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a file that is there, of one that came and went, and of the folder."""
    assert run_command_line(["why", path], program="gnomon") == 1
    assert f"{path}: out; {SkipReason.OWN_FILE}" in capsys.readouterr().out
