"""How a process of our own that works for this one is started, and ended where it takes too long."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Event, Thread
from typing import Self

_ROOT = Path(__file__).resolve().parents[1]
_TICK_SECONDS = 1.0


def start(module: str) -> subprocess.Popen[bytes]:
    """A process that runs ``module.main()`` with pipes as standard input and output.

    What this interpreter was told to leave aside, its child leaves aside too; and a folder that is indexed can never
    lend a module to it.
    """
    code = f"import sys; sys.path.insert(0, {str(_ROOT)!r}); from {module} import main; main()"
    flags = [("-E", sys.flags.ignore_environment), ("-s", sys.flags.no_user_site), ("-S", sys.flags.no_site)]
    return subprocess.Popen(  # noqa: S603 - our own interpreter and our own code
        [sys.executable, "-P", *(flag for flag, is_set in flags if is_set), "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


class Deadline:
    """Kills a process that takes too long; leave it as a context when it is done.

    Time is counted in small steps, so that none passes while this process itself stands still: after Ctrl-Z and ``fg``
    an hour later its children have had no more time than it.

    Attributes:
        passed: It was killed for that.
    """

    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        self.passed = False
        self._process = process
        self._seconds = seconds
        self._done = Event()
        Thread(target=self._count, name="gnomon-deadline", daemon=True).start()

    def _count(self) -> None:
        left = self._seconds
        while left > 0:
            step = min(left, _TICK_SECONDS)
            if self._done.wait(step):
                return
            left -= step
        self.passed = True
        self._process.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
