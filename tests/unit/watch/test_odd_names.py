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

    def may_catch_up(self) -> bool:
        return True

    def catch_up(self) -> None:
        self.asked.put("catch up")

    def take_up(self, paths: Sequence[Path], folders: Sequence[Folder]) -> None:
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
    thread = threading.Thread(target=watch, args=(host, stop))
    thread.start()
    yield host
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


def test_folder_whose_name_is_not_utf8_is_compared_now_and_then(tmp_path: Path, embedder: FakeEmbedder) -> None:
    """No watch of it can begin; that must not end the thread which would try."""
    root = tmp_path / os.fsdecode(b"caf\xe9")
    root.mkdir()
    for host in _watching(root):
        assert host.next() == "without watch in 'caf\\udce9'"
