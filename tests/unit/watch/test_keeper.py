"""What the host of ``gnomon watch`` does when it is told of changes."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from gnomon.config import load_config
from gnomon.values import Folder
from gnomon.watch.keeper import Keeper
from gnomon.watch.watching import watch
from tests.fakes.embedder import FakeEmbedder

_PATIENCE_SECONDS = 30


class _Told:
    """Lines told, and waiting for the next."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._more = threading.Condition()

    def __call__(self, line: str) -> None:
        with self._more:
            self.lines.append(line)
            self._more.notify_all()

    def wait_for(self, part: str) -> None:
        """Until a line holds this."""
        with self._more:
            assert self._more.wait_for(lambda: any(part in line for line in self.lines), _PATIENCE_SECONDS), self.lines


@pytest.fixture
def told() -> _Told:
    """What the keeper said."""
    return _Told()


@pytest.fixture
def keeper(tmp_path: Path, embedder: FakeEmbedder, told: _Told) -> Keeper:
    """Of two folders with a file each."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"# A\n\nheron {name}\n", encoding="utf-8")
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"defaultRoots": ["one", "two"], "indexPath": "index"}), encoding="utf-8")
    return Keeper(lambda: load_config(file), threading.Event(), told)


def _paths(keeper: Keeper) -> set[str]:
    return {f"{Path(d.document.folder).name}/{d.document.path}" for d in keeper.corpus.store().documents()}


def test_first_catching_up_makes_the_index(keeper: Keeper, told: _Told) -> None:
    """And the next one, with nothing to do, says nothing."""
    keeper.catch_up()
    keeper.catch_up()
    assert told.lines == ["2 indexed, 0 deleted, 2 passages embedded"]


def test_failure_is_told_once_until_something_works(keeper: Keeper, told: _Told, embedder: FakeEmbedder) -> None:
    """Not with every save."""
    for failure in ("no model", "no model", "", "no model"):
        embedder.failure = failure
        keeper.catch_up()
    assert [line for line in told.lines if "no model" in line] == ["changed files are not indexed: no model"] * 2


def test_settings_that_change_are_followed(keeper: Keeper, tmp_path: Path, told: _Told) -> None:
    """Broken ones are told and leave the old ones in force."""
    assert len(keeper.corpus.folders) == 2
    (tmp_path / "config.json").write_text("{", encoding="utf-8")
    assert len(keeper.corpus.folders) == 2
    assert "old ones stay in force" in told.lines[0]
    (tmp_path / "config.json").write_text(json.dumps({"defaultRoots": ["one"]}), encoding="utf-8")
    assert len(keeper.corpus.folders) == 1


def test_only_the_folders_that_changed_are_run(keeper: Keeper, tmp_path: Path) -> None:
    """The other one is not even looked at."""
    keeper.catch_up()
    for name in ("one", "two"):
        (tmp_path / name / "new.md").write_text("# New\n\notter\n", encoding="utf-8")
    keeper.take_up([tmp_path / "one" / "new.md"], [Folder("one", tmp_path / "one")])
    assert _paths(keeper) == {"one/a.md", "one/new.md", "two/a.md"}


def test_watch_follows_files_and_a_folder_that_goes_and_comes_back(keeper: Keeper, tmp_path: Path, told: _Told) -> None:
    """The other folder is followed all the while, and the one that is away keeps its index."""
    thread = threading.Thread(target=watch, args=(keeper, keeper._stop))
    thread.start()
    try:
        told.wait_for("2 indexed")
        (tmp_path / "one").rename(tmp_path / "away")
        (tmp_path / "two" / "b.md").write_text("# B\n\nstork\n", encoding="utf-8")
        told.wait_for("1 indexed")
        assert _paths(keeper) == {"one/a.md", "two/a.md", "two/b.md"}
        told.lines.clear()
        (tmp_path / "away" / "c.md").write_text("# C\n\nminnow\n", encoding="utf-8")
        (tmp_path / "away").rename(tmp_path / "one")
        told.wait_for("1 indexed")
        assert _paths(keeper) == {"one/a.md", "one/c.md", "two/a.md", "two/b.md"}
    finally:
        keeper._stop.set()
        thread.join(_PATIENCE_SECONDS)
    assert not thread.is_alive()
