"""An index says what it is: another fingerprint is refused with the command that mends it, nothing is mixed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gnomon.errors import MismatchError, StoreError, UsageError
from gnomon.store import open_store
from gnomon.store.base import SkipWrite
from gnomon.values import Skip, SkipReason
from tests.contract.store.builders import FINGERPRINT, FOLDER, embed_all, found_texts, nearest_texts, vector, write
from tests.contract.store.conftest import Opener

OTHERS = [("model", "model-b"), ("dim", 64), ("analyzer", "analyzer-2"), ("chunker", "chunker-2")]


@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.parametrize(("field", "value"), OTHERS)
def test_other_fingerprint_is_refused(open_index: Opener, field: str, value: Any, *, writable: bool) -> None:
    """Reader and writer alike are told what differs, and what to do."""
    open_index().close()
    other = replace(FINGERPRINT, **{field: value})
    with pytest.raises(MismatchError, match=rf"{field} \(.*, now {value}\).*gnomon index --force"):
        open_index(fingerprint=other, writable=writable)


def test_other_extractor_is_no_mismatch(open_index: Opener) -> None:
    """Documents read by another extractor are known as such; the store opens."""
    with open_index() as store:
        store.write([write("a.md", "text")])
    newer = replace(FINGERPRINT, extractor="extractor-2")
    store = open_index(fingerprint=newer)
    store.write([SkipWrite(FOLDER, Skip("b", SkipReason.EMPTY))])
    assert store.manifest(FOLDER)["a.md"].extractor == "extractor-1"
    assert store.manifest(FOLDER)["b"].extractor == "extractor-2"
    assert store.status().fingerprint == newer
    assert found_texts(open_index(writable=False), "text") == ["text"]


def test_replacing_starts_an_empty_index_of_the_new_fingerprint(open_index: Opener) -> None:
    """The generation goes on rising, so that nobody takes the new index for the old one."""
    store = open_index()
    store.write([write("a.md", "old text")])
    store.set_meta("lastRun", "yesterday")
    generation = store.generation
    other = replace(FINGERPRINT, model="model-b", dim=8)
    new = open_index(fingerprint=other, replace=True)
    assert (new.status().documents, new.status().chunks, new.status().fingerprint) == (0, 0, other)
    assert (new.folders(), new.get_meta("lastRun")) == ([], "")
    assert new.generation > generation
    new.write([write("b.md", "new text")])
    new.put_vectors([key for key, _ in new.pending(limit=5)], vector("x", 8)[None])
    assert found_texts(new, "old", "new") == ["new text"]


def test_replacing_keeps_vectors_of_the_same_model(open_index: Opener) -> None:
    """A new analyzer or chunker embeds nothing twice."""
    store = open_index()
    store.write([write("a.md", "one", "two")])
    embed_all(store)
    new = open_index(fingerprint=replace(FINGERPRINT, analyzer="analyzer-2"), replace=True)
    assert nearest_texts(new, "one") == []
    assert new.write([write("a.md", "one", "two", "three")]) == 2
    assert nearest_texts(new, "one")[0] == "one"


def test_replacing_with_another_model_keeps_no_vector(open_index: Opener) -> None:
    """Vectors of two models never meet."""
    store = open_index()
    store.write([write("a.md", "one")])
    embed_all(store)
    new = open_index(fingerprint=replace(FINGERPRINT, model="model-b"), replace=True)
    assert new.write([write("a.md", "one")]) == 0
    assert new.status().vectors_cached == 0


def test_replace_leaves_an_index_that_fits(open_index: Opener) -> None:
    """Nothing is given up without need."""
    with open_index() as store:
        store.write([write("a.md", "text")])
    assert found_texts(open_index(replace=True), "text") == ["text"]


def test_open_reader_and_writer_notice_the_replacement(open_index: Opener) -> None:
    """A server that runs on refuses to answer from an index of another model, and an old process to write to it."""
    writer, reader = open_index(), open_index(writable=False)
    writer.write([write("a.md", "text")])
    assert found_texts(reader, "text") == ["text"]
    open_index(fingerprint=replace(FINGERPRINT, model="model-b"), replace=True)
    with pytest.raises(MismatchError, match="model-b, now model-a"):
        found_texts(reader, "text")
    with pytest.raises(MismatchError):
        writer.write([write("b.md", "text")])


def test_reader_of_nothing_is_told_to_index(open_index: Opener) -> None:
    """No index is made by reading."""
    with pytest.raises(StoreError, match=r"no index at .*gnomon index"):
        open_index(writable=False)


def test_writing_needs_an_index_open_for_writing(open_index: Opener) -> None:
    """Every writing method says so."""
    open_index().write([write("a.md", "text")])
    reader = open_index(writable=False)
    for change in (
        lambda: reader.write([write("b.md", "x")]),
        lambda: reader.touch(FOLDER, {"a.md": (1, 2, 3)}),
        lambda: reader.forget(FOLDER, ["a.md"]),
        lambda: reader.forget_folder(FOLDER),
        lambda: reader.set_meta("a", "b"),
        lambda: reader.put_vectors([b"k" * 16], vector("x")[None]),
        reader.optimize,
    ):
        with pytest.raises(StoreError, match="reading only"):
            change()
    assert found_texts(reader, "text") == ["text"]


def test_closed_store_says_so(open_index: Opener) -> None:
    """A call after closing is an error of ours."""
    store = open_index()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.documents()
    with pytest.raises(StoreError, match="closed"):
        store.write([write("a.md", "x")])


def test_unknown_backend_is_named_with_those_there_are(tmp_path: Path) -> None:
    """A typing error in the settings is plain to see."""
    with pytest.raises(UsageError, match=r"'sqlight'.*sqlite"):
        open_store("sqlight", tmp_path / "x", fingerprint=FINGERPRINT, writable=True)
