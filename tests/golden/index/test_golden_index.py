"""The golden index: what an index of the golden chunk cases holds of each file, as checksums beside this test.

``python tests/golden/index/test_golden_index.py`` writes them anew; that is right only with a version that was raised.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
import tempfile
from collections import defaultdict
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

KEPT = Path(__file__).with_name("index.json")
CASES = KEPT.parents[1] / "chunk" / "cases"
if __name__ == "__main__":
    sys.path[:0] = [str(CASES.parents[3]), str(CASES.parents[3] / "src")]

from gnomon.config import Config, load_config
from gnomon.corpus import Corpus, parts
from gnomon.index.preparing import Crew
from gnomon.index.run import IndexOptions, Run
from gnomon.store.rows import unpack_words
from gnomon.values import Folder

pytestmark = pytest.mark.model

# Stem of the case to the ending of a file of its kind.
ENDINGS = {"asciidoc": "adoc", "c": "c", "csv": "csv", "elixir": "ex", "go": "go", "japanese": "md", "javascript": "js",
           "markdown": "md", "org": "org", "plain": "txt", "python": "py", "rst": "rst", "ruby": "rb", "rust": "rs",
           "toml": "toml", "typescript": "ts", "yaml": "yaml"}  # fmt: skip

# A row each: id of its document, then all that is stored but for ids, times and what depends on the machine.
DOCUMENTS = "SELECT id, sha256, chunk_count, missing, unliving, head FROM documents"
CHUNKS = "SELECT id >> 20, id & 1048575, key, vector, slot FROM chunks"
TEXTS = "SELECT id >> 20, id & 1048575, crc, head, body, embedded FROM texts"
WORDS = "SELECT doc >> 20, doc & 1048575, col, offset, term FROM temp.occurrences ORDER BY doc, col, offset"


def settings(home: Path) -> Config:
    """Settings whose index lies in a place of its own."""
    home.mkdir()
    (home / "config.json").write_text(json.dumps({"indexPath": str(home / "index")}), encoding="utf-8")
    return load_config(home / "config.json")


def files_in(root: Path) -> Folder:
    """The cases as files, old enough not to be read again."""
    root.mkdir()
    for stem, ending in ENDINGS.items():
        file = root / f"{stem}.{ending}"
        file.write_bytes((CASES / f"{stem}.txt").read_bytes())
        os.utime(file, (10**9, 10**9))
    return Folder("cases", root)


def held(config: Config, folder: Folder, crew: Crew | None = None) -> dict[str, str]:
    """A checksum of all that an index made without vectors holds of each file, by path."""
    with closing(Corpus(config)) as corpus:
        config.index_dir.mkdir()
        steps = parts.index_steps(config, corpus.embedder, corpus.extractor, corpus.rules)
        with corpus.open_writable() as store:
            Run(store, None, steps, IndexOptions(crew=crew)).index([folder])
    (database,) = config.index_dir.glob("*.db")
    with closing(sqlite3.connect(database)) as connection:
        return _checksums(connection)


def _checksums(connection: sqlite3.Connection) -> dict[str, str]:
    connection.execute("CREATE VIRTUAL TABLE temp.occurrences USING fts5vocab(main, words, instance)")
    rows = defaultdict[int, list[object]](list)
    for select in (DOCUMENTS, CHUNKS, TEXTS, WORDS):
        for number, *fields in connection.execute(select):
            rows[number].append(fields)
    # What the words are compressed to is the library's own affair.
    for number, blob in connection.execute("SELECT document, words FROM document_words"):
        rows[number].append(unpack_words(blob))
    paths = connection.execute("SELECT id, path FROM documents ORDER BY path")
    return {os.fsdecode(path): hashlib.sha256(repr(rows[number]).encode()).hexdigest()[:16] for number, path in paths}


def test_index_holds_what_it_held(tmp_path: Path) -> None:
    """Whatever makes a run faster changes nothing of this; what is meant to raises a version of the fingerprint."""
    found = held(settings(tmp_path / "home"), files_in(tmp_path / "cases"))

    assert found == json.loads(KEPT.read_text(encoding="utf-8"))


def test_several_processes_make_the_same(tmp_path: Path) -> None:
    """Rows and words, to the last byte."""
    config = settings(tmp_path / "home")
    crew = Crew(2, partial(parts.prepared_steps, config), least_bytes=0)

    assert held(config, files_in(tmp_path / "cases"), crew) == json.loads(KEPT.read_text(encoding="utf-8"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        kept = held(settings(Path(place) / "home"), files_in(Path(place) / "cases"))
    KEPT.write_text(f"{json.dumps(kept, indent=1)}\n", encoding="utf-8")
