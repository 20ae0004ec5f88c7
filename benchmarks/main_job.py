"""Cold search, warm search at 50,000 passages, memory and a second run over 5,000 files.

python benchmarks/main_job.py [--files 5000] [--chunks 50000]

Prints one line per promise with its bar. Passages are cut from the Python files of the running environment; at
``--chunks`` their vectors are random (the search does the same work), at ``--files`` they are real.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from passages import QUERIES, new_questions, open_filled, places, sources


def gnomon(home: Path, *arguments: str) -> tuple[str, float, int]:
    """Output, wall seconds and peak memory in MB of one process."""
    begun = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "gnomon", *arguments], stdout=subprocess.PIPE, env=places(home), encoding="utf-8"
    ) as process:
        assert process.stdout
        output = process.stdout.read()
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    return output, time.perf_counter() - begun, usage.ru_maxrss // 1024


def index_files(home: Path, count: int) -> None:
    """Index real files; print speed, memory and the second run."""
    root = home / "files"
    root.mkdir()
    made = 0
    for path in sources():
        if made == count:
            break
        if 200 < path.stat().st_size < 4000:
            shutil.copy(path, root / f"{made:05d}-{path.name}")
            made += 1
    gnomon(home, "add", str(root))
    output, seconds, memory = gnomon(home, "index", "--json")
    summary = json.loads(output)
    rate = summary["chunksEmbedded"] / seconds
    print(f"index {made} files: {seconds:.0f} s, {rate:.0f} passages/s, peak memory {memory} MB (bar 600)")
    _, seconds, _ = gnomon(home, "index", "--json")
    print(f"second run without changes: {seconds:.2f} s for {made} files (bar 1 s per 5,000 files)")
    for path in root.iterdir():
        path.touch()
    output, seconds, _ = gnomon(home, "index", "--json")
    print(f"all touched: {seconds:.2f} s, {json.loads(output)['chunksEmbedded']} embedded (bar 0)")
    gnomon(home, "search", "warm the disk cache")
    cold = [gnomon(home, "search", query)[1] for query in QUERIES]
    words = [gnomon(home, "search", "--words-only", query)[1] for query in QUERIES]
    print(f"cold search: median {statistics.median(cold):.3f} s (bar 0.6), words only {statistics.median(words):.3f} s")


def warm_search(home: Path, count: int) -> None:
    """Time searches inside one process at a given number of passages."""
    corpus, made = open_filled(home, count)
    options = corpus.search_options()
    new = new_questions(300)
    for query in (*QUERIES, *QUERIES, *new[:100]):
        corpus.search(query, options)
    for name, queries in (("asked before", QUERIES * 10), ("never asked before", new[100:])):
        times, cpu = [], []
        for query in queries:
            begun, busy = time.perf_counter(), time.process_time()
            corpus.search(query, options)
            times.append((time.perf_counter() - begun) * 1000)
            cpu.append((time.process_time() - busy) * 1000)
        p50, p95 = statistics.median(times), sorted(times)[int(len(times) * 0.95)]
        print(
            f"warm search at {made} passages, questions {name}: p50 {p50:.1f} ms (bar 10), p95 {p95:.1f} ms; "
            f"of one core {statistics.median(cpu):.1f} ms"
        )
    print(f"  memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


def main() -> None:
    """Run both parts in a scratch place."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--chunks", type=int, default=50_000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        if args.files:
            index_files(home, args.files)
        if args.chunks:
            warm_search(home / "warm", args.chunks)


if __name__ == "__main__":
    main()
