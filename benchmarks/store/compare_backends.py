"""The three stores over one synthetic corpus, in one run: build, searches, an update, size, cold process, equality.

    PYTHONPATH=. python benchmarks/store/compare_backends.py --chunks 20000
    PYTHONPATH=. python benchmarks/store/compare_backends.py --chunks 200000 --backends sqlite lancedb

Corpus and questions are those of ``bench_store.py``. Times of searches are wall clock, as a server works in another
process; take them from an idle machine. PostgreSQL is a server that the script starts, with its usual settings but
1 GB of shared buffers. A column of "exact" is measured before the approximate index is made.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from bench_store import DIM, DOCUMENTS_PER_WRITE, EVERYTHING, FINGERPRINT, Corpus, put

from gnomon.store import open_store
from gnomon.store.base import Store
from gnomon.values import WordQuery
from tests.fakes.postgres_server import running_server

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
Question = tuple[WordQuery, "NDArray[np.float32]"]

COLD = """
import sys, json
from pathlib import Path
from gnomon.store import open_store
from gnomon.store.base import Fingerprint, Selection
from gnomon.values import WordQuery
import numpy as np
backend, place, fields, words, vector = json.loads(sys.argv[1])
place = place if backend == "postgres" else Path(place)
with open_store(backend, place, fingerprint=Fingerprint(*fields), writable=False) as store:
    store.search_vectors(np.array(vector, np.float32), limit=50, selection=Selection())
    store.chunks([n for n, _ in store.search_words(WordQuery(tuple(words)), limit=200, selection=Selection())][:20])
"""


def build(store: Store, corpus: Corpus) -> float:
    """Seconds of wall clock, without those that make the corpus."""
    seconds = 0.0
    for first in range(0, corpus.documents, DOCUMENTS_PER_WRITE):
        numbers = range(first, min(first + DOCUMENTS_PER_WRITE, corpus.documents))
        writes = [corpus.write(number) for number in numbers]
        started = time.perf_counter()
        store.write(writes)
        seconds += time.perf_counter() - started
        put(store, corpus, writes, dict.fromkeys(numbers, 0), spent := [])
        seconds += spent[0]
    return seconds


def hybrid(store: Store, question: Question) -> None:
    with store.snapshot():
        store.search_words(question[0], limit=200, selection=EVERYTHING)
        store.search_vectors(question[1], limit=50, selection=EVERYTHING)


def timed(call: Callable[[Question], object], questions: list[Question]) -> str:
    """Milliseconds of wall clock: median / 95th percentile."""
    times = []
    for question in questions:
        started = time.perf_counter()
        call(question)
        times.append((time.perf_counter() - started) * 1000)
    return f"{statistics.median(times):.1f} / {statistics.quantiles(times, n=20)[-1]:.1f}"


def best(store: Store, questions: list[Question]) -> list[tuple[set[int], set[int]]]:
    """Ids of the ten best of both arms."""
    return [
        (
            {n for n, _ in store.search_words(words, limit=10, selection=EVERYTHING)},
            {n for n, _ in store.search_vectors(vector, limit=10, selection=EVERYTHING)},
        )
        for words, vector in questions
    ]


def shared(mine: list[tuple[set[int], set[int]]], theirs: list[tuple[set[int], set[int]]], arm: int) -> float:
    return sum(len(a[arm] & b[arm]) for a, b in zip(mine, theirs, strict=True)) / sum(len(b[arm]) for b in theirs)


def update(store: Store, corpus: Corpus, question: Question) -> float:
    """Seconds until 1 % of the documents are written again, with vectors, and a question is answered."""
    numbers = list(range(0, corpus.documents, 100))
    writes = [corpus.write(number, 1) for number in numbers]
    started = time.perf_counter()
    store.write(writes)
    put(store, corpus, writes, dict.fromkeys(numbers, 1), [])
    hybrid(store, question)
    return time.perf_counter() - started


def cold(backend: str, place: str, question: Question) -> str:
    """A whole process that asks one question: milliseconds of wall clock and of its processor, best of three."""
    fields = [FINGERPRINT.schema, "bench", DIM, "1", "1", "1"]
    payload = json.dumps([backend, place, fields, question[0].any_of, question[1].tolist()])
    walls, processors = [], []
    for _ in range(3):
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", COLD, payload], check=True, env={**os.environ, "PYTHONPATH": "src"}, cwd=ROOT
        )
        walls.append((time.perf_counter() - started) * 1000)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processors.append((after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000)
    return f"{min(walls):.0f} / {min(processors):.0f}"


def measure(
    backend: str, place: str, corpus: Corpus, questions: list[Question], options: argparse.Namespace
) -> tuple[dict[str, str], list[tuple[set[int], set[int]]]]:
    report: dict[str, str] = {}
    with open_store(
        backend, place if "postgres" in place else Path(place), fingerprint=FINGERPRINT, writable=True
    ) as s:
        report["build, chunks/s"] = f"{corpus.chunks / build(s, corpus):,.0f}"
        if not options.approximate:
            for module in ("lancedb", "postgres"):
                __import__(f"gnomon.store.{module}.tidying")
                sys.modules[f"gnomon.store.{module}.tidying"].EXACT_BELOW = 10**12  # type: ignore[attr-defined]
        started = time.perf_counter()
        s.optimize()
        report["optimize, s"] = f"{time.perf_counter() - started:.1f}"
        report["bytes per chunk"] = f"{s.status().size_bytes / corpus.chunks:,.0f}"
        report["exact"] = str(s.status().exact)
        for question in questions[:5]:
            hybrid(s, question)
        report["words, ms p50 / p95"] = timed(
            lambda q: s.search_words(q[0], limit=200, selection=EVERYTHING), questions
        )
        report["vectors, ms p50 / p95"] = timed(
            lambda q: s.search_vectors(q[1], limit=50, selection=EVERYTHING), questions
        )
        report["hybrid, ms p50 / p95"] = timed(lambda q: hybrid(s, q), questions)
        found = best(s, questions)
        report["cold process, ms wall / CPU"] = cold(backend, place, questions[0])
        report["update of 1 %, s"] = f"{update(s, corpus, questions[0]):.2f}"
    return report, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--backends", nargs="+", default=["sqlite", "lancedb", "postgres"])
    parser.add_argument("--approximate", action="store_true", help="make the approximate index, which takes minutes")
    options = parser.parse_args()
    corpus = Corpus(options.chunks)
    questions = list(corpus.queries(options.queries))
    reference: list[tuple[set[int], set[int]]] = []
    print(f"{options.chunks:,} chunks, {options.queries} questions, load {os.getloadavg()[0]:.1f}", flush=True)
    for backend in options.backends:
        with ExitStack() as stack:
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            place = {"sqlite": str(scratch / "index.db"), "lancedb": str(scratch / "index")}.get(
                backend, "postgres:bench"
            )
            if backend == "postgres":
                server = stack.enter_context(
                    running_server("shared_buffers=1GB", "fsync=on", "full_page_writes=on", "synchronous_commit=on")
                )
                os.environ.update(server.environment)
            report, found = measure(backend, place, corpus, questions, options)
        reference = reference or found
        report["ten best shared with the first, words / vectors"] = (
            f"{shared(found, reference, 0):.3f} / {shared(found, reference, 1):.3f}"
        )
        print(f"\n{backend}")
        for name, value in report.items():
            print(f"  {name:<50} {value}", flush=True)


if __name__ == "__main__":
    main()
