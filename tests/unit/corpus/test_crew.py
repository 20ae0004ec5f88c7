"""What prepares documents in other processes is made from the settings, and makes what this process would."""

from __future__ import annotations

import json
import os
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from gnomon.config import Config, load_config
from gnomon.corpus import Corpus, parts
from gnomon.index.preparing import Crew
from gnomon.index.run import IndexOptions, Run
from gnomon.store.base import StoredChunk
from gnomon.values import Document, Folder

pytestmark = pytest.mark.model


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Code, prose, a secret, a damaged file and one that is left out."""
    root = tmp_path / "project"
    root.mkdir()
    files = {
        "adr.md": b"---\nstatus: superseded\n---\n# Tokens\n\nA token is refreshed every hour.\n",
        "session.py": b"class Session:\n    def refresh(self, token):\n        return token\n",
        "settings.ini": b"[github]\ntoken = ghp_0123456789abcdefABCDEF0123456789abcd\n",
        "scan.pdf": b"%PDF-1.7\nnothing else",
        "empty.txt": b"",
    }
    for name, content in files.items():
        (root / name).write_bytes(content)
        os.utime(root / name, (10**9, 10**9))
    return Folder("project", root)


def settings(place: Path, **values: int) -> Config:
    """Settings whose index lies in a place of its own."""
    place.mkdir()
    file = place / "config.json"
    file.write_text(json.dumps({"indexPath": str(place / "index"), **values}), encoding="utf-8")
    return load_config(file)


def indexed(config: Config, folder: Folder, crew: Crew | None) -> list[tuple[Document, list[StoredChunk]]]:
    """All documents with their passages, after a run without vectors."""
    with closing(Corpus(config)) as corpus:
        config.index_dir.mkdir()
        steps = parts.index_steps(config, corpus.embedder, corpus.extractor, corpus.rules)
        with corpus.open_writable() as store:
            Run(store, None, steps, IndexOptions(crew=crew)).index([folder])
            return [(each.document, store.document_chunks(each.id)) for each in store.documents()]


def test_other_processes_make_the_same_index(tmp_path: Path, folder: Folder) -> None:
    """Documents, passages and what was taken out of them."""
    together = settings(tmp_path / "together", threads=2)
    found = indexed(together, folder, Crew(2, partial(parts.prepared_steps, together), least_bytes=0))
    assert found == indexed(settings(tmp_path / "alone"), folder, None)
    assert {document.path for document, _ in found} >= {"adr.md", "session.py", "settings.ini"}


def test_one_thread_means_one_process(tmp_path: Path) -> None:
    """Whoever asks for less of the machine gets less."""
    assert parts.crew(settings(tmp_path / "one", threads=1)) is None
