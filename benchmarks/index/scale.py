"""Memory over many files, the time of a run that finds nothing to do, and what edits and deletions leave on disk.

python benchmarks/index/scale.py [--files 100000] [--git]

Words only: vectors cost the same per passage at any size, and their memory is shown by benchmarks/main_job.py.
Bars: memory does not grow with the number of files beyond the list of them; 200,000 unchanged files are compared in
5 s of one core; 300 edits of one file leave at most 1.5 times a fresh index; deleted files give their space back.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from gnomon.config import load_config
from gnomon.corpus import Corpus, parts
from gnomon.index.events import Event, FileIndexed
from gnomon.index.report import IndexReport
from gnomon.index.run import IndexOptions, Run
from gnomon.values import Folder

WORDS = ["heron", "otter", "reed", "river", "stork", "minnow", "wombat", "pelican", "kingfisher", "marsh"]
BAR_SECONDS = 5.0
BAR_FILES = 200_000


def make_files(root: Path, count: int) -> None:
    """Small notes, a thousand to a folder, each different."""
    for number in range(count):
        folder = root / f"{number // 1000:04d}"
        if number % 1000 == 0:
            folder.mkdir(parents=True)
        word = WORDS[number % len(WORDS)]
        path = folder / f"n{number}.md"
        path.write_text(f"# Note {number}\n\nThe {word} of {number} meets the {WORDS[number % 7]}.\n", encoding="utf-8")
        os.utime(path, (10**9, 10**9))


def resident_mb() -> int:
    """Memory of this process now."""
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) >> 10


class Memory:
    """A listener that prints memory at each tenth of the files."""

    def __init__(self, files: int) -> None:
        self._step = max(files // 10, 1)
        self._seen = 0
        self.highest = 0

    def __call__(self, event: Event) -> None:
        if isinstance(event, FileIndexed):
            self._seen += 1
            if self._seen % self._step == 0:
                now = resident_mb()
                self.highest = max(self.highest, now)
                print(f"  {self._seen:7d} files  {now:5d} MB", flush=True)


def worked_seconds() -> float:
    """Processor seconds of this process and of those it waited for: git."""
    return sum(os.times()[:4])


def run(
    corpus: Corpus, folder: Folder, listener: Callable[[Event], None] = lambda _: None
) -> tuple[IndexReport, float]:
    """A run without vectors; its report and processor seconds."""
    corpus.config.index_dir.mkdir(parents=True, exist_ok=True)
    steps = parts.index_steps(corpus.config, corpus.embedder, corpus.extractor, corpus.rules)
    with corpus.open_writable() as store:
        begun = worked_seconds()
        report = Run(store, None, steps, IndexOptions(), listener).index([folder])
        return report, worked_seconds() - begun


def stored_bytes(corpus: Corpus) -> int:
    """Size of the closed index."""
    return sum(path.stat().st_size for path in corpus.config.index_dir.glob("gnomon.db*"))


def edits(corpus: Corpus, folder: Folder) -> None:
    """Three hundred edits of one file, each with a run of its own."""
    fresh = stored_bytes(corpus)
    path = folder.root / "0000" / "n0.md"
    for number in range(300):
        path.write_text(f"# Note\n\nEdit {number} of the {WORDS[number % 10]}.\n", encoding="utf-8")
        run(corpus, folder)
    print(f"300 edits: {stored_bytes(corpus) / fresh:.3f} of the size before (bar 1.5)")


def deletions(corpus: Corpus, folder: Folder) -> None:
    """Nine of ten files go, and one run sees it."""
    before = stored_bytes(corpus)
    for number, path in enumerate(sorted(folder.root.glob("*/*.md"))):
        if number % 10:
            path.unlink()
    run(corpus, folder)
    print(f"nine of ten files deleted: {stored_bytes(corpus) / before:.3f} of the size before")


def main() -> None:
    """Run all parts in a scratch place."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--git", action="store_true", help="in a git work tree")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        os.environ.update(XDG_CONFIG_HOME=f"{home}/c", XDG_DATA_HOME=f"{home}/d")
        folder = Folder("files", home / "files")
        make_files(folder.root, args.files)
        if args.git:
            subprocess.run(["git", "init", "-q", str(folder.root)], check=True)
        with closing(Corpus(load_config(home / "config.json"))) as corpus:
            print(f"before: {resident_mb()} MB")
            memory = Memory(args.files)
            report, seconds = run(corpus, folder, memory)
            print(f"{args.files} files: {seconds:.0f} CPU-s, {1e6 * seconds / args.files:.0f} µs each")
            print(f"index {stored_bytes(corpus) / report.chunks_pending:.0f} bytes per passage, without vectors")
            report, seconds = run(corpus, folder)
            assert report.folders[0].files_unchanged == args.files
            scaled = seconds * BAR_FILES / args.files
            print(f"nothing to do: {seconds:.2f} CPU-s, so {scaled:.1f} for {BAR_FILES} files (bar {BAR_SECONDS})")
            deletions(corpus, folder)
            few = Folder("few", home / "few")
            make_files(few.root, 200)
            with closing(Corpus(load_config(home / "other.json"))) as other:
                other.config.index_dir.joinpath("gnomon.db").unlink()
                run(other, few)
                edits(other, few)


if __name__ == "__main__":
    main()
