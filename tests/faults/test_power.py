"""Power that fails in the middle of a run: the disk keeps what was synced, and of the rest whatever it likes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.faults.outage import RUNS, Run, outages, strace_works, torn_logs
from tests.faults.power import Disk, Operation

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

recorded = pytest.mark.skipif(not strace_works(), reason="runs are recorded by strace, which does not work here")


@recorded
@pytest.mark.parametrize("run", RUNS)
def test_power_loss_leaves_an_index_that_opens_and_mends(tmp_path: Path, run: Run) -> None:
    """At any point: it says what is so, returns no wrong text, keeps what was there before, and is whole again."""
    outages(1, tmp_path, run=run, cuts=5)


def test_torn_log_leaves_an_index_that_opens_and_mends(tmp_path: Path) -> None:
    """The same for the log alone, wherever it ends or has holes."""
    torn_logs(2, tmp_path, cuts=5)


def test_what_was_synced_stays() -> None:
    """What was not is there or not, and a large write may be torn."""
    old, new = b"a" * 2048, b"b" * 2048
    found = set()
    for seed in range(50):
        disk = Disk({})
        disk.apply(Operation("make", "file"))
        disk.apply(Operation("write", "file", old, 0))
        disk.apply(Operation("sync", "file"))
        disk.apply(Operation("write", "file", new, 0))
        disk.apply(Operation("sync", ""))
        found.add(disk.after_power_loss(random.Random(seed))["file"])
    assert found == {new[: 512 * sectors] + old[512 * sectors :] for sectors in range(5)}


def test_file_that_was_removed_may_be_back_until_its_folder_is_synced() -> None:
    """And a new name may be missing."""
    disk = Disk({"log": b"old"})
    disk.apply(Operation("remove", "log"))
    disk.apply(Operation("make", "log"))
    found = [disk.after_power_loss(random.Random(seed)) for seed in range(50)]
    assert {each.get("log") for each in found} == {b"old", None, b""}
    disk.apply(Operation("sync", ""))
    assert {disk.after_power_loss(random.Random(seed))["log"] for seed in range(50)} == {b""}
