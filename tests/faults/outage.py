"""One seeded power failure after the other in the same run of the program, and what must hold after each."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal

from gnomon.corpus.places import INDEX_FILE
from tests.faults import process
from tests.faults.crashes import assert_true_after_crash, kept
from tests.faults.place import Place, new_place
from tests.faults.power import Disk, Operation, contents_of, record

Run = Literal["first", "update", "rebuild", "optimize"]
RUNS: tuple[Run, ...] = ("first", "update", "rebuild", "optimize")

_FILES = 80
_LOG = "gnomon.db-wal"
_LOG_HEADER_BYTES, _FRAME_BYTES = 32, 24 + 4096


def strace_works() -> bool:
    """Whether a run can be recorded here."""
    if shutil.which("strace") is None:
        return False
    return subprocess.run(["strace", "-f", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode == 0


def outages(seed: int, home: Path, *, run: Run, cuts: int) -> None:
    """Record a run, let the power fail at this many points of it, half of them just after a sync, and mend each."""
    rng = random.Random(seed)
    with new_place(home.resolve(), seed, files=_FILES) as place:
        arguments = _prepare(place, run)
        before, start = ({} if run == "rebuild" else kept(place)), contents_of(place.database().parent)
        operations = _record(place, *arguments)
        place.assert_equal_to_fresh()
        expected = place.contents()
        for _ in range(cuts):
            _put(place, _after_power_loss(start, operations, rng))
            if run == "rebuild" and "damaged" in place.run("status", code=None):
                place.run("index", "--quiet", "--force")
            else:
                assert_true_after_crash(place, before)
                place.run("index", "--quiet")
            assert place.contents() == expected


def _prepare(place: Place, run: Run) -> tuple[str, ...]:
    """Bring a place to where the run begins; returns its arguments."""
    if run != "first":
        place.run("index", "--quiet")
    if run == "update":
        place.tree.edit(40)
    if run == "optimize":
        place.run("index", "--quiet", "--force")
        return ("optimize",)
    if run == "rebuild":
        with place.database().open("r+b") as file:
            file.write(b"\xff" * 100)
        return ("index", "--quiet", "--force")
    return ("index", "--quiet")


def _record(place: Place, *arguments: str) -> list[Operation]:
    folder = place.database().parent
    folder.mkdir(exist_ok=True)
    environment = {"XDG_DATA_HOME": str(place.home / "data-index")}
    return record(folder, [*arguments, "--config", str(place.settings())], environment=environment)


def _after_power_loss(start: dict[str, bytes], operations: Sequence[Operation], rng: random.Random) -> dict[str, bytes]:
    disk = Disk(start)
    syncs = [position + 1 for position, operation in enumerate(operations) if operation.kind == "sync"]
    end = rng.choice(syncs) if rng.random() < 0.5 else rng.randrange(len(operations) + 1)
    for operation in operations[:end]:
        disk.apply(operation)
    return disk.after_power_loss(rng)


def torn_logs(seed: int, home: Path, *, cuts: int) -> None:
    """Take the log of a run that waits for vectors, tear it anywhere, and mend each; this needs no recording."""
    rng = random.Random(seed)
    with new_place(home, seed, files=_FILES) as place:
        place.run("index", "--quiet")
        place.tree.edit(40)
        before, folder, database = kept(place), place.database().parent, place.database().read_bytes()
        place.server.hold.set()
        run = place.start("index", "--quiet")
        place.server.held.wait(process.PATIENCE_SECONDS)
        assert run.pid
        os.kill(run.pid, signal.SIGSTOP)
        log = (folder / _LOG).read_bytes()
        # Put into the file already, the log was synced before: then none of it can be torn.
        is_loose = place.database().read_bytes() == database
        os.kill(run.pid, signal.SIGCONT)
        place.server.hold.clear()
        assert process.finish(run) == 0
        if not is_loose:
            return
        start = {INDEX_FILE: database, _LOG: b""}
        begins = [0, *range(_LOG_HEADER_BYTES, len(log), _FRAME_BYTES), len(log)]
        frames = [Operation("write", _LOG, log[a:b], a) for a, b in pairwise(begins)]
        place.assert_equal_to_fresh()
        expected = place.contents()
        for _ in range(cuts):
            _put(place, _after_power_loss(start, [*frames, Operation("sync", "")], rng))
            assert_true_after_crash(place, before)
            place.run("index", "--quiet")
            assert place.contents() == expected


def _put(place: Place, contents: dict[str, bytes]) -> None:
    """The folder as the next start finds it."""
    folder = place.database().parent
    shutil.rmtree(folder)
    folder.mkdir()
    for name, content in contents.items():
        (folder / name).write_bytes(content)
