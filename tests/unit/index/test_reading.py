"""Files are read in turn, and at the same time where that is mostly waiting."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

from gnomon.index.reading import Reading


def _clocks(*batches: tuple[float, float]) -> Callable[[], tuple[float, float]]:
    """Clocks by which each batch takes so many seconds, of which its thread works so many."""

    def readings() -> Iterator[tuple[float, float]]:
        for seconds, worked in batches:
            yield 0.0, 0.0
            yield seconds, worked

    return readings().__next__


def _thread(files: Sequence[str]) -> list[int]:
    return [threading.get_ident() for _ in files]


def test_files_that_cost_work_are_read_in_turn() -> None:
    """Threads would only take the interpreter from each other."""
    with Reading(_thread, 4, _clocks((1.0, 0.9), (1.0, 0.6))) as reading:
        threads = {*reading.batch(["a", "b"]), *reading.batch(["c", "d"])}

    assert threads == {threading.get_ident()}


def test_files_that_keep_a_thread_waiting_are_read_at_the_same_time() -> None:
    """After a batch that waited for a disk, two files of the next are under way at once, and come back in order."""
    both = threading.Barrier(2, timeout=60)

    def build(files: Sequence[str]) -> list[str]:
        if files != ["first"]:
            both.wait()
        return [file.upper() for file in files]

    with Reading(build, 2, _clocks((1.0, 0.1))) as reading:
        assert reading.batch(["first"]) == ["FIRST"]
        assert reading.batch(["a", "b"]) == ["A", "B"]


def test_a_short_wait_is_none() -> None:
    """One file that met a cold disk says nothing about the others."""
    with Reading(_thread, 4, _clocks((0.05, 0.0), (1.0, 0.9))) as reading:
        threads = {*reading.batch(["a"]), *reading.batch(["b"])}

    assert threads == {threading.get_ident()}


def test_one_at_a_time_stays_one_at_a_time() -> None:
    """Whoever asks for a concurrency of 1 gets it, whatever the disk is like."""
    with Reading(_thread, 1, _clocks((9.0, 0.0), (9.0, 0.0))) as reading:
        threads = {*reading.batch(["a"]), *reading.batch(["b"])}

    assert threads == {threading.get_ident()}
