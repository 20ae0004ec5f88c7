"""The index stays as large as what is in it."""

from __future__ import annotations

import random

from gnomon.store.base import Store
from tests.contract.store.builders import FOLDER, embed_all, found_texts, nearest_texts, write
from tests.contract.store.conftest import Opener


def texts(seed: int, count: int = 8) -> list[str]:
    """Passages of 60 words, different for each seed."""
    rng = random.Random(seed)
    return [" ".join(f"w{rng.randrange(3_000)}" for _ in range(60)) for _ in range(count)]


def fill(store: Store) -> None:
    """Thirty files that stay."""
    store.write([write(f"{n}.md", *texts(n)) for n in range(30)])
    embed_all(store)


def closed_size(store: Store, open_index: Opener) -> int:
    """Bytes on disk after the last process is done."""
    store.close()
    with open_index(writable=False) as reader:
        return reader.status().size_bytes


def test_three_hundred_edits_of_one_file_leave_no_growth(store: Store, open_index: Opener) -> None:
    """At most 1.5 times a fresh index, as a watcher would leave it and after tidying."""
    fill(store)
    store.optimize()
    fresh = store.status().size_bytes
    for edit in range(300):
        store.write([write("0.md", *texts(1_000 + edit % 40))])
        embed_all(store)
    store.optimize()
    assert store.status().size_bytes <= 1.5 * fresh
    assert closed_size(store, open_index) <= 1.5 * fresh


def test_removing_most_of_an_index_gives_space_back(store: Store, open_index: Opener) -> None:
    """At once, without another command."""
    fill(store)
    store.write([write(f"{n}.md", *texts(100 + n), folder="/other") for n in range(90)])
    embed_all(store)
    before = store.status().size_bytes
    store.forget_folder("/other")
    assert closed_size(store, open_index) < 0.6 * before


def test_tidying_changes_no_answer(store: Store) -> None:
    """Words, vectors and what is kept for reuse."""
    fill(store)
    store.forget(FOLDER, [f"{n}.md" for n in range(0, 30, 2)])
    question = texts(3)[0]
    before = (found_texts(store, *question.split()), nearest_texts(store, question))
    store.optimize()
    assert (found_texts(store, *question.split()), nearest_texts(store, question)) == before
    assert store.write([write("0.md", *texts(0))]) == 8
    store.optimize()
    store.optimize()
    assert nearest_texts(store, texts(0)[0])[0] == texts(0)[0]
