"""Whatever is done in whatever order, the SQLite store holds what a store in memory holds."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from gnomon.store import open_store
from gnomon.store.base import Selection, SkipWrite, Store
from gnomon.values import Skip, SkipReason, WordQuery
from tests.contract.store.builders import EVERYTHING, FINGERPRINT, embed_all, vector, write
from tests.fakes.store import FakeStore
from tests.unit.store.invariants import assert_consistent

FOLDERS, PATHS, WORDS = ["/a", "/b"], ["x.md", "y/z.md", "ü.md"], ["red", "green", "blue", "c++", "文字"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join), max_size=5)


def hits_by_text(store: Store, hits: list[tuple[int, float]]) -> list[tuple[str, str, str, float]]:
    """(folder, path, text, score) of hits, in an order that does not depend on ids."""
    found = []
    for stored, (_, score) in zip(store.chunks([number for number, _ in hits]), hits, strict=True):
        document = store.document(stored.document_id).document
        found.append((document.folder, document.path, stored.chunk.text, round(score, 3)))
    return sorted(found)


class StoreMachine(RuleBasedStateMachine):
    """Random changes to both stores."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "index.db"
        self.model: Any = FakeStore(fingerprint=FINGERPRINT)
        self.store = self.open()

    def open(self) -> Store:
        """The index as it lies on disk."""
        return open_store("sqlite", self.path, fingerprint=FINGERPRINT, writable=True)

    @rule(folder=st.sampled_from(FOLDERS), path=st.sampled_from(PATHS), texts=TEXTS, mtime=st.integers(0, 9))
    def write_document(self, folder: str, path: str, texts: list[str], mtime: int) -> None:
        """A document, new or changed."""
        self.store.write([write(path, *texts, folder=folder, mtime_ns=mtime)])
        self.model.write([write(path, *texts, folder=folder, mtime_ns=mtime)])

    @rule(folder=st.sampled_from(FOLDERS), path=st.sampled_from(PATHS))
    def write_skip(self, folder: str, path: str) -> None:
        """A file that is not indexed."""
        for store in (self.store, self.model):
            store.write([SkipWrite(folder, Skip(path, SkipReason.EMPTY))])

    @rule(folder=st.sampled_from(FOLDERS), paths=st.sets(st.sampled_from(PATHS)))
    def forget(self, folder: str, paths: set[str]) -> None:
        """Files that went."""
        for store in (self.store, self.model):
            store.forget(folder, paths)

    @rule(folder=st.sampled_from(FOLDERS))
    def forget_folder(self, folder: str) -> None:
        """A folder that was removed."""
        assert self.store.forget_folder(folder) == self.model.forget_folder(folder)

    @rule(batch=st.integers(1, 4))
    def embed(self, batch: int) -> None:
        """All vectors arrive, in batches."""
        embed_all(self.store, batch)
        embed_all(self.model, batch)

    @rule()
    def embed_some(self) -> None:
        """Two vectors arrive, each on its own."""
        keys = [key for key, _ in self.store.pending(limit=2)]
        texts = dict(self.model.pending(limit=10**6))
        for store in (self.store, self.model):
            for key in keys:
                if key in texts:
                    store.put_vectors([key], vector(texts[key])[None])

    @rule()
    def optimize(self) -> None:
        """Tidying changes nothing that is seen."""
        self.store.optimize()

    @rule()
    def reopen(self) -> None:
        """Nor does another process."""
        self.store.close()
        self.store = self.open()

    @invariant()
    def same_documents(self) -> None:
        """Paths, skips, folders."""
        for folder in FOLDERS:
            mine, theirs = self.store.manifest(folder), self.model.manifest(folder)
            assert {path: (row.chunk_count, row.skip) for path, row in mine.items()} == {
                path: (row.chunk_count, row.skip) for path, row in theirs.items()
            }
        assert self.store.folders() == self.model.folders()

    @invariant()
    def same_words(self) -> None:
        """Scores and selections."""
        assert self.store.document_frequencies(WORDS) == self.model.document_frequencies(WORDS)
        some = frozenset(each.id for each in self.store.documents()[::2])
        for query in (WordQuery(("red", "c++")), WordQuery(("green", "blue"), ("blue",), ("文字",))):
            for mine, theirs in ((None, None), (some, self.in_model(some))):
                found = self.store.search_words(query, limit=100, selection=Selection(mine))
                wanted = self.model.search_words(query, limit=100, selection=Selection(theirs))
                assert hits_by_text(self.store, found) == hits_by_text(self.model, wanted)

    def in_model(self, ids: frozenset[int]) -> frozenset[int]:
        """The model's ids of the same documents."""
        documents = [self.store.document(number).document for number in ids]
        return frozenset(self.model.find_document(each.folder, each.path).id for each in documents)

    @invariant()
    def same_vectors(self) -> None:
        """The store may have forgotten how to embed what nobody holds, never what somebody does."""
        mine = self.store.search_vectors(vector("red"), limit=100, selection=EVERYTHING)
        assert {(f, p, t) for f, p, t, _ in hits_by_text(self.store, mine)} <= {
            (f, p, t)
            for f, p, t, _ in hits_by_text(
                self.model, self.model.search_vectors(vector("red"), limit=100, selection=EVERYTHING)
            )
        }
        status = self.store.status()
        assert len(mine) == status.chunks - status.vectors_missing

    @invariant()
    def consistent(self) -> None:
        """Between the tables."""
        assert_consistent(self.path)

    def teardown(self) -> None:
        """Nothing is left behind."""
        self.store.close()
        shutil.rmtree(self.folder)


@pytest.mark.slow
def test_store_equals_its_model() -> None:
    """Twelve runs of up to 25 changes, looked at from all sides after each."""
    case = StoreMachine.TestCase
    case.settings = settings(max_examples=12, stateful_step_count=25, suppress_health_check=list(HealthCheck))
    case().runTest()
