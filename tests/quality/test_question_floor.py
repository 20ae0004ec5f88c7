"""Retrieval quality through the real pipeline: own questions over a package that the development tools bring."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import packaging
import pytest

from gnomon.config import load_config
from gnomon.corpus import Corpus
from gnomon.measure.evaluate import Evaluation, below_baseline, evaluate
from gnomon.measure.questions import read_questions
from gnomon.search import SearchOptions
from gnomon.search.arms import arms

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(300)]

# Below what is measured (nDCG@10 0.896, MRR 0.884, hit@1 0.78, recall@5 0.98) by the noise of 23 questions and of the
# package's next releases.
FLOORS = {"nDCG@10": 0.85, "MRR": 0.82, "hit@1": 0.7, "recall@k": 0.88}


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    """All questions, asked in every way."""
    home = tmp_path_factory.mktemp("quality")
    source = home / "packaging"
    shutil.copytree(Path(packaging.__file__).parent, source, ignore=shutil.ignore_patterns("__pycache__", "_spdx.py"))
    (home / "config.json").write_text(json.dumps({"defaultRoots": [str(source)], "indexPath": "index"}))
    corpus = Corpus(load_config(home / "config.json"))
    try:
        corpus.index()
        store = corpus.store()
        questions = read_questions((Path(__file__).parent / "packaging_questions.jsonl").read_text(encoding="utf-8"))
        return evaluate(
            questions,
            arms(store, corpus.embedder, SearchOptions()),
            indexed=[each.document.path for each in store.documents()],
        )
    finally:
        corpus.close()


def test_every_expected_file_is_indexed(evaluation: Evaluation) -> None:
    """Else the floors would measure the package's layout."""
    assert evaluation.unknown == ()


def test_the_search_keeps_its_floors(evaluation: Evaluation) -> None:
    """Words, vectors, fusion and ranking together."""
    assert below_baseline(evaluation.arms[-1].figures, FLOORS) == []


def test_the_whole_is_better_than_each_part(evaluation: Evaluation) -> None:
    """Ranking earns its place."""
    *parts, whole = evaluation.arms
    assert all(whole.figures.ndcg > part.figures.ndcg for part in parts)
