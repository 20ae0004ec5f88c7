"""How many files a second become searchable by words, and which step takes the time.

python benchmarks/index/words.py [--files 2000] [--bytes 700] [--together]

No vectors. The files are whole parts of the standard library and of what is installed, of 1 kB each: six of seven are
Python, one is a Markdown note made of the topics of ``help()`` and of descriptions of packages. Shares are by the
clock; "run" is discovery and the plan. The first run, in one process, meets grammars and words that nobody has loaded;
the second one, into another index, finds them. In the third one processes prepare what this one stores (as many as an
index run would start here, if it would for so few), and the fourth does without them again: a machine that others use
is not twice the same. With ``--together`` the third is the only one.
"""

from __future__ import annotations

import argparse
import os
import resource
import sysconfig
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from gnomon.config import load_config
from gnomon.corpus import Corpus, parts
from gnomon.index.run import IndexOptions, Run
from gnomon.values import Folder

STEPS = ("read", "extract", "lifecycle", "chunk", "words")
AIM = 1000  # files per second of a processor, in one process
AIM_TOGETHER = 2000  # files per second by the clock, in several
AIM_OF_PROCESSES = 1.5
FILES_PER_NOTE = 7

P = ParamSpec("P")
R = TypeVar("R")


class Shares:
    """Seconds that each step took by itself."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._inner = 0.0

    def timed(self, name: str, step: Callable[P, R]) -> Callable[P, R]:
        """The step, its time noted, less that of timed steps inside it."""

        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            outer, self._inner = self._inner, 0.0
            begun = time.perf_counter()
            try:
                return step(*args, **kwargs)
            finally:
                passed = time.perf_counter() - begun
                self.seconds[name] += passed - self._inner
                self._inner = outer + passed

        return run


def pieces(text: str, size: int, gap: str) -> Iterator[str]:
    """Parts of a text that end at a gap, at least so large; what is more than twice that is left out."""
    start = 0
    while start < len(text):
        found = text.find(gap, start + size)
        end = found + len(gap) if found >= 0 else len(text)
        if size <= end - start <= 2 * size:
            yield text[start:end]
        start = end


def make_files(root: Path, count: int, size: int) -> None:
    """Small files, two hundred to a folder, each different, old enough not to be racy."""
    from pydoc_data.topics import topics

    library, packages = (Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib"))
    modules = [*sorted(library.glob("*.py")), *sorted(library.glob("*/*.py")), *sorted(packages.glob("*/*.py"))]
    code = chain.from_iterable(pieces(path.read_text("utf-8", "replace"), size, "\n\n\n") for path in modules)
    told = [f"# {name}\n\n{text}" for name, text in sorted(topics.items())]
    told += [path.read_text("utf-8", "replace") for path in sorted(packages.glob("*.dist-info/METADATA"))]
    notes = chain.from_iterable(pieces(text, size, "\n\n") for text in told)
    for number in range(count):
        is_note = number % FILES_PER_NOTE == 0
        path = root / f"{number // 200:03d}" / f"{number}{'.md' if is_note else '.py'}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(next(notes if is_note else code), encoding="utf-8")
        os.utime(path, (10**9, 10**9))


def cpu_seconds() -> float:
    """Of this process and of those that it has started and that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def index(home: Path, root: Path, *, in_processes: bool = False) -> float:
    """Print what one run came to; returns its seconds by the clock."""
    os.environ.update(XDG_CONFIG_HOME=f"{home}/c", XDG_DATA_HOME=f"{home}/d")
    shares = Shares()
    with closing(Corpus(load_config(home / "config.json"))) as corpus:
        corpus.config.index_dir.mkdir(parents=True)
        steps = parts.index_steps(corpus.config, corpus.embedder, corpus.extractor, corpus.rules)
        timed: dict[str, Any] = {name: shares.timed(name, getattr(steps, name)) for name in STEPS}
        steps = replace(steps, **timed)
        with corpus.open_writable() as store:
            store.write = shares.timed("store", store.write)  # type: ignore[method-assign]
            crew = parts.crew(corpus.config) if in_processes else None
            run = Run(store, None, steps, IndexOptions(concurrency=1, crew=crew and replace(crew, least_bytes=0)))
            wall, cpu, own = time.perf_counter(), cpu_seconds(), time.process_time()
            report = shares.timed("run", run.index)([Folder("files", root)])
            wall, cpu, own = time.perf_counter() - wall, cpu_seconds() - cpu, time.process_time() - own
    files = sum(folder.files_processed for folder in report.folders)
    if crew:
        print(f"{crew.workers} processes, {1e6 * own / files:.0f} µs a file in the one that stores", end=": ")
    print(f"{files} files, {report.chunks_pending} passages: {wall:.1f} s, {cpu:.1f} CPU-s", end=": ")
    aim, aim_together = ("", f" (aim {AIM_TOGETHER})") if crew else (f" (aim {AIM})", "")
    print(
        f"{files / wall:.0f} files/s{aim_together}, {files / cpu:.0f} per CPU-s{aim}, {1e6 * cpu / files:.0f} µs each"
    )
    largest_first = sorted(shares.seconds.items(), key=itemgetter(1), reverse=True)
    if not crew:
        print("  " + ", ".join(f"{name} {100 * each / wall:.0f} %" for name, each in largest_first))
    return wall


def main() -> None:
    """In one process, in several, and in one again."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--bytes", type=int, default=700)
    parser.add_argument("--together", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        make_files(home / "files", args.files, args.bytes)
        if args.together:
            index(home / "processes", home / "files", in_processes=True)
            print_memory()
            return
        cold = index(home / "cold", home / "files")
        warm = index(home / "warm", home / "files")
        together = index(home / "processes", home / "files", in_processes=True)
        warm = min(warm, index(home / "again", home / "files"))
    print(f"with processes {warm / together:.2f} times as fast by the clock (aim {AIM_OF_PROCESSES})", end="; ")
    print(f"{cold / together:.2f} times as fast as one process that has yet to meet its words, as they have")
    print_memory()


def print_memory() -> None:
    """The most that this process and each of its children had."""
    own, largest = (resource.getrusage(who).ru_maxrss >> 10 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(f"memory at most {own} MB, and {largest} MB in each process")


if __name__ == "__main__":
    main()
