"""Other code than the 22 repositories: 204 questions of our own over 14 packages, judged before they were asked.

    python benchmarks/quality/unseen.py --sources DIR

DIR holds a folder per package: rxjs 7.8.2, query-core 5.108.4, trpc-server 11.25.2, effect-cli 0.77.2 and
reduxjs-toolkit 2.15.0 (``src`` of the npm packages), httpx 0.28.1 (the wheel), psutil 7.2.2 (``psutil`` of the sdist),
bat at 2ba8db9c (``src``), mio at 7654f571, fsnotify at 58d0c04e, keyring at 38c04013, hono at 28a9c128 (``src``),
valibot at a14753be (``src`` of its library) and drizzle-orm at b7862528 (``src`` of the package). Prints nDCG@10 of
files with each part of the ranking taken away. Most questions avoid the words that files are named by, so that file
names are worth less here than in the code set. The first 101, over eight packages, suggested one rule and moved the
constants of two; the others, all over TypeScript, chose the constant of one (docs/decisions/0030-ranking-layer.md).
For those they are a check no longer.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections import defaultdict
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from run import PARTS, PASSAGES, POOL_MULTIPLIER, without
from sets import open_folders

from gnomon.measure.evaluate import ndcg_at
from gnomon.search import SearchOptions, search

QUESTIONS = Path(__file__).with_name("unseen.jsonl")


def main() -> None:
    """Index each package once, then ask all questions of it for each part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--indexes", type=Path, help="where the indexes are kept; default SOURCES/.indexes")
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    corpora = {}
    for folder in sorted({row["folder"] for row in rows}):
        home = (arguments.indexes or arguments.sources / ".indexes") / folder
        corpora[folder] = open_folders([arguments.sources / folder], home)
        corpora[folder].index()
    options = replace(SearchOptions(), k=PASSAGES, pool_multiplier=POOL_MULTIPLIER)
    for part in ("", *PARTS):
        scores: dict[str, list[float]] = defaultdict(list)
        with without(part) if part else nullcontext():
            for row in rows:
                corpus = corpora[row["folder"]]
                hits = search(row["text"], store=corpus.store(), embedder=corpus.embedder, options=options).hits
                found = [int(path in row["files"]) for path in dict.fromkeys(hit.path for hit in hits)]
                scores[row["folder"]].append(ndcg_at(found, [1] * len(row["files"])))
        means = {folder: statistics.fmean(each) for folder, each in scores.items()}
        each = "  ".join(f"{folder} {mean:.3f}" for folder, mean in means.items())
        print(f"{f'without {part}' if part else 'the product':34s} {statistics.fmean(means.values()):.4f}  {each}")


if __name__ == "__main__":
    main()
