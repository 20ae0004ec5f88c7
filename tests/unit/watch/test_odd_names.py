"""What the watch makes of names that the library which watches cannot say."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Queue

import pytest

from gnomon.config import load_config
from gnomon.config.settings_file import write_raw
from gnomon.corpus import Corpus
from gnomon.values import Folder
from gnomon.watch.watching import watch
from tests.fakes.embedder import FakeEmbedder

_PATIENCE_SECONDS = 30


class _Host:
    """Notes what the watch asks for, in order."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.asked = Queue[str]()
        self.taken_up: list[Path] = []

    def may_catch_up(self) -> bool:
        return True

    def catch_up(self) -> None:
        self.asked.put("catch up")

    def take_up(self, paths: Sequence[Path], folders: Sequence[Folder]) -> None:
        self.taken_up += paths
        self.asked.put(f"take up {paths[0].name} in {folders[0].name}")

    def lost(self) -> None:
        self.asked.put("lost")

    def without_watch(self, folders: Sequence[Folder], stop: threading.Event) -> None:
        self.asked.put(f"without watch in {folders[0].name!a}")
        stop.wait()

    def next(self) -> str:
        return self.asked.get(timeout=_PATIENCE_SECONDS)


def _watching(root: Path) -> Iterator[_Host]:
    write_raw(root.parent / "config.json", {"defaultRoots": [os.fsencode(root).decode("utf-8", "surrogateescape")]})
    host, stop = _Host(Corpus(load_config(root.parent / "config.json"))), threading.Event()
    thread = threading.Thread(target=watch, args=(host, stop), daemon=True)
    thread.start()
    try:
        yield host
    finally:
        stop.set()
    thread.join(_PATIENCE_SECONDS)
    assert not thread.is_alive()


@pytest.fixture
def host(tmp_path: Path, embedder: FakeEmbedder) -> Iterator[_Host]:
    """Of a watch over an empty folder."""
    (tmp_path / "docs").mkdir()
    yield from _watching(tmp_path / "docs")


def test_file_whose_name_is_not_utf8_is_found_by_comparing_and_the_watch_goes_on(host: _Host, tmp_path: Path) -> None:
    """It used to end the watch: from then on changes were found by comparing the disk now and then."""
    assert host.next() == "catch up"
    (tmp_path / "docs" / os.fsdecode(b"caf\xe9.md")).write_text("espresso", encoding="utf-8")
    assert [host.next(), host.next()] == ["lost", "catch up"]
    (tmp_path / "docs" / "plain.md").write_text("tea", encoding="utf-8")
    assert host.next() == "take up plain.md in docs"


def test_folder_whose_name_is_not_utf8_is_watched(
    tmp_path: Path, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the name of a link to it, which goes with the watch; the paths that are taken up are those in the folder."""
    links = tmp_path / "links"
    links.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(links))
    root = tmp_path / os.fsdecode(b"caf\xe9")
    (root / "inner").mkdir(parents=True)
    for host in _watching(root):
        assert host.next() == "catch up"
        (root / "inner" / "plain.md").write_text("tea", encoding="utf-8")
        assert host.next() == "take up plain.md in caf\udce9"
        assert host.taken_up == [root / "inner" / "plain.md"]
    assert not list(links.iterdir())


def test_folder_that_was_a_file_for_a_while_is_watched_again(host: _Host, tmp_path: Path) -> None:
    """The file has a place on the disk as well, and nothing of it is told when it has gone."""
    assert host.next() == "catch up"
    root = tmp_path / "docs"
    root.rmdir()
    root.write_text("a file", encoding="utf-8")
    assert host.next() == "lost"
    root.unlink()
    root.mkdir()
    while host.next() != "catch up":
        pass
    (root / "plain.md").write_text("tea", encoding="utf-8")
    assert host.next() == "take up plain.md in docs"
