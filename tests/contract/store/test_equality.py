"""The same corpus and the same questions give the same best ten on every backend as on the default one."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from gnomon.store import open_store
from gnomon.store.base import DocumentWrite, Selection, Store
from gnomon.values import ChunkWords, WordQuery
from tests.contract.store.builders import EVERYTHING, FINGERPRINT, vector, write

DOCUMENTS, CHUNKS = 150, 8


def corpus() -> list[DocumentWrite]:
    """Passages whose words are as unevenly spread as those of a language, some of them in several fields."""
    rng = random.Random(11)
    writes = []
    for number in range(DOCUMENTS):
        bodies = [
            [f"w{int(rng.paretovariate(0.6)) % 4_000}" for _ in range(rng.randint(5, 120))] for _ in range(CHUNKS)
        ]
        one = write(f"folder{number % 7}/file{number}.md", *(" ".join(body) for body in bodies), mtime_ns=number)
        words = [
            ChunkWords(tuple(body), symbols=tuple(body[:2]), headings=tuple(body[3:5]), path=(f"folder{number % 7}",))
            for body in bodies
        ]
        writes.append(DocumentWrite(one.document, one.chunks, words))
    return writes


def fill(store: Store) -> None:
    """The corpus in batches, a part of it written twice, and its vectors."""
    writes = corpus()
    for start in range(0, len(writes), 50):
        store.write(writes[start : start + 50])
    store.write(writes[20:30])
    while waiting := store.pending(limit=600):
        store.put_vectors([key for key, _ in waiting], np.stack([vector(text) for _, text in waiting]))
    store.optimize()


@pytest.fixture
def both(backend: str, store: Store, tmp_path: Path) -> tuple[Store, Store]:
    """The backend under test and the default one, with the same in them."""
    default = open_store("sqlite", tmp_path / "default.db", fingerprint=FINGERPRINT, writable=True)
    for each in (store, default):
        fill(each)
    return store, default


def questions() -> list[WordQuery]:
    """Rare and common words, alone and together, with words that must and must not occur."""
    rng = random.Random(5)
    words = [f"w{int(rng.paretovariate(0.5)) % 4_000}" for _ in range(400)]
    plain = [WordQuery(tuple(dict.fromkeys(words[n : n + 2 + n % 6]))) for n in range(0, 240, 8)]
    return [*plain, WordQuery(("w1", "w9", "w40"), all_of=("w9",)), WordQuery(("w3", "w17"), none_of=("w1",))]


def documents_at(store: Store, folder: str) -> frozenset[int]:
    """Ids of the documents below a folder."""
    return frozenset(each.id for each in store.documents() if each.document.path.startswith(folder))


def test_best_ten_of_every_backend_are_those_of_the_default(both: tuple[Store, Store]) -> None:
    """Words with their scores, vectors with their cosines, over all and within a folder."""
    store, default = both
    some, same = (Selection(only=documents_at(each, "folder3/")) for each in both)
    for query in questions():
        for mine, theirs in ((EVERYTHING, EVERYTHING), (some, same)):
            got = store.search_words(query, limit=10, selection=mine)
            wanted = default.search_words(query, limit=10, selection=theirs)
            assert [number for number, _ in got] == [number for number, _ in wanted]
            assert [score for _, score in got] == pytest.approx([score for _, score in wanted], rel=1e-9)
    for number in range(20):
        question = vector(f"question {number}")
        for mine, theirs in ((EVERYTHING, EVERYTHING), (some, same)):
            near = store.search_vectors(question, limit=10, selection=mine)
            nearest = default.search_vectors(question, limit=10, selection=theirs)
            assert [chunk for chunk, _ in near] == [chunk for chunk, _ in nearest]
            assert [cosine for _, cosine in near] == pytest.approx([cosine for _, cosine in nearest], abs=1e-6)


def test_what_is_read_back_is_the_same(both: tuple[Store, Store]) -> None:
    """Documents, chunks, frequencies and figures."""
    store, default = both
    assert store.documents() == default.documents()
    ids = [stored.id for stored in default.document_chunks(default.documents()[-1].id)]
    assert store.chunks(ids) == default.chunks(ids)
    words = [f"w{n}" for n in range(300)]
    assert store.document_frequencies(words) == default.document_frequencies(words)
    mine, theirs = store.status(), default.status()
    assert (mine.documents, mine.chunks, mine.vectors_missing) == (theirs.documents, theirs.chunks, 0)
