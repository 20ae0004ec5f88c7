"""A hit says whether its file is what was indexed, by the same comparison that an index run makes."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gnomon.config import load_config
from gnomon.corpus import Corpus
from gnomon.search import SearchOptions
from tests.fakes.embedder import FakeEmbedder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of a minute ago, so that its times alone tell of changes."""
    path = tmp_path / "docs" / "a.md"
    path.parent.mkdir()
    path.write_text("# A\n\nheron in the reeds\n", "utf-8")
    then = time.time() - 60
    os.utime(path, (then, then))
    return path


@pytest.fixture
def corpus(file: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    """Its folder, indexed."""
    monkeypatch.setattr(Corpus, "embedder", property(lambda _: FakeEmbedder()))
    settings = file.parents[1] / "settings.json"
    settings.write_text(json.dumps({"defaultRoots": ["docs"], "indexPath": "index"}), "utf-8")
    corpus = Corpus(load_config(settings))
    corpus.index()
    return corpus


def _is_stale(corpus: Corpus) -> bool:
    (hit,) = corpus.search("heron", SearchOptions()).hits
    return hit.stale


def _replace(path: Path) -> None:
    """As ``cp -p`` and ``rsync -t`` do: another text of the same size under the same modification time."""
    before = path.stat()
    path.write_text(path.read_text("utf-8").replace("in the", "at the"), "utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)


def _change(path: Path) -> None:
    path.write_text("# A\n\nno bird at all\n", "utf-8")


@pytest.mark.parametrize("change", [_replace, _change, Path.unlink])
def test_changed_file_is_stale_however_it_was_changed(
    corpus: Corpus, file: Path, change: Callable[[Path], None]
) -> None:
    """Also where size and modification time were kept."""
    assert not _is_stale(corpus)
    change(file)
    assert _is_stale(corpus)
    assert corpus.changed_files() == ["a.md"]


def test_file_with_other_rights_and_the_same_bytes_is_not_stale(corpus: Corpus, file: Path) -> None:
    """What is said of a hit is that its text is another one."""
    file.chmod(0o600)
    assert not _is_stale(corpus)


def test_touched_file_with_the_same_bytes_is_not_changed(corpus: Corpus, file: Path) -> None:
    """A checkout touches files, and so do editors that save what is there."""
    os.utime(file, (1_000_000_000, 1_000_000_000))
    assert not _is_stale(corpus)
    assert corpus.changed_files() == []


def test_file_that_was_written_as_it_was_indexed_is_not_stale(corpus: Corpus, file: Path) -> None:
    """Its times cannot be trusted, so its bytes are asked."""
    file.write_text("# A\n\nheron in the fresh water\n", "utf-8")
    corpus.index()
    assert not _is_stale(corpus)
    _replace(file)
    assert _is_stale(corpus)


def test_unchanged_file_is_not_read(corpus: Corpus, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question costs one look at each hit's file."""

    def refuse(*_: object) -> bool:
        raise AssertionError("it was read")

    monkeypatch.setattr("gnomon.corpus.freshness.has_other_bytes", refuse)
    assert file.exists()
    assert not _is_stale(corpus)
