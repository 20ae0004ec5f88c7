"""One writer at a time: a lock file whose lock dies with its process."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.errors import BusyError, Interrupted, StoreError

if TYPE_CHECKING:
    import filelock

_LOCK, _OWNER = "write.lock", "write.pid"
_POLL_SECONDS = 0.2
_POLLS_PER_WORD = 5
# What file systems say that cannot lock files.
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP})


@contextmanager
def writer_lock(
    index_dir: Path, *, on_wait: Callable[[int], None] | None = None, stop: Callable[[], bool] = bool
) -> Iterator[None]:
    """Hold the right to write to an index.

    Args:
        index_dir: Folder of the index; made where it is missing.
        on_wait: Told the other writer's process id (0 where unknown) when waiting for it begins, and every second
            from then on. Without it, another writer is an error at once.
        stop: Asked now and then whether to give up waiting.

    Raises:
        BusyError: Another process writes and there is no ``on_wait``.
        Interrupted: ``stop`` said so.
        StoreError: The folder cannot be written.
    """
    owner = index_dir / _OWNER
    try:
        index_dir.mkdir(parents=True, exist_ok=True)
        lock = _open(index_dir)
        if not _try(lock, 0):
            _wait(lock, index_dir, on_wait, stop)
    except OSError as e:
        raise StoreError(f"cannot write to the index at {index_dir}: {e.strerror or e}{_remedy(e)}") from e
    try:
        with suppress(OSError):
            owner.write_text(str(os.getpid()), encoding="ascii")
        yield
    finally:
        with suppress(OSError):
            owner.unlink()
        lock.release()


def is_writing(index_dir: Path) -> bool:
    """Whether a process holds the right to write to the index."""
    try:
        if not (index_dir / _OWNER).exists():
            return False  # nobody wrote since the last writer was done; the usual case, and it costs nothing
        lock = _open(index_dir)
        free = _try(lock, 0)
    except OSError:
        return False  # of another user, or on a medium that cannot be written: nobody writes there in our name
    if free:
        lock.release()
    return not free


def writer_of(index_dir: Path) -> int:
    """Process id of who writes, or wrote last without an end; 0 where unknown."""
    try:
        return int((index_dir / _OWNER).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0


def _open(index_dir: Path) -> filelock.BaseFileLock:
    from filelock import FileLock  # status asks whether somebody writes, and mostly nobody does

    # No marker file in place of a lock: it would outlive a killed process.
    return FileLock(index_dir / _LOCK, fallback_to_soft=False)


def _try(lock: filelock.BaseFileLock, seconds: float) -> bool:
    import filelock

    try:
        lock.acquire(timeout=seconds)
    except filelock.Timeout:
        return False
    return True


def _wait(
    lock: filelock.BaseFileLock, index_dir: Path, on_wait: Callable[[int], None] | None, stop: Callable[[], bool]
) -> None:
    pid = writer_of(index_dir)
    if on_wait is None:
        raise BusyError(f"another process (id {pid or 'unknown'}) is writing to this index; try again when it is done")
    on_wait(pid)
    polls = 0
    while not _try(lock, _POLL_SECONDS):
        if stop():
            raise Interrupted("stopped while waiting for another writer; nothing was changed")
        polls += 1
        if polls % _POLLS_PER_WORD == 0:
            on_wait(writer_of(index_dir))


def _remedy(error: OSError) -> str:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return " (it is no folder); move away what is there, or set GNOMON_INDEX_DIR to another place"
    if error.errno in _NO_LOCKS:
        return " (a network folder?), so that two writers would disturb each other; set GNOMON_INDEX_DIR to a local one"
    return ""
