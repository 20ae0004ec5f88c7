"""Work done beside other work: the arms are asked at the same time, since both wait for C code."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Aside(Generic[Result]):
    """A call that runs in a thread of its own until its result is asked for."""

    def __init__(self, call: Callable[[], Result]) -> None:
        self._call = call
        self._results: list[Result] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="gnomon-aside", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._results.append(self._call())
        except BaseException as e:  # noqa: BLE001 - raised again where the result is asked for
            self._error = e

    def result(self) -> Result:
        """What the call returned.

        Raises:
            BaseException: What the call raised.
        """
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._results[0]
