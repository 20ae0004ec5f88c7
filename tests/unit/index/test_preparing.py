"""Documents are prepared in other processes: alike, in order, and whatever happens to those."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from gnomon.children import start
from gnomon.errors import FolderError
from gnomon.index.document import Prepared, Steps, build
from gnomon.index.preparing import WORKER, Crew, Preparing
from gnomon.index.run import IndexOptions, Run
from gnomon.store.base import DocumentWrite, SkipWrite
from gnomon.values import Folder, SkipReason, SourceFile
from tests.fakes.steps import deadly_steps, plain_steps
from tests.fakes.store import FakeStore

FILES = 40


@pytest.fixture(autouse=True)
def _recipes_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recipes are pickled by name, and those of the tests are found from the root of the repository."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Small files, old enough not to be racy; the last one is empty."""
    root = tmp_path / "docs"
    root.mkdir()
    for number in range(FILES):
        path = root / f"{number:02d}.md"
        path.write_text(f"text {number}" if number < FILES - 1 else "", encoding="utf-8")
        os.utime(path, (10**9, 10**9))
    return Folder("docs", root)


def found(folder: Folder) -> list[SourceFile]:
    """Its files."""
    return [each for each in plain_steps().discover(folder, print) if isinstance(each, SourceFile)]


def in_fours(files: list[SourceFile]) -> Iterator[list[SourceFile]]:
    """Batches."""
    return (files[start : start + 4] for start in range(0, len(files), 4))


def preparing(folder: Folder, recipe: Callable[[], Steps]) -> Preparing:
    """Two processes with these steps, and one here that dies of nothing."""
    return Preparing(Crew(2, recipe), folder, {}, partial(build, folder, steps=plain_steps()))


def by_path(prepared: list[Prepared]) -> dict[str, str]:
    """Titles, which say what process it was."""
    return {each.document.path: each.document.title for each in prepared if isinstance(each, DocumentWrite)}


def test_files_come_in_order_from_other_processes(folder: Folder) -> None:
    """Documents and skips as one process makes them, but for who made them."""
    with preparing(folder, plain_steps) as crew:
        batches = list(crew.batches(in_fours(found(folder))))
    *documents, empty = [each for batch in batches for each in batch]
    assert [len(batch) for batch in batches] == [4] * (FILES // 4)
    assert list(by_path(documents)) == [f"{number:02d}.md" for number in range(FILES - 1)]
    assert str(os.getpid()) not in by_path(documents).values()
    assert isinstance(empty, SkipWrite)
    assert empty.skip.reason is SkipReason.EMPTY


def test_process_that_dies_costs_no_document(folder: Folder) -> None:
    """Its batch is prepared here, and the other process goes on."""
    deadly = folder.root / "deadly.md"
    deadly.write_text("end", encoding="utf-8")
    with preparing(folder, deadly_steps) as crew:
        titles = by_path([each for batch in crew.batches(in_fours(found(folder))) for each in batch])
    assert len(titles) == FILES
    assert titles["deadly.md"] == str(os.getpid())


def test_without_a_process_all_is_prepared_here(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that starts no more of them."""
    monkeypatch.setattr("sys.executable", str(folder.root / "no-python"))
    with preparing(folder, plain_steps) as crew:
        titles = by_path([each for batch in crew.batches(in_fours(found(folder))) for each in batch])
    assert len(titles) == FILES - 1
    assert set(titles.values()) == {str(os.getpid())}


def test_error_that_is_no_documents_is_raised_here(folder: Folder) -> None:
    """A folder that is gone ends the run, whoever sees it first."""
    files = found(folder)
    folder.root.rename(folder.root.with_name("elsewhere"))
    with preparing(folder, plain_steps) as crew, pytest.raises(FolderError, match="missing on disk"):
        list(crew.batches(in_fours(files)))


def test_no_process_is_left_when_a_run_ends_early(folder: Folder) -> None:
    """What they still do nobody waits for."""
    with preparing(folder, plain_steps) as crew:
        next(crew.batches(in_fours(found(folder))))
        processes = [worker._process for worker in crew._workers if worker._process]
    assert processes
    assert all(process.poll() is not None for process in processes)


def test_process_ends_with_its_parent() -> None:
    """Whatever it is in the middle of: a parent that is killed leaves nothing behind but closed pipes."""
    with start(WORKER) as process:
        assert process.stdin is not None
        pickle.dump(partial(time.sleep, 3_600), process.stdin)
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def test_few_files_start_no_process(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would be done before it is ready; nor does a run with a limit, which must know each outcome at once."""
    few, many = Crew(2, plain_steps), Crew(2, plain_steps, least_bytes=0)
    for options in (IndexOptions(crew=few), IndexOptions(crew=many, max_files=FILES)):
        store = FakeStore()
        Run(store, None, plain_steps(), options).index([folder])
        assert {each.document.title for each in store.documents()} == {str(os.getpid())}
    store = FakeStore()
    report = Run(store, None, plain_steps(), IndexOptions(crew=many)).index([folder])
    assert report.folders[0].files_processed == FILES - 1
    assert str(os.getpid()) not in {each.document.title for each in store.documents()}
