"""An index copied from one backend to another answers as before, and nothing is embedded again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gnomon.errors import StoreError
from gnomon.index.copying import Copy, is_unfinished
from gnomon.store import open_store
from gnomon.store.base import SkipWrite, Store
from gnomon.values import Chunk, ChunkWords, Skip, SkipReason
from tests.contract.store.builders import FINGERPRINT, FOLDER, embed_all, found_texts, nearest_texts, write


def words(chunk: Chunk, path: str, title: str) -> ChunkWords:
    """As the builders have them."""
    return ChunkWords(tuple(chunk.text.split()), path=tuple(path.split("/")))


@pytest.fixture
def default(tmp_path: Path) -> Store:
    """An index of the default backend with documents, a skip, and one text without a vector."""
    store = open_store("sqlite", tmp_path / "default.db", fingerprint=FINGERPRINT, writable=True)
    store.write([write(f"{n}.md", f"text {n}", "the same", mtime_ns=n + 1) for n in range(150)])
    embed_all(store)
    store.write([write("late.md", "late text"), SkipWrite(FOLDER, Skip("b.bin", SkipReason.BINARY_CONTENT), 1, 2, 3)])
    store.set_meta("lastRun", "yesterday")
    return store


def copy(source: Store, target: Store, *, stop_after: int = 10**9) -> tuple[int, int]:
    """Vectors copied and texts missing; an error after that many batches."""
    batches = 0

    def count(_done: int, _total: int) -> None:
        nonlocal batches
        batches += 1
        if batches > stop_after:
            raise StoreError("the disk is full")

    report = Copy(source, target, words, FINGERPRINT.extractor, count).run()
    return report.vectors, report.missing


def test_a_copy_answers_as_the_original(default: Store, store: Store) -> None:
    """Words, vectors, manifest, small strings and what is missing; there and back again."""
    assert copy(default, store) == (151, 1)
    for question in (("text", "7"), ("same",), ("late",)):
        assert sorted(found_texts(store, *question, limit=400)) == sorted(found_texts(default, *question, limit=400))
    assert nearest_texts(store, "text 9", limit=1) == ["text 9"]
    assert store.manifest(FOLDER) == default.manifest(FOLDER)
    assert store.get_meta("lastRun") == "yesterday"
    assert [text for _, text in store.pending(limit=9)] == ["late text"]


def test_an_interrupted_copy_goes_on_where_it_ended(default: Store, store: Store) -> None:
    """What was written is not written again, so that its ids stay."""
    with pytest.raises(StoreError, match="full"):
        copy(default, store, stop_after=1)
    assert is_unfinished(store)
    before = {each.document.path: each.id for each in store.documents()}
    assert 0 < len(before) < 151
    assert copy(default, store) == (151, 1)
    after = {each.document.path: each.id for each in store.documents()}
    assert len(after) == 151
    assert before.items() <= after.items()
    assert not is_unfinished(store)


def test_what_another_extractor_read_is_read_again(default: Store, store: Store) -> None:
    """The next run does not take its row for one of today's extractor."""
    Copy(default, store, words, "extractor-2", lambda _done, _total: None).run()
    row = store.manifest(FOLDER)["3.md"]
    assert (row.sha256, row.mtime_ns) == ("", 0)
    assert replace(row, sha256="", mtime_ns=0).size_bytes == 10
