"""A process that writes documents to an index, batch after batch, and says which are committed.

    writing_process.py BACKEND PATH NAME BATCHES

It starts at a line on standard input and prints the number of each batch after its commit.
"""

from __future__ import annotations

import sys
from pathlib import Path

from gnomon.store import open_store
from tests.contract.store.builders import FINGERPRINT, embed_all, write

DOCUMENTS_PER_BATCH = 4


def batch_paths(name: str, batch: int) -> list[str]:
    """Paths of the documents of one batch."""
    return [f"{name}/{batch}/{n}.md" for n in range(DOCUMENTS_PER_BATCH)]


def batch_text(path: str, chunk: int) -> str:
    """Text of one chunk: its words are found nowhere else."""
    return f"{path} chunk{chunk} all"


def main() -> None:
    """Write until done or killed."""
    backend, path, name, batches = sys.argv[1:]
    sys.stdin.readline()
    with open_store(backend, path if "://" in path else Path(path), fingerprint=FINGERPRINT, writable=True) as store:
        for batch in range(int(batches)):
            store.write([write(p, *(batch_text(p, n) for n in range(6))) for p in batch_paths(name, batch)])
            embed_all(store)
            sys.stdout.write(f"{batch}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
