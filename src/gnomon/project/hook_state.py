"""What the hook and its worker leave for each other: small files beside the settings, each changed in one step.

``hook.pending``  an edit that no run has taken up yet
``hook.running``  edits that a run has taken up and not yet finished; left behind when the run fails or dies
``hook.started``  when the last run started, in seconds since 1970
``hook.failure``  why the last run failed, as long as none has succeeded since
``hook.warned``   the user has been told of it
``hook.lock``     held by the worker; the system lets go of it when the worker dies
``hook.log``      what happened, bounded
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

MAX_LOG_BYTES = 64 * 1024
_KEPT_LOG_BYTES = MAX_LOG_BYTES // 2
_MAX_MESSAGE_CHARS = 300


class HookState:
    """The hook's files in one folder.

    The order of steps is what keeps a change from being lost: an edit leaves its mark before it looks for a worker; a
    worker takes the mark before it starts its run, and looks for a new one after it has let go of the lock.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._pending = folder / "hook.pending"
        self._running = folder / "hook.running"
        self._started = folder / "hook.started"
        self._failure = folder / "hook.failure"
        self._warned = folder / "hook.warned"
        self._log = folder / "hook.log"
        self._lock: int | None = None

    # -- edits ------------------------------------------------------------------------------------------------------
    def mark(self) -> None:
        """An edit was made that the index does not know of."""
        self._pending.touch()

    @property
    def has_edit(self) -> bool:
        """Whether an edit came that no run has taken up."""
        return self._pending.exists()

    @property
    def has_work(self) -> bool:
        """The same, or a run that took edits up did not finish."""
        return self.has_edit or self._running.exists()

    def take(self, now: float) -> None:
        """A run starts: the edits so far are its own, later ones are not.

        Args:
            now: Seconds since 1970.
        """
        with suppress(FileNotFoundError):
            self._pending.replace(self._running)
        self._started.write_text(repr(now), "ascii")

    def finish(self) -> None:
        """The run has put its edits into the index; a failing episode is over."""
        for file in (self._running, self._failure, self._warned):
            file.unlink(missing_ok=True)

    @property
    def last_start(self) -> float:
        """When the last run started, seconds since 1970; 0 where none did."""
        try:
            return float(self._started.read_text("ascii"))
        except (OSError, ValueError):
            return 0.0

    # -- failures ---------------------------------------------------------------------------------------------------
    def fail(self, message: str) -> None:
        """Runs fail from now on; the first failure after a success opens a new episode."""
        if not self._failure.exists():
            self._warned.unlink(missing_ok=True)
        self._failure.write_text(_one_line(message)[:_MAX_MESSAGE_CHARS], "utf-8")

    def take_warning(self) -> str | None:
        """Why runs fail, once per episode; None where they do not, or where it has been said."""
        try:
            message = self._failure.read_text("utf-8")
            os.close(os.open(self._warned, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        except OSError:  # no failure, or said already
            return None
        return message

    # -- one worker -------------------------------------------------------------------------------------------------
    def lock(self) -> bool:
        """Become the one worker; False where there is one."""
        self._lock = self._open_lock()
        return self._lock is not None

    def unlock(self) -> None:
        """Be the worker no more."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def has_worker(self) -> bool:
        """Whether a worker is at it, which will look for new edits before it ends."""
        probe = self._open_lock()
        if probe is not None:
            os.close(probe)
        return probe is None

    def _open_lock(self) -> int | None:
        handle = os.open(self.folder / "hook.lock", os.O_CREAT | os.O_RDWR, 0o666)
        if _try_lock(handle):
            return handle
        os.close(handle)
        return None

    # -- log --------------------------------------------------------------------------------------------------------
    def log(self, text: str) -> None:
        """Add lines to the log; the older half goes when it has grown too long."""
        lines = "".join(f"{_one_line(line)}\n" for line in text.splitlines())
        with self._log.open("ab") as log:
            log.write(lines.encode("utf-8", "backslashreplace"))
            grown = log.tell() > MAX_LOG_BYTES
        if grown:
            kept = self._log.read_bytes()[-_KEPT_LOG_BYTES:]
            shorter = self._log.with_name("hook.log.new")
            shorter.write_bytes(kept[kept.find(b"\n") + 1 :])
            shorter.replace(self._log)


def _one_line(text: str) -> str:
    """Text of another program: nothing in it steers a terminal."""
    return "".join(c if c.isprintable() else " " for c in text)


def _try_lock(handle: int) -> bool:
    """Take a lock that dies with its process. A file system that has no locks counts as free: two runs do no harm."""
    try:
        import fcntl
    except ImportError:  # Windows
        return _try_lock_windows(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _try_lock_windows(handle: int) -> bool:
    import msvcrt

    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined] # only there
    except OSError:
        return False
    return True
