"""A million passages on one machine, in one run: searches, recall, an update, size, memory, a cold start.

    python benchmarks/store/million.py
    python benchmarks/store/million.py --keep /var/tmp/bench --lancedb

Corpus and questions are those of ``bench_store.py``; making them and the index takes ten minutes, which ``--keep``
spares the next run. One process serves: it answers whole searches (both arms, fusion, ranking) with question vectors
made before, and stays open while another one writes. Times are wall clock: take them from an idle machine, or with
``chrt -f 10``. The update replaces 1 % of the documents, whose vectors are ready, and has ended when the serving
process answers with the last of the new texts. Beside it stand numpy and, on demand, the recipe of the first
predecessor: a LanceDB table of texts and vectors, nothing approximate, its words index made anew at the end.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import shutil
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from bench_store import DIM, EVERYTHING, FINGERPRINT, Corpus, brute_force, build, cold

from gnomon.embed.base import Embedder
from gnomon.embed.models import ModelSpec
from gnomon.search import search
from gnomon.store import open_store
from gnomon.store.base import text_key
from gnomon.values import WordQuery

if TYPE_CHECKING:
    from numpy.typing import NDArray

Question = tuple[WordQuery, "NDArray[np.float32]"]
Ask = Callable[[str, Sequence[Question]], tuple[list[tuple[float, list[str]]], int]]
Report = dict[str, object]

# Documents of LanceDB's table that are added at once: the recipe adds a file's worth, which takes hours here.
DOCUMENTS_PER_BATCH = 1_000


class ReadyVectors:
    """An embedder that was told the vector of each question; a model's inference is the same at any size."""

    spec = ModelSpec(id="bench", adapter="onnx", dim=DIM, window_tokens=256)
    fingerprint = "bench"

    def __init__(self) -> None:
        self.known: dict[str, NDArray[np.float32]] = {}

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self.known[text]


def serve(path: Path, pipe: Connection) -> None:
    """Answer lists of questions in the way each list names, until there is none."""
    embedder = ReadyVectors()
    with open_store("sqlite", path, fingerprint=FINGERPRINT, writable=False) as store:

        def whole(question: Question) -> list[str]:
            with store.snapshot():
                answer = search(text_of(question), store=store, embedder=cast("Embedder", embedder))
            return [hit.text for hit in answer.hits]

        def words(question: Question) -> list[str]:
            store.search_words(question[0], limit=200, selection=EVERYTHING)
            return []

        def vectors(question: Question) -> list[str]:
            store.search_vectors(question[1], limit=50, selection=EVERYTHING)
            return []

        ways = {"whole": whole, "words": words, "vectors": vectors}
        while message := pipe.recv():
            way, questions = message
            embedder.known = {text_of(question): question[1] for question in questions}
            pipe.send(([timed(ways[way], question) for question in questions], resident_mb()))


def text_of(question: Question) -> str:
    return " ".join(question[0].any_of)


def timed(call: Callable[[Question], list[str]], question: Question) -> tuple[float, list[str]]:
    started = time.perf_counter()
    found = call(question)
    return (time.perf_counter() - started) * 1000, found


def resident_mb() -> int:
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) >> 10


@contextmanager
def serving(path: Path) -> Iterator[Ask]:
    """A process that serves an index: asked in a way, it gives milliseconds and texts of each answer, and its MB."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(path, there))
    process.start()

    def ask(way: str, questions: Sequence[Question]) -> tuple[list[tuple[float, list[str]]], int]:
        here.send((way, list(questions)))
        return cast("tuple[list[tuple[float, list[str]]], int]", here.recv())

    yield ask
    here.send(None)
    process.join()


def spread(times: Sequence[float]) -> str:
    return f"{statistics.median(times):.1f} / {statistics.quantiles(times, n=20)[-1]:.1f}"


def searches(path: Path, questions: list[Question]) -> Report:
    """Times and memory of a serving process; no question is asked twice in the same way."""
    report: Report = {}
    with serving(path) as ask:
        ask("whole", questions[:5])
        for way in ("words", "vectors", "whole"):
            answers, memory = ask(way, questions[5:])
            report[f"search, {way}, ms p50 / p95"] = spread([ms for ms, _ in answers])
    return {**report, "memory of the serving process, MB": memory}


def update(path: Path, corpus: Corpus, questions: list[Question], scratch: Path) -> Report:
    """Replace 1 % in a copy of the index; the serving process must answer with the last of the new texts."""
    copy = scratch / "copy.db"
    shutil.copyfile(path, copy)
    os.sync()  # else the first sync of the index writes all of the copy
    numbers = list(range(0, corpus.documents, 100))
    writes = [corpus.write(number, 1) for number in numbers]
    keys = [text_key(chunk.embedded) for write in writes for chunk in write.chunks]
    ready = np.concatenate([corpus.vectors(number, 1) for number in numbers])
    wanted = writes[-1].chunks[-1].text
    rare = sorted(dict.fromkeys(wanted.split()), key=lambda word: int(word[1:]))[-5:]
    question = WordQuery(tuple(rare)), ready[-1]
    with serving(copy) as ask, open_store("sqlite", copy, fingerprint=FINGERPRINT, writable=True) as writer:
        ask("whole", questions[:10])
        started = time.perf_counter()
        writer.write(writes)
        words = time.perf_counter()
        writer.put_vectors(keys, ready)
        vectors = time.perf_counter()
        answers, _ = ask("whole", [question])
        seen = time.perf_counter()
        writer.close()  # puts its log into the file, and the pieces of the words index together
        closed = time.perf_counter()
    assert wanted in answers[0][1], "the update is not seen"
    return {
        "update of 1 %: words, s": words - started,
        "update of 1 %: vectors, s": vectors - words,
        "update of 1 %: first search after it, s": seen - vectors,
        "update of 1 %: until it is seen, s": seen - started,
        "update of 1 %: closing the writer after it, s": closed - seen,
    }


def lance_recipe(corpus: Corpus, questions: list[Question], scratch: Path) -> Report:
    """The first predecessor's way with the same texts and vectors; words are found when their index was made anew."""
    import lancedb

    def rows(numbers: Sequence[int], version: int = 0) -> list[dict[str, Any]]:
        return [
            {"document": number, "text": " ".join(words), "vector": vector}
            for number in numbers
            for words, vector in zip(corpus.words(number, version), corpus.vectors(number, version), strict=True)
        ]

    def make_words_index() -> float:
        started = time.perf_counter()
        with warnings.catch_warnings():  # the later name is not in the releases that the recipe was written for
            warnings.simplefilter("ignore")
            table.create_fts_index("text", replace=True)
        return time.perf_counter() - started

    def median_ms(call: Callable[[Question], list[Any]]) -> float:
        return statistics.median(timed(call, question)[0] for question in questions)

    table = lancedb.connect(scratch / "lance").create_table("chunks", rows([0]))
    built = 0.0
    for first in range(1, corpus.documents, DOCUMENTS_PER_BATCH):
        batch = rows(range(first, min(first + DOCUMENTS_PER_BATCH, corpus.documents)))
        started = time.perf_counter()
        table.add(batch)
        built += time.perf_counter() - started
    built += make_words_index()
    report: Report = {
        "LanceDB recipe: build, s": built,
        "LanceDB recipe: search, vectors, ms p50": median_ms(lambda q: table.search(q[1]).limit(10).to_list()),
        "LanceDB recipe: search, words, ms p50": median_ms(
            lambda q: table.search(text_of(q), query_type="fts").limit(10).to_list()
        ),
    }
    numbers = range(0, corpus.documents, 100)
    changed = rows(numbers, 1)
    started = time.perf_counter()
    table.delete("document % 100 = 0")
    table.add(changed)
    report["LanceDB recipe: update of 1 %, vectors, s"] = time.perf_counter() - started
    return {**report, "LanceDB recipe: update of 1 %, words index anew, s": make_words_index()}


def measure(options: argparse.Namespace, scratch: Path) -> Iterator[Report]:
    """Each part of the table as soon as it is known."""
    corpus = Corpus(options.chunks)
    questions = list(corpus.queries(options.queries))
    path = (options.keep or scratch) / f"bench-{options.chunks}.db"
    if not path.exists():
        with open_store("sqlite", path, fingerprint=FINGERPRINT, writable=True) as store:
            yield build(store, corpus)
    text_bytes = statistics.mean(len(chunk.text) for n in range(50) for chunk in corpus.write(n).chunks)
    yield {"bytes per passage beside its text": path.stat().st_size / options.chunks - text_bytes}
    yield searches(path, questions)
    yield update(path, corpus, questions, scratch)
    yield cold(path, corpus)
    with open_store("sqlite", path, fingerprint=FINGERPRINT, writable=False) as store:
        yield brute_force(store, corpus, options.queries, time.perf_counter)
    if options.lancedb:
        yield lance_recipe(corpus, questions, scratch)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--keep", type=Path, help="folder to keep the index in, and to find it again")
    parser.add_argument("--lancedb", action="store_true", help="the recipe too, which takes minutes more")
    options = parser.parse_args()
    print(f"{options.chunks:,} passages, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    with tempfile.TemporaryDirectory(dir=options.keep) as scratch:
        for part in measure(options, Path(scratch)):
            for name, value in part.items():
                shown = f"{value:,.3f}" if isinstance(value, float) else str(value)
                print(f"{name:<60} {shown}", flush=True)


if __name__ == "__main__":
    main()
