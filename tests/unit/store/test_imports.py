"""What a search by words loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from gnomon.store import open_store
from tests.contract.store.builders import FINGERPRINT, write

SEARCH = """
import sys
from pathlib import Path
import gnomon.store
assert not {"sqlite3", "numpy", "json"} & set(sys.modules), "importing the step loads nothing heavy"
from gnomon.store.base import Fingerprint, Selection
from gnomon.values import WordQuery
fingerprint = Fingerprint(gnomon.store.SCHEMA_VERSION, *sys.argv[2:3], int(sys.argv[3]), *sys.argv[4:])
with gnomon.store.open_store("sqlite", Path(sys.argv[1]), fingerprint=fingerprint, writable=False) as store:
    found = store.search_words(WordQuery(("needle",)), limit=5, selection=Selection())
    assert [each.chunk.text for each in store.chunks([number for number, _ in found])] == ["needle"]
    store.status(), store.documents(), store.manifest("/x")
heavy = {"numpy", "simsimd", "gnomon.store.vectors", "gnomon.store.writing", "gnomon.store.opening"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
"""


def test_words_and_status_load_no_numpy(tmp_path: Path) -> None:
    """Nor what only writers need; so a one-shot search starts fast."""
    path = tmp_path / "index.db"
    with open_store("sqlite", path, fingerprint=FINGERPRINT, writable=True) as store:
        store.write([write("a.md", "needle")])
    rest = [FINGERPRINT.model, str(FINGERPRINT.dim), FINGERPRINT.analyzer, FINGERPRINT.chunker, FINGERPRINT.extractor]
    source = str(Path(__file__).resolve().parents[3] / "src")
    done = subprocess.run(
        [sys.executable, "-c", SEARCH, str(path), *rest],
        env={"PYTHONPATH": source},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
