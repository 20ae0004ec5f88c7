"""Vectors that were made elsewhere are not made again: other indexes of this machine, and bundles."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gnomon.config import load_config
from gnomon.corpus import Corpus
from gnomon.corpus.bundling import Import, export_bundle, import_bundle
from gnomon.errors import MismatchError, StoreError
from gnomon.index.report import IndexReport
from tests.fakes.embedder import FakeEmbedder

Clone = Callable[[str], Corpus]
TEXTS = {"a.md": "# A\n\nheron in the reeds\n", "b.py": "def refresh(token):\n    return token\n"}


@pytest.fixture
def clone(tmp_path: Path, embedder: FakeEmbedder) -> Clone:
    """Makes projects of the same two files, each with an index of its own."""

    def make(name: str) -> Corpus:
        root = tmp_path / name
        root.mkdir()
        for path, text in TEXTS.items():
            (root / path).write_text(text, encoding="utf-8")
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps({"defaultRoots": [name], "indexPath": f"{name}.index"}), encoding="utf-8")
        return Corpus(load_config(file))

    return make


def _told(report: IndexReport) -> tuple[int, int, int]:
    return report.chunks_embedded, report.chunks_reused, report.chunks_pending


def _cosines(corpus: Corpus) -> list[float]:
    store = corpus.store()
    chunks = [chunk.id for document in store.documents() for chunk in store.document_chunks(document.id)]
    return sorted(round(each, 6) for each in store.cosines(FakeEmbedder().embed_query("heron"), chunks).values())


def test_second_clone_embeds_nothing(clone: Clone, embedder: FakeEmbedder) -> None:
    """Its vectors are the first one's."""
    one, two = clone("one"), clone("two")
    assert _told(one.index()) == (2, 0, 0)
    embedder.passages_embedded.clear()
    assert _told(two.index()) == (0, 2, 0)
    assert embedder.passages_embedded == []
    assert _cosines(one) == _cosines(two)


def test_only_what_nobody_has_is_embedded(clone: Clone, embedder: FakeEmbedder, tmp_path: Path) -> None:
    """Each passage by itself."""
    clone("one").index()
    two = clone("two")
    (tmp_path / "two" / "new.md").write_text("# New\n\notter\n", encoding="utf-8")
    embedder.passages_embedded.clear()
    assert _told(two.index()) == (1, 2, 0)
    assert [text for text in embedder.passages_embedded if "otter" in text] == embedder.passages_embedded


@pytest.mark.parametrize("damage", ["gone", "torn"])
def test_index_that_cannot_be_read_is_left_out(clone: Clone, damage: str) -> None:
    """It is its own next run that says so."""
    one = clone("one")
    one.index()
    one.close()
    if damage == "gone":
        one.index_file.unlink()
    else:
        one.index_file.write_bytes(b"no database")
    assert _told(clone("two").index()) == (2, 0, 0)


def test_index_that_came_with_a_clone_gives_nothing_away(clone: Clone, tmp_path: Path) -> None:
    """Whoever made it may have put anything into it."""
    one = clone("one")
    one.index()
    one.close()
    (tmp_path / "one.index").rename(tmp_path / "two.index")
    two = clone("two")
    two.index()
    assert _told(clone("three").index()) == (2, 0, 0)


def test_bundle_spares_embedding(
    clone: Clone, embedder: FakeEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On another machine, before the first run or after."""
    file = tmp_path / "team.bundle"
    one = clone("one")
    one.index()
    assert export_bundle(one, file) == 2
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "another machine"))
    two = clone("two")
    assert import_bundle(two, file) == Import(2, 2, signed=False)
    assert import_bundle(two, file) == Import(2, 0, signed=False)
    embedder.passages_embedded.clear()
    assert _told(two.index()) == (0, 2, 0)
    assert embedder.passages_embedded == []
    assert _cosines(one) == _cosines(two)


def test_bundle_holds_neither_paths_nor_text(clone: Clone, tmp_path: Path) -> None:
    """Nothing but keys and numbers leaves the machine."""
    one = clone("one")
    one.index()
    export_bundle(one, tmp_path / "b")
    data = (tmp_path / "b").read_bytes()
    assert not any(word in data for word in (b"heron", b"refresh", b"a.md", str(tmp_path).encode()))


def test_bundle_of_another_model_changes_nothing(clone: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused before anything is written."""
    from dataclasses import replace

    from tests.fakes.embedder import FAKE_SPEC

    one, two = clone("one"), clone("two")
    one.index()
    export_bundle(one, tmp_path / "b")
    other = FakeEmbedder(replace(FAKE_SPEC, query_prefix="query: "))
    monkeypatch.setattr(Corpus, "embedder", property(lambda _: other))
    with pytest.raises(MismatchError, match="model"):
        import_bundle(two, tmp_path / "b")
    assert not two.is_indexed()


def test_nothing_indexed_is_nothing_to_export(clone: Clone, tmp_path: Path) -> None:
    """And leaves no file."""
    with pytest.raises(StoreError, match="nothing is indexed"):
        export_bundle(clone("one"), tmp_path / "b")
    assert not (tmp_path / "b").exists()
