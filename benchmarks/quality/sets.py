"""The evaluation sets: where their files are, their questions, and the index of each corpus."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gnomon.config import load_config
from gnomon.corpus import Corpus

TEXT_SETS = ("scifact", "xquad-de", "xquad-x-de-to-en", "jaquad-ja", "docs-uv", "adr-gsp")
# Sixteen notes of our own in Korean, asked in Korean and in English; they come with the benchmark.
OWN_SETS = {"own-ko": "ko", "own-x-en-to-ko": "en"}
SETS = ("code", *TEXT_SETS, *OWN_SETS)
_OWN = Path(__file__).parent / "korean.jsonl"


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a set: its row as written, and the grade of each relevant path."""

    row: dict
    grades: dict[str, int]


@dataclass(frozen=True, slots=True)
class Tree:
    """One folder that is indexed by itself.

    Attributes:
        set_name: One of ``SETS``.
        name: Of the repository, or of the set.
        root: The folder.
        prefix: What judged paths have before the path inside the folder.
    """

    set_name: str
    name: str
    root: Path
    prefix: str


def trees(data: Path, set_name: str) -> list[Tree]:
    """Folders of a set: one per repository for code."""
    corpus = data / set_name / "corpus"
    if set_name in OWN_SETS:
        corpus.mkdir(parents=True, exist_ok=True)
        for row in _own():
            (corpus / row["path"]).write_text(row["text"] + "\n", encoding="utf-8")
    if set_name != "code":
        return [Tree(set_name, set_name, corpus, "")]
    return [Tree(set_name, each.name, each, f"{each.name}/") for each in sorted(corpus.iterdir()) if each.is_dir()]


def questions(judgements: Path, tree: Tree) -> Iterator[Question]:
    """Questions asked of one folder."""
    if tree.set_name in OWN_SETS:
        for row in _own():
            yield Question({"text": row[OWN_SETS[tree.set_name]]}, {row["path"]: 1})
        return
    grades: dict[str, dict[str, int]] = {}
    for line in (judgements / tree.set_name / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, path, grade = line.split("\t")
        grades.setdefault(query, {})[path] = int(grade)
    for line in (judgements / tree.set_name / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get("repo", tree.name) == tree.name:
            yield Question(row, grades[row["id"]])


def _own() -> list[dict]:
    return [json.loads(line) for line in _OWN.read_text(encoding="utf-8").splitlines()]


def open_corpus(tree: Tree, indexes: Path, settings: dict | None = None) -> Corpus:
    """The product on one folder, with its index below ``indexes``; indexing is the caller's."""
    return open_folders([tree.root], indexes / tree.set_name / tree.name, settings)


def open_folders(roots: Sequence[Path], home: Path, settings: dict | None = None) -> Corpus:
    """The product on some folders, with its settings and its index in ``home``; indexing is the caller's."""
    home.mkdir(parents=True, exist_ok=True)
    config = home / "config.json"
    config.write_text(
        json.dumps({"defaultRoots": [str(root) for root in roots], "indexPath": "index", **(settings or {})})
    )
    return Corpus(load_config(config))
