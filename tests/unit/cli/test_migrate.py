"""``gnomon migrate``: the index moves, the settings name its new place."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gnomon.cli.shell import run_command_line
from gnomon.config import load_config
from gnomon.corpus import Corpus
from gnomon.search import SearchOptions

pytest.importorskip("lancedb", reason="the extra gnomon[lancedb] is not installed")


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings with one folder of two documents, not indexed yet."""
    for name in ("GNOMON_STORE_BACKEND", "SS_STORE_BACKEND", "GNOMON_INDEX_DIR", "SS_INDEX_DIR"):
        monkeypatch.delenv(name, raising=False)
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "token.md").write_text("# Tokens\n\nThe client refreshes its token.\n", "utf-8")
    (notes / "cake.md").write_text("# Cake\n\nFlour and eggs.\n", "utf-8")
    for note in notes.iterdir():
        os.utime(note, (1_700_000_000, 1_700_000_000))  # what was written a moment ago is read once more
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"defaultRoots": ["notes"], "indexPath": "index"}), "utf-8")
    return file


def gnomon(*arguments: str) -> int:
    """The exit code of a call."""
    return run_command_line(arguments, program="gnomon")


@pytest.mark.model
@pytest.mark.slow
def test_moved_index_answers_without_another_run(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same hit from the new store, which the settings name; nothing is left to embed; a second move is refused."""
    assert gnomon("index", "--quiet", "--config", str(settings)) == 0
    assert gnomon("migrate", "--to", "lancedb", "--config", str(settings)) == 0
    assert "moved 2 documents, 2 passages and 2 vectors from sqlite to lancedb" in capsys.readouterr().out
    assert json.loads(settings.read_text("utf-8"))["storeBackend"] == "lancedb"
    corpus = Corpus(load_config(settings))
    answer = corpus.search("who refreshes the token?", SearchOptions(k=1))
    assert [hit.path for hit in answer.hits] == ["token.md"]
    assert corpus.store().status().vectors_missing == 0
    assert not corpus.changed_files()
    corpus.close()
    assert gnomon("migrate", "--to", "lancedb", "--config", str(settings)) == 2
    assert gnomon("migrate", "--to", "sqlite", "--config", str(settings)) == 2
    assert "already holds an index" in capsys.readouterr().err
