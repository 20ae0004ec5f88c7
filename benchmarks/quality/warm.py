"""How long a warm search takes in one index of about 50,000 real passages, for questions that were never asked.

    python benchmarks/quality/warm.py --data DIR --judgements DIR [--no-index]

All repositories and two sets of documents share one index, with their real vectors. The questions are those of the
sets in a shuffled order, each asked once: the first hundred warm up, as in a server that has been asked before. Prints
p50 and p95 by the clock and by processor time, and the same for questions that come back.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from remembered import RememberedEmbedder
from sets import open_folders, questions, trees

from gnomon.corpus import Corpus

BAR_MS = 10.0
_SETS = ("code", "scifact", "docs-uv")
_WARM_UP = 100
_COME_BACK = 10


def ask(corpus: Corpus, texts: Sequence[str]) -> tuple[list[float], list[float]]:
    """Milliseconds by the clock and of the processor, per question."""
    options = corpus.search_options()
    wall, cpu = [], []
    for text in texts:
        begun, spent = time.perf_counter(), time.process_time()
        corpus.search(text, options)
        wall.append((time.perf_counter() - begun) * 1e3)
        cpu.append((time.process_time() - spent) * 1e3)
    return wall, cpu


def told(name: str, wall: Sequence[float], cpu: Sequence[float]) -> str:
    """One line of output."""
    p95 = statistics.quantiles(wall, n=20)[-1]
    return (
        f"{name:22} p50 {statistics.median(wall):5.1f} ms (bar {BAR_MS:.0f})  p95 {p95:5.1f} ms"
        f"  {statistics.median(cpu):5.1f} CPU-ms  over {len(wall)}"
    )


def main() -> None:
    """Index, ask each question once, then some of them again."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="SET/corpus as files")
    parser.add_argument("--judgements", type=Path, required=True, help="SET/queries.jsonl")
    parser.add_argument("--indexes", type=Path, help="where the index is kept; default DATA/cache/quality")
    parser.add_argument("--no-index", action="store_true", help="search the index as it is")
    arguments = parser.parse_args()
    indexes = arguments.indexes or arguments.data / "cache" / "quality"
    folders = [tree for name in _SETS for tree in trees(arguments.data, name)]
    roots = [tree.root for tree in folders]
    if not arguments.no_index:
        filled = open_folders(roots, indexes / "warm")
        filled._embedder = RememberedEmbedder(filled.embedder, indexes / "vectors.db")  # noqa: SLF001
        filled.index()
    corpus = open_folders(roots, indexes / "warm", {"watch": False})
    texts = [each.row["text"] for tree in folders for each in questions(arguments.judgements, tree)]
    texts = list(dict.fromkeys(texts))
    random.Random(0).shuffle(texts)
    ask(corpus, texts[:_WARM_UP])
    print(f"{corpus.store().status().chunks} passages")
    print(told("never asked before", *ask(corpus, texts[_WARM_UP:])))
    ask(corpus, texts[:_COME_BACK])
    print(told("asked again", *ask(corpus, texts[:_COME_BACK] * 20)))


if __name__ == "__main__":
    main()
