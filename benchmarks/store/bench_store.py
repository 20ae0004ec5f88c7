"""Speed, size and recall of a store over a synthetic corpus, beside brute force in numpy.

    python benchmarks/store/bench_store.py --chunks 50000
    python benchmarks/store/bench_store.py --chunks 200000 --keep /tmp/bench

Chunks have 120 words drawn by Zipf's law from 200,000, and clustered unit vectors of 384 dimensions. A query is five
words of one chunk without the twenty commonest, and that chunk's vector with noise. Times of searches are of the
processor, so that a busy machine shows nearly the same; the rest is wall clock.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gnomon.store import SCHEMA_VERSION, open_store
from gnomon.store.base import DocumentWrite, Fingerprint, Selection, Store, text_key
from gnomon.values import Chunk, ChunkWords, Document, Span, WordQuery

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIM, WORDS, CHUNKS_PER_DOCUMENT, DOCUMENTS_PER_WRITE = 384, 120, 10, 50
VOCABULARY, ZIPF, STOP_WORDS, CLUSTERS = 200_000, 1.05, 20, 2_000
FINGERPRINT = Fingerprint(SCHEMA_VERSION, "bench", DIM, "1", "1", "1")
EVERYTHING = Selection()


class Corpus:
    """Documents and vectors, the same for a seed."""

    def __init__(self, chunks: int, seed: int = 0) -> None:
        self.chunks = chunks
        self._seed = seed
        weights = 1 / np.arange(1, VOCABULARY + 1) ** ZIPF
        self._cumulated = np.cumsum(weights / weights.sum())
        self._centres = np.random.default_rng(seed).normal(size=(CLUSTERS, DIM)).astype(np.float32)

    def words(self, document: int, version: int = 0) -> list[list[str]]:
        draw = np.random.default_rng((self._seed, 1, document, version)).random((CHUNKS_PER_DOCUMENT, WORDS))
        return [[f"w{rank}" for rank in row] for row in np.searchsorted(self._cumulated, draw).tolist()]

    def write(self, document: int, version: int = 0) -> DocumentWrite:
        words = self.words(document, version)
        texts = [" ".join(row) for row in words]
        chunks = [
            Chunk(i, Span(i * 700, i * 700 + len(text)), 20 * i + 1, 20 * i + 20, text, symbols=(row[0], row[1]))
            for i, (text, row) in enumerate(zip(texts, words, strict=True))
        ]
        analyzed = [ChunkWords(tuple(row), tuple(row[:2]), (), (f"d{document}", "src")) for row in words]
        path = f"src/part{document % 97}/module_{document}.py"
        stat = (1000, document + 1, document + 1)
        return DocumentWrite(Document("/bench", path, *stat, f"{document:064x}", "code", "python"), chunks, analyzed)

    def vectors(self, document: int, version: int = 0) -> NDArray[np.float32]:
        rng = np.random.default_rng((self._seed, 2, document, version))
        centres = self._centres[rng.integers(0, CLUSTERS, CHUNKS_PER_DOCUMENT)]
        return unit(centres + rng.normal(size=(CHUNKS_PER_DOCUMENT, DIM)).astype(np.float32))

    def queries(self, count: int) -> Iterator[tuple[WordQuery, NDArray[np.float32]]]:
        rng = np.random.default_rng((self._seed, 3))
        stop = {f"w{rank}" for rank in range(STOP_WORDS)}
        for _ in range(count):
            document, ordinal = int(rng.integers(self.documents)), int(rng.integers(CHUNKS_PER_DOCUMENT))
            words = [word for word in self.words(document)[ordinal] if word not in stop]
            noise = rng.normal(size=DIM).astype(np.float32) / np.sqrt(DIM)
            picked = rng.permutation(list(dict.fromkeys(words)))[:5].tolist()
            yield WordQuery(tuple(picked)), unit((self.vectors(document)[ordinal] + noise)[None])[0]

    @property
    def documents(self) -> int:
        return self.chunks // CHUNKS_PER_DOCUMENT


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def build(store: Store, corpus: Corpus) -> dict[str, float]:
    words_seconds = vectors_seconds = 0.0
    for first in range(0, corpus.documents, DOCUMENTS_PER_WRITE):
        numbers = range(first, min(first + DOCUMENTS_PER_WRITE, corpus.documents))
        writes = [corpus.write(number) for number in numbers]
        started = time.perf_counter()
        store.write(writes)
        words_seconds += time.perf_counter() - started
        put(store, corpus, writes, dict.fromkeys(numbers, 0), add := [])
        vectors_seconds += add[0]
    started = time.perf_counter()
    store.optimize()
    return {
        "write words, chunks/s": corpus.chunks / words_seconds,
        "put vectors, chunks/s": corpus.chunks / vectors_seconds,
        "optimize, s": time.perf_counter() - started,
    }


def put(store: Store, corpus: Corpus, writes: list[DocumentWrite], versions: dict[int, int], out: list[float]) -> None:
    keys = [text_key(chunk.embedded) for write in writes for chunk in write.chunks]
    vectors = np.concatenate([corpus.vectors(number, version) for number, version in versions.items()])
    started = time.perf_counter()
    store.put_vectors(keys, vectors)
    out.append(time.perf_counter() - started)


def timed(calls: list[Callable[[], object]], clock: Callable[[], float] = time.process_time) -> tuple[float, float]:
    """Milliseconds, usually of the processor: median and 95th percentile."""
    times = []
    for call in calls:
        started = clock()
        call()
        times.append((clock() - started) * 1000)
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


def search(store: Store, corpus: Corpus, count: int) -> dict[str, str]:
    queries = list(corpus.queries(count))
    for words, vector in queries[:3]:
        store.search_vectors(vector, limit=50, selection=EVERYTHING)
        store.search_words(words, limit=50, selection=EVERYTHING)
    some = Selection(only=frozenset(each.id for each in store.documents()[: corpus.documents // 20]))

    def words_arm(limit: int, selection: Selection) -> list[Callable[[], object]]:
        return [lambda w=w: store.search_words(w, limit=limit, selection=selection) for w, _ in queries]

    def vectors_arm(selection: Selection) -> list[Callable[[], object]]:
        return [lambda v=v: store.search_vectors(v, limit=50, selection=selection) for _, v in queries]

    def hybrid(w: WordQuery, v: NDArray[np.float32]) -> None:
        store.search_words(w, limit=200, selection=EVERYTHING)
        store.search_vectors(v, limit=50, selection=EVERYTHING)

    cases = {
        "words, 200 hits, first time": words_arm(200, EVERYTHING),
        "words, 200 hits": words_arm(200, EVERYTHING),
        "words, 1000 hits": words_arm(1000, EVERYTHING),
        "words, 200 hits in 5 % of documents": words_arm(200, some),
        "vectors, 50 hits": vectors_arm(EVERYTHING),
        "vectors, 50 hits in 5 % of documents": vectors_arm(some),
        "both arms": [lambda w=w, v=v: hybrid(w, v) for w, v in queries],
        "generation": [lambda: store.generation] * 20,
        "status": [store.status] * 20,
    }
    return {f"{name}, CPU-ms p50 / p95": "{:.2f} / {:.2f}".format(*timed(calls)) for name, calls in cases.items()}


def words_agreement(store: Store, corpus: Corpus, count: int) -> float:
    """Share of the exact ten best by bm25 that the words arm returns in its ten best."""
    from gnomon.store import words as arm

    shares = []
    budget = arm.postings_budget
    for query, _ in corpus.queries(count):
        found = store.search_words(query, limit=10, selection=EVERYTHING)
        arm.postings_budget = lambda _: 1 << 60
        exact = store.search_words(query, limit=10, selection=EVERYTHING)
        arm.postings_budget = budget
        shares.append(len({n for n, _ in found} & {n for n, _ in exact}) / len(exact))
    return statistics.mean(shares)


def brute_force(
    store: Store, corpus: Corpus, count: int, clock: Callable[[], float] = time.process_time
) -> dict[str, object]:
    """Recall of the store against all cosines in float32, and what those cost in numpy."""
    rows = np.concatenate([corpus.vectors(number) for number in range(corpus.documents)])
    queries = [vector for _, vector in corpus.queries(count)]
    by_number = {each.document.path.rpartition("_")[2]: each.id for each in store.documents()}
    first = [by_number[f"{number}.py"] << 20 for number in range(corpus.documents)]
    ids = np.add.outer(first, range(CHUNKS_PER_DOCUMENT)).ravel()
    recalls = []
    for vector in queries:
        best = set(ids[np.argsort(-(rows @ vector))[:10]].tolist())
        recalls.append(len(best & {n for n, _ in store.search_vectors(vector, limit=10, selection=EVERYTHING)}) / 10)

    def top(vector: NDArray[np.float32]) -> object:
        scores = rows @ vector
        return np.argpartition(-scores, 50)[:50]

    median, high = timed([lambda v=v: top(v) for v in queries], clock)
    unit_ms = "CPU-ms" if clock is time.process_time else "ms"
    return {
        "recall@10 against float32": statistics.mean(recalls),
        f"numpy float32 brute force, {unit_ms} p50 / p95": f"{median:.2f} / {high:.2f}",
    }


def update(path: Path, store: Store, corpus: Corpus) -> dict[str, float]:
    """Change 1 % of the documents; the reader that is open sees them at commit."""
    numbers = list(range(0, corpus.documents, 100))
    words, vector = next(corpus.queries(1))
    with open_store("sqlite", path, fingerprint=FINGERPRINT, writable=True) as writer:
        writes = [corpus.write(number, 1) for number in numbers]
        started = time.perf_counter()
        writer.write(writes)
        words_seconds = time.perf_counter() - started
        put(writer, corpus, writes, dict.fromkeys(numbers, 1), vectors_seconds := [])
        written = time.perf_counter()
        store.search_vectors(vector, limit=50, selection=EVERYTHING)
        store.search_words(words, limit=50, selection=EVERYTHING)
        seen = time.perf_counter()
    return {
        "update of 1 %, s": words_seconds + vectors_seconds[0],
        "first search after it, ms": (seen - written) * 1000,
    }


COLD = """
import sys, json
from pathlib import Path
from gnomon.store import open_store
from gnomon.store.base import Fingerprint, Selection
from gnomon.values import WordQuery
path, words, vector = json.loads(sys.argv[1])
with open_store("sqlite", Path(path), fingerprint=Fingerprint(*json.loads(sys.argv[2])), writable=False) as store:
    store.chunks([n for n, _ in store.search_words(WordQuery(tuple(words)), limit=20, selection=Selection())])
    if vector:
        import numpy as np
        store.search_vectors(np.array(vector, np.float32), limit=50, selection=Selection())
    else:
        assert "numpy" not in sys.modules
"""


def cold(path: Path, corpus: Corpus) -> dict[str, str]:
    """Whole processes, best of seven; milliseconds by the clock, and of the processor (user and system)."""
    fields = [FINGERPRINT.schema, "bench", DIM, "1", "1", "1"]

    def run(code: str, payload: object) -> str:
        walls, processors = [], []
        for _ in range(7):
            before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run([sys.executable, "-c", code, json.dumps(payload), json.dumps(fields)], check=True)
            walls.append((time.perf_counter() - started) * 1000)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            processors.append((after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000)
        return f"{min(walls):.0f} / {min(processors):.0f}"

    words, vector = next(corpus.queries(1))
    return {
        "bare python process, ms / CPU-ms": run("pass", []),
        "cold process, words, ms / CPU-ms": run(COLD, [str(path), words.any_of, []]),
        "cold process, both arms, ms / CPU-ms": run(COLD, [str(path), words.any_of, vector.tolist()]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=50_000)
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--keep", type=Path, help="folder to keep the index in, and to find it again")
    parser.add_argument("--no-brute-force", action="store_true", help="it needs 1.5 KB of memory per chunk")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        path = (options.keep or Path(scratch)) / f"bench-{options.chunks}.db"
        corpus = Corpus(options.chunks)
        report: dict[str, object] = {"chunks": options.chunks}
        if not path.exists():
            with open_store("sqlite", path, fingerprint=FINGERPRINT, writable=True) as store:
                report |= build(store, corpus)
        text_bytes = statistics.mean(len(chunk.text) for n in range(50) for chunk in corpus.write(n).chunks)
        report["file, bytes per chunk without text"] = path.stat().st_size / options.chunks - text_bytes
        report |= cold(path, corpus)
        with open_store("sqlite", path, fingerprint=FINGERPRINT, writable=False) as store:
            report |= search(store, corpus, options.queries)
            report["peak memory after searching, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            report["words arm, share of the exact ten best"] = words_agreement(store, corpus, options.queries)
            if not options.no_brute_force:
                report |= brute_force(store, corpus, options.queries)
            if not options.keep:
                report |= update(path, store, corpus)
    for name, value in report.items():
        print(f"{name:<55} {value:,.3f}" if isinstance(value, float) else f"{name:<55} {value}")


if __name__ == "__main__":
    main()
