"""Kill real index runs, hundreds of times, and let the power fail in others.

    python -m tests.faults.nightly [--seeds 300] [--outages 20] [--first 0] [--minutes 60]

A line per seed that failed, with how to repeat it, and the count; the exit code is 1 if any failed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from tests.faults.crashes import crash
from tests.faults.outage import RUNS, outages, strace_works, torn_logs

_TELL_EVERY = 25
_CUTS = 10


def main() -> int:
    """Run the seeds one after the other."""
    parser = argparse.ArgumentParser(description="Kill real index runs, hundreds of times, and let the power fail.")
    parser.add_argument("--seeds", type=int, default=300, help="how many lives of an index")
    parser.add_argument("--outages", type=int, default=20, help=f"how many runs in which the power fails {_CUTS} times")
    parser.add_argument("--first", type=int, default=0, help="the first seed; 30 and above are not in the test suite")
    parser.add_argument("--minutes", type=float, default=60, help="stop after so long")
    args = parser.parse_args()
    begun = time.monotonic()
    until = begun + 60 * args.minutes
    failed = _try_seeds("seeds", crash, range(args.first, args.first + args.seeds), until=until)
    failed += _try_seeds("outages", _outage, range(args.first, args.first + args.outages), until=until)
    print(f"{failed} failed, {time.monotonic() - begun:.0f} s")  # noqa: T201
    return 1 if failed else 0


def _outage(seed: int, home: Path) -> None:
    if strace_works():
        outages(seed, home / "run", run=RUNS[seed % len(RUNS)], cuts=_CUTS)
    torn_logs(seed, home / "log", cuts=_CUTS)


def _try_seeds(name: str, attempt: Callable[[int, Path], None], seeds: range, *, until: float) -> int:
    """Try each seed in a scratch place until it is time to stop; returns how many failed."""
    failed = 0
    for done, seed in enumerate(seeds, 1):
        if time.monotonic() > until:
            break
        with tempfile.TemporaryDirectory() as scratch:
            try:
                attempt(seed, Path(scratch))
            except Exception:  # noqa: BLE001 - whatever it is, the next seed is tried too
                failed += 1
                traceback.print_exc()
                repeat = "--seeds 1 --outages 0" if name == "seeds" else "--seeds 0 --outages 1"
                print(f"seed {seed} failed: python -m tests.faults.nightly --first {seed} {repeat}", flush=True)  # noqa: T201
        if done % _TELL_EVERY == 0 or seed == seeds[-1]:
            print(f"{done} {name}, {failed} failed so far", flush=True)  # noqa: T201
    return failed


if __name__ == "__main__":
    sys.exit(main())
