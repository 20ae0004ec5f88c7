"""Lifecycle, calibration and doctor through the whole product, with the real model."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gnomon.config import load_config
from gnomon.corpus import Corpus
from gnomon.corpus.measuring import calibrate_store, diagnose_corpus

pytestmark = [pytest.mark.model, pytest.mark.slow]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Three decisions, the first superseded by the second."""
    folder = tmp_path / "adr"
    folder.mkdir()
    (folder / "1.md").write_text(
        "# 1. Passwords\n\n## Status\n\nSuperseded by [2](2.md)\n\nStaff sign in with passwords.\n",
        encoding="utf-8",
    )
    (folder / "2.md").write_text(
        "---\nstatus: accepted\n---\n# 2. Passkeys\n\nStaff sign in with passkeys.\n", encoding="utf-8"
    )
    (folder / "3.md").write_text(
        "# 3. Queue\n\nEvents travel over a queue and are kept for seven days.\n", encoding="utf-8"
    )
    settings = tmp_path / "config.json"
    settings.write_text(
        json.dumps({"defaultRoots": [str(folder)], "indexPath": str(tmp_path / "index")}), encoding="utf-8"
    )
    return Corpus(load_config(settings))


def test_b5_calibration_is_told_at_the_end_of_index(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the predecessor's words, with what it rests on and how to change it; nothing where none was measured."""
    monkeypatch.setattr("tempfile.tempdir", str(corpus.folders[0].root))  # the settings lie outside
    sentence = r"Calibration: background noise p99 = \d\.\d{3} over \d+ random pairs -> suggested minScore 0\.\d\d "
    notice = corpus.index().notices[-1]
    in_use = r"\(in use: 0\.\d\d, from the model registry\)\. "
    basis = r"Of 100 questions .+ The noise suggests 0\.\d\d: .+ up to the next twentieth\. "
    assert re.fullmatch(sentence + in_use + basis + r'To take it up, set "minScore": 0\.\d\d in .+\.', notice)
    assert corpus.index().notices == ()


def test_b5_calibration_is_the_same_each_time(corpus: Corpus) -> None:
    """Seeded."""
    corpus.index()
    runs = [calibrate_store(corpus.store(), corpus.embedder, corpus.config) for _ in range(2)]
    assert runs[0] == runs[1]


def test_doctor_reads_statuses_from_the_index(corpus: Corpus) -> None:
    """Document, status, line, successor."""
    corpus.index()
    found = [(each.path, str(each.status), each.line, each.successor) for each in diagnose_corpus(corpus)]
    assert found == [("1.md", "superseded", 5, "2.md"), ("2.md", "living", 2, "")]


def test_superseded_decision_gives_way_to_its_successor(corpus: Corpus) -> None:
    """Under both policies."""
    corpus.index()
    for ranking in ("hybrid", "grounded"):
        hits = corpus.search("do staff sign in with passwords", corpus.search_options(ranking=ranking)).hits
        assert hits[0].path == "2.md"
        assert "1.md" not in [hit.path for hit in hits]
