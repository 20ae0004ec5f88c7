"""One writer at a time, and no lock outlives its process."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import filelock
import pytest

from gnomon.errors import BusyError, Interrupted, StoreError
from gnomon.index.lock import is_writing, writer_lock

HOLDER = """
import sys
from pathlib import Path
from gnomon.index.lock import writer_lock
with writer_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> subprocess.Popen[str]:
    """Another process that holds the lock until its standard input closes."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    return process


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_second_writer_is_told_who_writes(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    """Without patience the other process is named."""
    with pytest.raises(BusyError, match=str(holder.pid)), writer_lock(tmp_path):
        pass
    _end(holder)


def test_lock_dies_with_its_process(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    """A killed writer leaves no lock behind."""
    _end(holder)
    with writer_lock(tmp_path):
        pass


def test_waiting_writer_goes_on_when_the_first_is_done(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    """With patience the second writer is told once and then gets its turn."""
    told: list[int] = []

    def on_wait(pid: int) -> None:
        told.append(pid)
        _end(holder)

    with writer_lock(tmp_path, on_wait=on_wait):
        assert told == [holder.pid]


def test_waiting_can_be_given_up(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    """Ctrl-C while waiting changes nothing."""
    with pytest.raises(Interrupted), writer_lock(tmp_path, on_wait=lambda _: None, stop=lambda: True):
        pass
    _end(holder)


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP])
def test_folder_that_cannot_be_locked_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """A network home without locks: no waiting for a writer that is not there, and no mark that a kill would leave."""
    fcntl = pytest.importorskip("fcntl")

    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(StoreError, match="GNOMON_INDEX_DIR"), writer_lock(tmp_path):
        pass
    (tmp_path / "write.pid").write_text("1", encoding="ascii")
    assert not is_writing(tmp_path)


def test_folder_without_rights_is_told_from_one_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The way out is another one."""

    def acquire(*_: object, **__: object) -> None:
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(filelock.FileLock, "acquire", acquire)
    with pytest.raises(StoreError, match="cannot write") as caught, writer_lock(tmp_path):
        pass
    assert "GNOMON_INDEX_DIR" not in str(caught.value)


def test_file_in_the_place_of_the_folder_is_said(tmp_path: Path) -> None:
    """That it exists is what the system says, and no help."""
    place = tmp_path / "index"
    place.write_text("x", encoding="utf-8")
    for index_dir in (place, place / "inner"):
        with pytest.raises(StoreError, match=r"no folder.*GNOMON_INDEX_DIR"), writer_lock(index_dir):
            pass
        assert not is_writing(index_dir)


def test_waiting_writer_is_told_again_and_again(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    """So that it can show how far the other one is."""
    told: list[int] = []

    def on_wait(pid: int) -> None:
        told.append(pid)
        if len(told) == 3:
            _end(holder)

    with writer_lock(tmp_path, on_wait=on_wait):
        assert told == [holder.pid] * 3
