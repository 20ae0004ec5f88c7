"""How long commands take as whole processes, the import of each library included.

python benchmarks/cold_start.py [--folder DIR] [--chunks 20000] [--files 5000 20000] [--runs 20] [--first]

Prints median and smallest wall time and the processor time of each command, beside its bar. Searched is a folder that
is indexed first (a few minutes for a large one), or so many passages of Python with random vectors. Then ``status``
and ``search`` once more, of indexes of so many files of one passage each. ``--first`` runs the commands before
everybody else (``chrt -f 20``: needs the right to), so that the figures hold on a busy machine too.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from passages import QUERIES, configure, fill_with_files, open_filled, places

# Command line -> seconds.
_BARS = {
    ("--version",): 0.1,
    ("--help",): 0.1,
    ("status",): 0.15,
    ("search", "--words-only", "{query}"): None,
    ("search", "{query}"): 0.35,
}


def main() -> None:
    """Index, then time each command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--files", type=int, nargs="*", default=[5_000, 20_000])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--first", action="store_true")
    args = parser.parse_args()
    before = ["chrt", "-f", "20"] if args.first else []
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        if args.folder:
            configure(home, args.folder.resolve())
            _run(home, ["index", "--quiet"])
        else:
            open_filled(home, args.chunks)[0].close()
        for command, bar in _BARS.items():
            _report(home, command, bar, before=before, runs=args.runs)
    for count in args.files:
        with tempfile.TemporaryDirectory() as scratch:
            fill_with_files(Path(scratch), count)
            for command in (("status",), ("search", "{query}")):
                print(f"{count} files: ", end="", flush=True)
                _report(Path(scratch), command, _BARS[command], before=before, runs=args.runs)


def _report(home: Path, command: tuple[str, ...], bar: float | None, *, before: list[str], runs: int) -> None:
    walls, cpus = [], []
    for number in range(-1, runs):  # the first fills the disk's cache
        arguments = [part.format(query=QUERIES[number % len(QUERIES)]) for part in command]
        begun, busy = time.perf_counter(), _children_seconds()
        _run(home, arguments, before=before)
        if number >= 0:
            walls.append(time.perf_counter() - begun)
            cpus.append(_children_seconds() - busy)
    name = " ".join(part for part in command if part != "{query}")
    told = f"median {statistics.median(walls):.3f} s{f' (bar {bar})' if bar else ''}, smallest {min(walls):.3f}"
    print(f"{name:20} {told}, processor time {statistics.median(cpus):.3f}")


def _children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _run(home: Path, arguments: list[str], *, before: list[str] | None = None) -> None:
    command = [*(before or []), sys.executable, "-m", "gnomon", *arguments]
    done = subprocess.run(command, env=places(home), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode > 1:  # 1: nothing found; a complaint is quicker than an answer and no figure
        sys.exit(done.stderr.decode())


if __name__ == "__main__":
    main()
