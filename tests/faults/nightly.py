"""Kill real index runs, hundreds of times.

    python -m tests.faults.nightly [--seeds 300] [--first 0] [--minutes 60]

A line per seed that failed, with how to repeat it, and the count; the exit code is 1 if any failed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tests.faults.crashes import crash

_TELL_EVERY = 25


def main() -> int:
    """Run the seeds one after the other."""
    parser = argparse.ArgumentParser(description="Kill real index runs, hundreds of times.")
    parser.add_argument("--seeds", type=int, default=300, help="how many lives of an index")
    parser.add_argument("--first", type=int, default=0, help="the first seed; 30 and above are not in the test suite")
    parser.add_argument("--minutes", type=float, default=60, help="stop after so long")
    args = parser.parse_args()
    begun, failed, done = time.monotonic(), 0, 0
    for seed in range(args.first, args.first + args.seeds):
        if time.monotonic() - begun > 60 * args.minutes:
            break
        with tempfile.TemporaryDirectory() as scratch:
            try:
                crash(seed, Path(scratch))
            except Exception:  # noqa: BLE001 - whatever it is, the next seed is tried too
                failed += 1
                traceback.print_exc()
                print(f"seed {seed} failed: python -m tests.faults.nightly --first {seed} --seeds 1", flush=True)  # noqa: T201
        done += 1
        if done % _TELL_EVERY == 0:
            print(f"{done} seeds, {failed} failed so far", flush=True)  # noqa: T201
    print(f"{done} seeds, {failed} failed, {time.monotonic() - begun:.0f} s")  # noqa: T201
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
