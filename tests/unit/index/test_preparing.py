"""Documents are prepared in other processes: alike, in order, and whatever happens to those."""

from __future__ import annotations

import os
import pickle
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest

from gnomon.children import Deadline, start
from gnomon.errors import FolderError
from gnomon.index.document import Prepared, Steps, build
from gnomon.index.preparing import WORKER, Crew, Preparing
from gnomon.index.run import IndexOptions, Run
from gnomon.store.base import DocumentWrite, SkipWrite
from gnomon.values import Folder, SkipReason, SourceFile
from tests.fakes.steps import deadly_steps, plain_steps, unsayable_steps
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


def preparing(folder: Folder, recipe: Callable[[], Steps], *, batch_seconds: float = 600.0) -> Preparing:
    """Two processes with these steps, and one here that dies of nothing."""
    here = partial(build, folder, steps=plain_steps())
    return Preparing(Crew(2, recipe, batch_seconds=batch_seconds), folder, {}, here)


def prepared(folder: Folder, recipe: Callable[[], Steps], *, batch_seconds: float = 600.0) -> list[Prepared]:
    """What became of each file of a folder, in order."""
    with preparing(folder, recipe, batch_seconds=batch_seconds) as crew:
        return [each for batch in crew.batches(in_fours(found(folder))) for each in batch]


def write(folder: Folder, name: str, text: str = "text") -> None:
    """One more file, old enough not to be racy."""
    (folder.root / name).write_text(text, encoding="utf-8")
    os.utime(folder.root / name, (10**9, 10**9))


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


def test_process_that_dies_costs_no_document(folder: Folder, tmp_path: Path) -> None:
    """Whoever killed it: another one goes on with the file that it was at."""
    write(folder, "once.md", str(tmp_path / "met"))
    titles = by_path(prepared(folder, deadly_steps))
    assert len(titles) == FILES
    assert str(os.getpid()) not in titles.values()


def test_file_that_ends_every_process_is_left_out(folder: Folder) -> None:
    """It would end this one, too; its neighbours stay, and equal bytes are not tried again by the next run."""
    write(folder, "01-deadly.md")
    write(folder, "deadly.md", "end")
    write(folder, "deadly.txt", "end")
    made = prepared(folder, deadly_steps)
    left_out = [each for each in made if isinstance(each, SkipWrite) and each.skip.reason is SkipReason.FAULT]
    assert [each.skip.path for each in left_out] == ["deadly.md", "deadly.txt"]
    assert all("--force" in each.skip.detail and each.sha256 == sha256(b"end").hexdigest() for each in left_out)
    assert len(by_path(made)) == FILES
    assert str(os.getpid()) not in by_path(made).values()


def test_file_on_which_a_parser_spins_is_left_out(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """After its share of a processor, though no other thread of that process has a turn."""
    monkeypatch.setattr("gnomon.index.preparing._CLOCK_FACTOR", 1e4)  # whatever else the machine does
    write(folder, "spinning.md")
    made = prepared(folder, deadly_steps, batch_seconds=0.5)
    (left_out,) = [each for each in made if isinstance(each, SkipWrite) and each.skip.path == "spinning.md"]
    assert left_out.skip.reason is SkipReason.EXTRACTION_LIMIT
    assert "--force" in left_out.skip.detail
    assert len(by_path(made)) == FILES - 1


def test_process_that_stands_still_costs_no_document(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was stopped, or hangs in the system: when its time is over, another one takes the file."""

    class PassedWhenStopped(Deadline):
        def _count(self) -> None:
            while not self._done.wait(0.01):
                if os.waitid(os.P_PID, self._process.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT):
                    self._process.kill()
                    return

    monkeypatch.setattr("gnomon.index.preparing.Deadline", PassedWhenStopped)
    write(folder, "stopped.md", str(tmp_path / "met"))
    titles = by_path(prepared(folder, deadly_steps))
    assert len(titles) == FILES
    assert str(os.getpid()) not in titles.values()


def test_processes_that_all_end_at_once_are_done_without(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the system gives them no memory: it is not the files, and only a few are taken for what they are not."""

    def killed(module: str) -> subprocess.Popen[bytes]:
        process = start(module)
        process.kill()
        return process

    monkeypatch.setattr("gnomon.index.preparing.start", killed)
    titles = by_path(prepared(folder, plain_steps))
    assert len(titles) > FILES // 2
    assert set(titles.values()) == {str(os.getpid())}


def test_what_cannot_be_sent_is_made_here(folder: Folder) -> None:
    """The file costs a process, and nothing else."""
    write(folder, "odd.md")
    titles = by_path(prepared(folder, unsayable_steps))
    assert len(titles) == FILES
    assert titles["odd.md"] == str(os.getpid())


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


def test_run_that_is_stopped_waits_for_no_batch(folder: Folder, tmp_path: Path) -> None:
    """Ctrl-C is answered at once, whatever a parser is at; what is left has its turn in the next run."""
    write(folder, "stopped.md", str(tmp_path / "met"))
    here = partial(build, folder, steps=plain_steps())
    crew = Crew(2, deadly_steps, batch_seconds=600.0)
    with Preparing(crew, folder, {}, here, (tmp_path / "met").exists) as stopped:
        came = by_path([each for batch in stopped.batches(in_fours(found(folder))) for each in batch])
    assert "stopped.md" not in came


def test_process_ends_with_its_parent() -> None:
    """Whatever it is in the middle of: a parent that is killed leaves nothing behind but closed pipes."""
    with start(WORKER) as process:
        assert process.stdin is not None
        pickle.dump(partial(time.sleep, 3_600), process.stdin)
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def test_process_that_spins_ends_without_its_parent(folder: Folder) -> None:
    """A search for a pattern lets no other thread of the process see that its input has ended."""
    write(folder, "spinning.md")
    by_name = {file.path: file for file in found(folder)}
    with start(WORKER) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        pickle.dump(deadly_steps, process.stdin)
        pickle.dump((folder, [by_name["00.md"]], {}, 0.5), process.stdin)
        pickle.dump((folder, [by_name["spinning.md"]], {}, 0.5), process.stdin)
        process.stdin.flush()
        pickle.load(process.stdout)  # it is at the second one
        process.stdin.close()
        assert process.wait(timeout=60) <= 0


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
