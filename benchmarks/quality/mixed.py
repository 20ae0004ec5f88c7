"""Code and documents in one index: whether either buries the other.

    python benchmarks/quality/mixed.py --data DIR --judgements DIR

Indexes the documentation of docs-uv beside five repositories of the code set, asks the questions of both, and prints
nDCG@10 and the share of first hits that are right, for each kind of question. See run.py for the folders.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from remembered import RememberedEmbedder
from sets import Question, open_folders, questions, trees

from gnomon.corpus import Corpus
from gnomon.measure.evaluate import ndcg_at
from gnomon.search import SearchOptions, search
from gnomon.values import Hit

REPOSITORIES = ("axum", "chi", "click", "flask", "rack")
# Passages asked for: enough that ten files are among them.
PASSAGES = 40
POLICIES = {
    "the product": SearchOptions(),
    "fusion alone": SearchOptions(layer=False),
    "vectors alone": SearchOptions(layer=False, hybrid=False),
}


def open_mixed(data: Path, home: Path) -> Corpus:
    """All folders in one index, brought up to date."""
    roots = [data / "docs-uv" / "corpus", *(data / "code" / "corpus" / name for name in REPOSITORIES)]
    corpus = open_folders(roots, home)
    corpus._embedder = RememberedEmbedder(corpus.embedder, data / "cache" / "quality" / "vectors.db")  # noqa: SLF001
    corpus.index()
    return corpus


def judged_path(hit: Hit) -> str:
    """As the judgements name it: files of a repository start with its name."""
    folder = Path(hit.folder)
    return hit.path if folder.parent.name == "docs-uv" else f"{folder.name}/{hit.path}"


def main() -> None:
    """Print a line per policy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--judgements", type=Path, required=True)
    arguments = parser.parse_args()
    asked: list[tuple[str, Question]] = []
    for kind, set_name in (("documents", "docs-uv"), ("code", "code")):
        for tree in trees(arguments.data, set_name):
            if kind == "documents" or tree.name in REPOSITORIES:
                asked += [(kind, question) for question in questions(arguments.judgements, tree)]
    corpus = open_mixed(arguments.data, arguments.data / "cache" / "quality" / "mixed")
    for name, options in POLICIES.items():
        values: dict[str, list[float]] = defaultdict(list)
        for kind, question in asked:
            hits = search(
                question.row["text"],
                store=corpus.store(),
                embedder=corpus.embedder,
                options=replace(options, k=PASSAGES),
            ).hits
            grades = [question.grades.get(path, 0) for path in dict.fromkeys(map(judged_path, hits))]
            values[f"{kind} nDCG@10"].append(ndcg_at(grades, list(question.grades.values())))
            values[f"{kind} first right"].append(float(any(grades[:1])))
        print(f"{name:14s}", "  ".join(f"{key} {statistics.fmean(each):.4f}" for key, each in sorted(values.items())))


if __name__ == "__main__":
    main()
