"""Vectors that are many get an approximate index, which is looked into as far as its recall needs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gnomon.store import open_store
from gnomon.store.base import Selection, Store
from tests.contract.store.builders import EVERYTHING, FINGERPRINT, vector, write
from tests.fakes.postgres_server import programs, running_server

COUNT = 1_500


@pytest.fixture(params=["lancedb", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """An index whose backend takes a thousand vectors for many."""
    pytest.importorskip({"lancedb": "lancedb", "postgres": "psycopg"}[request.param], reason="the extra is missing")
    monkeypatch.setattr(f"gnomon.store.{request.param}.tidying.EXACT_BELOW", 1_000)
    if request.param == "lancedb":
        with open_store("lancedb", tmp_path / "index", fingerprint=FINGERPRINT, writable=True) as opened:
            yield opened
        return
    if programs() is None:
        pytest.skip("no PostgreSQL with pgvector is installed")
    with running_server() as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        with open_store("postgres", "postgres:many", fingerprint=FINGERPRINT, writable=True) as opened:
            yield opened


@pytest.mark.slow
def test_many_vectors_are_found_by_an_index_that_is_told(store: Store) -> None:
    """Nearly all of the exact best ten, exact cosines, filters before the cut, and what came later is found too."""
    store.write([write(f"{n}.md", *(f"text {n} {i}" for i in range(50))) for n in range(COUNT // 50)])
    waiting = store.pending(limit=COUNT)
    store.put_vectors([key for key, _ in waiting], np.stack([vector(text) for _, text in waiting]))
    questions = [vector(f"question {n}") for n in range(20)]
    exact = [store.search_vectors(each, limit=10, selection=EVERYTHING) for each in questions]
    assert store.status().exact
    store.optimize()
    assert not store.status().exact
    shared = 0
    for question, wanted in zip(questions, exact, strict=True):
        found = dict(store.search_vectors(question, limit=10, selection=EVERYTHING))
        shared += sum(found.get(number) == pytest.approx(cosine, abs=1e-6) for number, cosine in wanted)
    assert shared >= 190
    some = frozenset(each.id for each in store.documents()[:2])
    scoped = store.search_vectors(questions[0], limit=40, selection=Selection(only=some))
    assert len(scoped) == 40
    store.write([write("late.md", "late text")])
    (key, text), *_ = store.pending(limit=1)
    store.put_vectors([key], vector(text)[None])
    ((number, cosine),) = store.search_vectors(vector("late text"), limit=1, selection=EVERYTHING)
    assert store.chunks([number])[0].chunk.text == "late text"
    assert cosine == pytest.approx(1.0, abs=1e-3)
