"""Passages per second of a whole run beside the bare engine on the same texts, a LanceDB recipe, and numpy alone.

python benchmarks/index/throughput.py [--files 400] [--no-peers]

The bare engine is onnxruntime fed with ready token ids, a thread per core, longest text first: nothing can be faster
with this model. The bar of the whole run (discovery, extraction, chunking, words, vectors, transactions, calibration)
is 90 % of it. The bare engine takes half of the texts before the whole run and half after it, so that a machine that
becomes slower or faster does not change their ratio; on a busy one, that of processor time is the one to trust. The
LanceDB recipe is that of the first predecessor: one session that spreads each text over all cores, a table that files
are added to, its full-text index rebuilt at the end.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import sysconfig
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from gnomon.config import load_config
from gnomon.corpus import Corpus, parts
from gnomon.embed.cpu import usable_cores
from gnomon.embed.onnx import OnnxEmbedder
from gnomon.index.events import Event, FolderDone
from gnomon.index.run import Run
from gnomon.values import Folder

BAR = 0.9
QUERIES = ("parse http headers", "thread pool shutdown", "OrderedDict", "default encoding", "retry after reset")
Texts = Sequence[str]


class Clock:
    """Wall and processor seconds of a block."""

    wall = cpu = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            self.wall += time.perf_counter() - wall
            self.cpu += time.process_time() - cpu


def copy_files(root: Path, count: int) -> None:
    """Python files of the running environment, old enough not to be racy."""
    root.mkdir()
    places = (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"))
    found = (path for place in places for path in sorted(Path(place).rglob("*.py")))
    usable = (path for path in found if 200 < path.stat().st_size < 20_000)
    for number, path in zip(range(count), usable, strict=False):
        target = root / f"{number:05d}-{path.name}"
        shutil.copy(path, target)
        os.utime(target, (10**9, 10**9))


def open_corpus(home: Path) -> Corpus:
    """A corpus with all its files under one folder."""
    os.environ.update(XDG_CONFIG_HOME=f"{home}/c", XDG_DATA_HOME=f"{home}/d")
    return Corpus(load_config(home / "config.json"))


def words_alone(home: Path, root: Path) -> tuple[Clock, list[str]]:
    """A run that leaves the vectors for later, and the texts that they would be of."""
    corpus = open_corpus(home)
    steps = parts.index_steps(corpus.config, corpus.embedder, corpus.extractor, corpus.rules)
    corpus.config.index_dir.mkdir(parents=True)
    clock = Clock()
    with corpus.open_writable() as store:
        with clock.running():
            Run(store, None, steps).index([Folder("files", root)])
        return clock, [text for _, text in store.pending(limit=sys.maxsize)]


def whole_run(corpus: Corpus, root: Path) -> tuple[Clock, float]:
    """A run as the command makes it; also when the words were searchable."""
    begun, words = time.perf_counter(), 0.0

    def listener(event: Event) -> None:
        nonlocal words
        if isinstance(event, FolderDone):
            words = time.perf_counter() - begun

    clock = Clock()
    with clock.running():
        corpus.index([Folder("files", root)], listener=listener)
    return clock, words


def token_ids(corpus: Corpus, texts: Texts) -> list[Any]:
    """What the engine is fed with, longest first."""
    embedder: Any = corpus.embedder
    rows = embedder._token_ids(list(texts))  # noqa: SLF001 - the engine without its adapter is what is measured
    return sorted((np.array([row], np.int64) for row in rows), key=lambda row: -row.size)


def engine(corpus: Corpus) -> tuple[Any, Path]:
    """The session at work and its graph."""
    embedder = corpus.embedder
    assert isinstance(embedder, OnnxEmbedder)
    return embedder._load_session(), embedder._files.graph  # noqa: SLF001 - the same


def bare_loop(corpus: Corpus, texts: Texts, clock: Clock) -> None:
    """Inference alone, on token ids made before."""
    session, _ = engine(corpus)
    ids = token_ids(corpus, texts)
    with ThreadPoolExecutor(usable_cores()) as pool, clock.running():
        for _ in pool.map(lambda row: session.run(["embedding"], {"input_ids": row}), ids):
            pass


def lance_recipe(corpus: Corpus, texts: Texts, place: Path) -> tuple[Clock, Callable[[str], object]]:
    """The first predecessor's way with the same model; returns its search too."""
    import lancedb
    import onnxruntime

    runtime: Any = onnxruntime
    session = runtime.InferenceSession(str(engine(corpus)[1]), providers=["CPUExecutionProvider"])

    def embed(text: str) -> Any:
        return session.run(["embedding"], {"input_ids": token_ids(corpus, [text])[0]})[0][0]

    clock = Clock()
    with clock.running():
        table = None
        for at in range(0, len(texts), 10):  # a file's worth
            rows = [{"text": text, "vector": embed(text)} for text in texts[at : at + 10]]
            if table is None:
                table = lancedb.connect(place).create_table("chunks", rows)
            else:
                table.add(rows)
        assert table is not None
        with warnings.catch_warnings():  # the later name is not in the releases that the recipe was written for
            warnings.simplefilter("ignore")
            table.create_fts_index("text", replace=True)
    return clock, lambda query: table.search(embed(query)).limit(10).to_list()


def milliseconds(search: Callable[[str], object]) -> float:
    """Median of a few questions, the first of each not counted."""
    times = []
    for query in QUERIES:
        search(query)
        for _ in range(5):
            begun = time.perf_counter()
            search(query)
            times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times)


def brute_force(corpus: Corpus, texts: Texts) -> Callable[[str], object]:
    """All vectors in one float32 matrix; random ones do the same work."""
    matrix = np.random.default_rng(0).standard_normal((len(texts), 384), dtype=np.float32)

    def search(query: str) -> object:
        return np.argpartition(matrix @ corpus.embedder.embed_query(query), -10)[-10:]

    return search


def main() -> int:
    """Print a line per way; the exit code is 1 where the bar is missed by both clocks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=400)
    parser.add_argument("--no-peers", action="store_true", help="the whole run and the bare engine only")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        root = home / "files"
        copy_files(root, args.files)
        # In a process of its own, so that the whole run finds nothing remembered; the bare engine has its own session.
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            alone, texts = pool.submit(words_alone, home / "words", root).result()
        corpus, other, bare = open_corpus(home / "whole"), open_corpus(home / "bare"), Clock()
        for each in (corpus, other):
            each.embedder.embed_query("load the model")
        bare_loop(other, texts[::2], bare)
        run, words = whole_run(corpus, root)
        bare_loop(other, texts[1::2], bare)
        count = len(texts)
        print(f"{args.files} files, {count} texts embedded, {usable_cores()} cores")
        print(
            f"words alone      {args.files / alone.wall:6.0f} files/s   {1000 * alone.cpu / count:5.2f} CPU-ms a text"
        )
        print(f"bare engine      {count / bare.wall:6.0f} /s   {1000 * bare.cpu / count:5.2f} CPU-ms each")
        print(f"whole run        {count / run.wall:6.0f} /s   {1000 * run.cpu / count:5.2f} CPU-ms each")
        print(f"all words found  after {words:.1f} s: {args.files / words:.0f} files/s, {count / words:.0f} passages/s")
        ratios = bare.wall / run.wall, bare.cpu / run.cpu
        print(f"ratio            {ratios[0]:.3f} by the clock, {ratios[1]:.3f} by processor time (bar {BAR})")
        if not args.no_peers:
            print_peers(corpus, texts, home)
    return 0 if max(ratios) >= BAR else 1


def print_peers(corpus: Corpus, texts: Texts, home: Path) -> None:
    """The same texts the way others do it, and a search in each."""
    options = corpus.search_options()
    print(
        f"search           {milliseconds(lambda query: corpus.search(query, options)):6.1f} ms, both arms and ranking"
    )
    print(f"numpy            {milliseconds(brute_force(corpus, texts)):6.1f} ms, exact, vectors alone, nothing stored")
    try:
        clock, search = lance_recipe(corpus, texts, home / "lance")
    except ImportError:
        print("LanceDB          not installed in this environment: pip install lancedb")
        return
    print(f"LanceDB recipe   {len(texts) / clock.wall:6.0f} /s   {1000 * clock.cpu / len(texts):5.2f} CPU-ms each")
    print(f"LanceDB search   {milliseconds(search):6.1f} ms, vectors alone")


if __name__ == "__main__":
    sys.exit(main())
