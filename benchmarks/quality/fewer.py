"""Whether more hits wanted begin with the fewer: how many questions get others.

    python benchmarks/quality/fewer.py --data DIR --judgements DIR --indexes DIR [--sets code docs-uv]

Searches the indexes of ``run.py`` as they are. Passages may be longer where more are wanted, since neighbours join
them; compared are the files.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

from run import Asked, gather
from sets import SETS

from gnomon.search import SearchOptions, search

WANTED = (10, 30, 100)
POLICIES = {
    "hybrid": SearchOptions(),
    "grounded, semantic hits": SearchOptions(ranking="grounded", min_score=0.2, path_boosts=(("docs/", 1.15),)),
    "plain fusion (grows with k)": SearchOptions(fusion="rrf"),
}


def files(asked: Asked, options: SearchOptions) -> list[str]:
    """Of the hits in their order; those of the exact track have places of their own."""
    hits = search(asked.question.row["text"], store=asked.store, embedder=asked.embedder, options=options).hits
    return [hit.path for hit in hits if options.ranking == "hybrid" or hit.label != "exact"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--judgements", type=Path, required=True)
    parser.add_argument("--indexes", type=Path, required=True)
    parser.add_argument("--sets", nargs="+", default=["code", "docs-uv", "adr-gsp", "xquad-de"], choices=SETS)
    arguments = parser.parse_args()
    all_asked = list(gather(SimpleNamespace(**vars(arguments), model="", no_index=True)))
    for name, options in POLICIES.items():
        others = dict.fromkeys(pairwise(WANTED), 0)
        for asked in all_asked:
            found = {k: files(asked, replace(options, k=k)) for k in WANTED}
            for few, many in others:
                others[few, many] += found[few] != found[many][: len(found[few])]
        told = ", ".join(
            f"{count} begin otherwise with {many} hits than with {few}" for (few, many), count in others.items()
        )
        print(f"{name}: of {len(all_asked)} questions {told}", flush=True)


if __name__ == "__main__":
    main()
