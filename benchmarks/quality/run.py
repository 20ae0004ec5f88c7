"""Retrieval quality through the real pipeline: index, ask, score, take parts away.

    python benchmarks/quality/run.py --data DIR --judgements DIR [--sets code docs-uv] [--no-index] [--ablate] [--write]

``--data`` holds SET/corpus as files, ``--judgements`` SET/queries.jsonl and SET/qrels.tsv. Passages are collapsed to
files. Prints nDCG@10 by set, category and language, for each arm; ``--ablate`` what each part of the ranking is worth;
``--write`` keeps it all in benchmarks/results/quality-COMMIT[-MODEL].json.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from remembered import RememberedEmbedder
from sets import SETS, Question, Tree, open_corpus, questions, trees

from gnomon.errors import StoreError
from gnomon.index.run import IndexOptions
from gnomon.measure.evaluate import ndcg_at
from gnomon.search import SearchOptions, search

# Passages asked for: enough that ten files are among them; the arms give as many candidates as for five.
PASSAGES = 40
POOL_MULTIPLIER = 1

RANK = "gnomon.search.rank"
FUSE = "gnomon.search.fuse"
ABOUT = "gnomon.search.about"
# What is taken away: name -> (module, constant, value that switches it off).
PARTS = {
    "definitions of the name": [(RANK, "DEFINES_QUERY", 0), (RANK, "DEFINES_MENTION", 0), (RANK, "SAME_SPELLING", 0)],
    "same spelling": [(RANK, "SAME_SPELLING", 0)],
    "names like the question": [(RANK, "NAMED_LIKE", 0)],
    "file names": [(RANK, "FILE_NAMED_LIKE", 0)],
    "folder names": [(RANK, "FOLDER_NAMED_LIKE", 0)],
    "roles": [(RANK, "ROLE_FACTOR", defaultdict(lambda: 1.0))],
    "other versions": [(RANK, "OTHER_VERSION", 1)],
    "other systems": [(RANK, "OTHER_SYSTEM", 1)],
    "variants": [(RANK, "VARIANT", 1)],
    "private": [(RANK, "PRIVATE", 1)],
    "depth": [(RANK, "DEEPER", 1)],
    "what documents are about": [(ABOUT, "DOCUMENT_SHARE", 0)],
    "other folders": [(RANK, "OTHER_FOLDER", 1)],
    "kinds": [
        (RANK, "KINDS_BY_ARMS", 0),
        (RANK, "KINDS_BY_RULES", 1),
        (RANK, "PROSE_WHERE_CODE_IS_ASKED", 1),
        (RANK, "CODE_WHERE_PROSE_IS_ASKED", 1),
    ],
    "other passages of a file": [(RANK, "FILE_DECAY", 0)],
    "literals": [(RANK, "LITERAL", 0)],
    "less of an English model": [(FUSE, "FOREIGN_SHARE", 1)],
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with the product on its corpus."""

    tree: Tree
    question: Question
    store: object
    embedder: object


ARMS = {
    "words": (False, SearchOptions(layer=False)),
    "vectors": (True, SearchOptions(layer=False, hybrid=False)),
    "plain RRF": (True, SearchOptions(fusion="rrf", pool_min=200)),
    "both": (True, SearchOptions(layer=False)),
    "words + ranking": (False, SearchOptions()),
    "both + ranking": (True, SearchOptions()),
}


def score(asked: Asked, arm: str) -> dict[str, float]:
    """nDCG@10 over files, and whether the first hit touches the section that answers."""
    with_model, options = ARMS[arm]
    embedder = asked.embedder if with_model else None
    hits = search(
        asked.question.row["text"],
        store=asked.store,
        embedder=embedder,
        options=replace(options, k=PASSAGES, pool_multiplier=POOL_MULTIPLIER),
    ).hits
    files = list(dict.fromkeys(asked.tree.prefix + hit.path for hit in hits))
    grades = asked.question.grades
    scores = {"nDCG@10": ndcg_at([grades.get(path, 0) for path in files], list(grades.values()))}
    if section := asked.question.row.get("section"):
        first = hits[0] if hits else None
        scores["section"] = float(
            first is not None
            and first.path == section["path"]
            and first.start_line <= section["end_line"]
            and first.end_line >= section["start_line"]
        )
    return scores


def run(all_asked: list[Asked], arm: str) -> dict[str, float]:
    """Means by set, and for code by category, language and repository; a set of repositories is their mean."""
    values: dict[str, list[float]] = defaultdict(list)
    for asked in all_asked:
        name, row = asked.tree.set_name, asked.question.row
        scores = score(asked, arm)
        values[name].append(scores["nDCG@10"])
        if "section" in scores:
            values[f"{name} section"].append(scores["section"])
        if name == "code":
            for key in ("category", "language", "repo"):
                values[f"code {key}={row[key]}"].append(scores["nDCG@10"])
    means = {key: statistics.fmean(each) for key, each in values.items()}
    repositories = [mean for key, mean in means.items() if key.startswith("code repo=")]
    if repositories:
        means["code"] = statistics.fmean(repositories)
    return {key: round(mean, 4) for key, mean in sorted(means.items())}


@contextmanager
def without(part: str) -> Iterator[None]:
    """The product with one part of the ranking switched off."""
    kept = []
    for module_name, constant, value in PARTS[part]:
        module = importlib.import_module(module_name)
        kept.append((module, constant, getattr(module, constant)))
        setattr(module, constant, value)
    try:
        yield
    finally:
        for module, constant, value in kept:
            setattr(module, constant, value)


def gather(arguments: argparse.Namespace) -> Iterator[Asked]:
    """Index what is to be searched, and pair each question with its corpus."""
    embedder = None
    for set_name in arguments.sets:
        for tree in trees(arguments.data, set_name):
            corpus = open_corpus(tree, arguments.indexes, {"modelName": arguments.model})
            embedder = embedder or RememberedEmbedder(corpus.embedder, arguments.indexes / "vectors.db")
            corpus._embedder = embedder  # noqa: SLF001 - the only way to keep vectors beside the index
            if not arguments.no_index:
                begun = time.monotonic()
                report = corpus.index(options=IndexOptions(force=True) if arguments.force else None)
                took = time.monotonic() - begun
                print(
                    f"{tree.name}: {report.chunks_embedded} embedded, {report.chunks_pending} left, {took:.1f} s",
                    flush=True,
                )
            try:
                store = corpus.store()
            except StoreError as error:
                print(f"{tree.name} is left out: {error}")
                continue
            for question in questions(arguments.judgements, tree):
                yield Asked(tree, question, store, embedder)


def short(means: dict[str, float]) -> str:
    """One line: the sets, and the categories of code."""
    return "  ".join(f"{k} {v:.4f}" for k, v in means.items() if "language=" not in k and "repo=" not in k)


def head() -> str:
    """The commit at hand; asked before the run, during which there may be another."""
    asked = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, encoding="utf-8", check=True)
    return asked.stdout.strip()


def keep(result: dict, name: str) -> None:
    """Write what is known so far, so that a run cut short is not lost; "" keeps nothing."""
    if name:
        path = Path(__file__).parents[1] / "results" / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--judgements", type=Path, required=True)
    parser.add_argument("--indexes", type=Path, help="where the indexes are kept; default DATA/cache/quality")
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--no-index", action="store_true", help="search the indexes as they are")
    parser.add_argument("--model", default="", help="another model of the registry; give it its own --indexes")
    parser.add_argument("--force", action="store_true", help="index anew; known vectors are kept")
    parser.add_argument("--arms", nargs="+", default=list(ARMS), choices=ARMS, help="default: all")
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    arguments.indexes = arguments.indexes or arguments.data / "cache" / "quality"
    commit = head()
    all_asked = list(gather(arguments))
    counts = Counter(asked.tree.set_name for asked in all_asked)
    result: dict = {"commit": commit, "model": all_asked[0].embedder.spec.id, "questions": dict(counts)}
    result |= {"arms": {}, "without": {}}
    name = "-".join(part for part in ("quality", commit, arguments.model) if part)
    for arm in arguments.arms:
        result["arms"][arm] = run(all_asked, arm)
        print(f"{arm:18s} {short(result['arms'][arm])}", flush=True)
        keep(result, name if arguments.write else "")
    for key, mean in result["arms"].get("both + ranking", {}).items():
        if "language=" in key:
            print(f"  {key} {mean:.4f}")
    for part in PARTS if arguments.ablate else ():
        with without(part):
            result["without"][part] = run(all_asked, "both + ranking")
        print(f"without {part:26s} {short(result['without'][part])}", flush=True)
        keep(result, name if arguments.write else "")


if __name__ == "__main__":
    main()
