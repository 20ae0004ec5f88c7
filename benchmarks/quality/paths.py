"""Whether a typed path brings its file first: whole with its folder's name, whole, and its last two parts alone.

    python benchmarks/quality/paths.py --data DIR --indexes DIR [--files 20]

Asks for a sample of the files of each repository of the code set, in the indexes of ``run.py`` as they are.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from sets import open_corpus, trees

from gnomon.search import SearchOptions, search


def main() -> None:
    """Count the paths, and print those whose file is not first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--indexes", type=Path, required=True)
    parser.add_argument("--files", type=int, default=20, help="of each repository (default: 20)")
    arguments = parser.parse_args()
    rng = random.Random(0)
    asked, missed = 0, []
    for tree in trees(arguments.data, "code"):
        corpus = open_corpus(tree, arguments.indexes)
        paths = [each.document.path for each in corpus.store().documents()]
        for path in rng.sample(paths, min(arguments.files, len(paths))):
            for typed in dict.fromkeys((f"{tree.name}/{path}", path, "/".join(path.split("/")[-2:]))):
                hits = search(typed, store=corpus.store(), embedder=corpus.embedder, options=SearchOptions()).hits
                asked += 1
                if not hits or not f"/{tree.name}/{hits[0].path}".endswith(f"/{typed}"):
                    missed.append(f"{tree.name}: {typed} -> {hits[0].path if hits else 'nothing'}")
    print(f"of {asked} typed paths {len(missed)} do not bring their file first", *missed, sep="\n  ")


if __name__ == "__main__":
    main()
