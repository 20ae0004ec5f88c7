"""What the watch takes up, what it leaves, and what it says of it."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import pytest

from gnomon.config import Config
from gnomon.config.settings_file import read_raw, write_raw
from gnomon.errors import ModelError
from gnomon.index.run import IndexOptions
from gnomon.mcp.freshness import Freshness
from gnomon.mcp.model import ModelState
from gnomon.mcp.progress import Progress
from gnomon.mcp.service import Service
from gnomon.mcp.watch import catch_up, compare_when_asked
from gnomon.watch.relevance import Relevance
from tests.fakes.embedder import FakeEmbedder


@pytest.fixture
def relevance(service: Service, root: Path) -> Relevance:
    """Of the folder, which is a git work tree that ignores ``build/``."""
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / ".gitignore").write_text("build/\n", encoding="utf-8")
    (root / "build").mkdir()
    return Relevance(service.corpus, service.corpus.folders)


@pytest.mark.parametrize("path", [".git/index", "a/node_modules/x.js", "x/__pycache__/y.pyc"])
def test_churn_is_left_without_a_look(relevance: Relevance, root: Path, path: str) -> None:
    """Nor does anything outside the folder count."""
    assert not relevance.at_a_glance(str(root / path))
    assert not relevance.at_a_glance("/elsewhere/x.md")
    assert relevance.at_a_glance(str(root / "auth.md"))


def test_index_inside_the_folder_is_left(root: Path, config: Config, embedder: FakeEmbedder) -> None:
    """Each run would start the next."""
    from dataclasses import replace

    from gnomon.corpus import Corpus

    corpus = Corpus(replace(config, index_dir=root / "index"))
    assert not Relevance(corpus, config.folders).at_a_glance(str(root / "index" / "gnomon.db-wal"))


def test_only_what_the_index_holds_or_should_is_taken_up(relevance: Relevance, root: Path) -> None:
    """New, changed and deleted files; not ignored ones, nor what came and went."""
    (root / "new.md").write_text("x", encoding="utf-8")
    (root / "build" / "out.md").write_text("x", encoding="utf-8")
    (root / "auth.md").unlink()
    changed = [str(root / name) for name in ("new.md", "cache.py", "auth.md", "build/out.md", "4913", ".x.md.swp")]
    taken = {path.name for path in relevance.of_index(changed)}
    assert {"new.md", "cache.py", "auth.md"} <= taken
    assert "out.md" not in taken
    assert "4913" not in taken


def test_folder_that_went_is_taken_up(service: Service, root: Path) -> None:
    """The system names the folder only; the index knows what was in it."""
    (root / "sub").mkdir()
    (root / "sub" / "x.md").write_text("# X\n\nwords\n", encoding="utf-8")
    service.index(None, IndexOptions())
    (root / "sub").rename(root.parent / "away")
    relevance = Relevance(service.corpus, service.corpus.folders)
    assert relevance.of_index([str(root / "sub")]) == [root / "sub"]


def test_many_changes_are_not_asked_about_one_by_one(relevance: Relevance, root: Path) -> None:
    """A run that finds nothing is cheaper than a thousand questions."""
    assert len(relevance.of_index([str(root / f"n{number}.md") for number in range(1000)])) == 1000


def test_count_is_unknown_until_compared() -> None:
    """And again when nobody looks any more."""
    fresh = Freshness()
    fresh.note([Path("/a")])
    assert fresh.count() == -1
    fresh.compared(2)
    fresh.note([Path("/a"), Path("/b"), Path("/a")])
    assert fresh.count() == 4
    fresh.indexed([Path("/a")])
    assert fresh.count() == 3
    fresh.all_indexed()
    assert fresh.count() == 0
    fresh.lose()
    assert fresh.count() == -1


def test_catching_up_indexes_what_differs(service: Service, root: Path) -> None:
    """And then knows that nothing does."""
    (root / "new.md").write_text("# New\n\nA wombat digs.\n", encoding="utf-8")
    catch_up(service)
    assert service.freshness.count() == 0
    assert service.corpus.store().find_document(str(root), "new.md")


def test_run_that_the_client_cancelled_is_not_taken_up_unasked(service: Service, root: Path) -> None:
    """But counted."""
    (root / "new.md").write_text("# New\n\nA wombat digs.\n", encoding="utf-8")
    cancelled = threading.Event()
    cancelled.set()
    report = service.index_for_client(None, IndexOptions(), Progress(), cancelled)
    assert report.interrupted
    catch_up(service)
    assert service.freshness.count() == 1


def test_comparing_waits_for_a_question(service: Service, root: Path) -> None:
    """Where the system cannot watch, an idle server does nothing."""
    (root / "new.md").write_text("# New\n\nA wombat digs.\n", encoding="utf-8")
    stop = threading.Event()
    worker = threading.Thread(
        target=compare_when_asked, args=(service, service.corpus.folders, stop), kwargs={"seconds": 0.01}
    )
    worker.start()
    try:
        for _ in range(500):
            if service.corpus.store().find_document(str(root), "new.md"):
                break
            service.asked.set()
            threading.Event().wait(0.01)
        assert service.corpus.store().find_document(str(root), "new.md")
    finally:
        stop.set()
        service.asked.set()
        worker.join(10)
    assert not worker.is_alive()


def test_settings_that_change_are_read_again(service: Service, tmp_path: Path) -> None:
    """A folder added while the server runs is known at the next call; broken settings change nothing."""
    more = tmp_path / "more"
    more.mkdir()
    file = service.corpus.config.file
    raw = read_raw(file)
    write_raw(file, {**raw, "defaultRoots": [*raw["defaultRoots"], str(more)]})
    assert [folder.name for folder in service.corpus.folders] == ["docs", "more"]
    file.write_text("{", encoding="utf-8")
    assert [folder.name for folder in service.corpus.folders] == ["docs", "more"]


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_idle_model_is_given_back_and_loaded_on_demand() -> None:
    """Never while an index run needs it."""
    clock, done = _Clock(), list[str]()
    model = ModelState(lambda: done.append("load"), lambda: done.append("release"), clock=clock)
    model.load()
    clock.now = 100
    model.keep()
    assert not model.unload_if_idle(60)
    model.let_go()
    assert not model.unload_if_idle(60)
    clock.now = 200
    assert model.unload_if_idle(60)
    assert model.use()
    assert done == ["load", "release", "load"]


def test_model_that_failed_is_tried_again_later() -> None:
    """A server of models may come up after ours; until then every answer says why."""
    clock, up, tried = _Clock(), threading.Event(), threading.Event()

    def load() -> None:
        tried.set()
        if not up.is_set():
            raise ModelError("no answer")

    model = ModelState(load, lambda: None, clock=clock)
    model.load()
    assert not model.use()
    assert model.state == "failed: no answer"
    up.set()
    tried.clear()
    clock.now = 100
    model.use()
    assert tried.wait(5)
    model.load()
    assert model.use()
