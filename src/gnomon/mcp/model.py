"""The model while the server runs: loaded in the background, given back when idle, tried again after a failure."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from gnomon.errors import GnomonError

log = logging.getLogger("gnomon.mcp")

_RETRY_SECONDS = 30.0  # a model server that was not up at the start may be by now


class ModelState:
    """Whether the model answers.

    Args:
        load: Makes it answer, or raises.
        release: Gives back its memory.
        clock: Seconds, only ever growing.
    """

    def __init__(
        self, load: Callable[[], object], release: Callable[[], None], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._load, self._release, self._clock = load, release, clock
        self._lock = threading.Lock()
        self._settled = threading.Event()
        self._used = self._tried = clock()
        self._busy = 0
        self.state = "loading"

    def wait(self, seconds: float) -> bool:
        """Wait until the first attempt to load it is over; returns whether it is."""
        return self._settled.wait(seconds)

    def load(self) -> None:
        """Make it answer; what went wrong is kept for the answers to come."""
        with self._lock:
            self._tried = self._clock()
            try:
                self._load()
            except GnomonError as e:
                if self.state != f"failed: {e}":
                    log.warning("words only: %s", e)
                self.state = f"failed: {e}"
            else:
                self.state = "ready"
                self._used = self._clock()
                log.info("the model answers")
            self._settled.set()

    def reset(self) -> None:
        """Another model is wanted."""
        self.state = "loading"
        self._settled.clear()

    def use(self) -> bool:
        """Whether a question can be embedded now; loads a model that was given back, never waits for a first load."""
        self._used = self._clock()
        if self.state == "unloaded":
            self.load()
        elif self.state.startswith("failed") and self._clock() - self._tried > _RETRY_SECONDS:
            self._tried = self._clock()
            threading.Thread(target=self.load, name="gnomon-model", daemon=True).start()
        return self.state == "ready"

    def keep(self) -> None:
        """An index run begins: it is not given back until ``let_go``."""
        with self._lock:
            self._busy += 1

    def let_go(self) -> None:
        """The run is over, and has loaded it where it was not."""
        with self._lock:
            self._busy -= 1
            self._used = self._clock()
            if self.state == "unloaded":
                self.state = "ready"

    def unload_if_idle(self, seconds: float) -> bool:
        """Give its memory back if nobody used it for so long; returns whether that was done."""
        with self._lock:
            idle = self._clock() - self._used > seconds and not self._busy
            if not idle or self.state != "ready":
                return False
            self.state = "unloaded"
            self._release()
            log.info("the memory of the idle model is given back")
            return True
