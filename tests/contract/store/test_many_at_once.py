"""Threads and processes on one index: nobody sees half a change, nothing that was committed is lost."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from gnomon.errors import GnomonError
from gnomon.store import open_store
from gnomon.store.base import Store
from tests.contract.store.builders import (
    EVERYTHING,
    FINGERPRINT,
    FOLDER,
    embed_all,
    found_texts,
    nearest_texts,
    vector,
    write,
)
from tests.contract.store.conftest import Opener
from tests.contract.store.writing_process import batch_paths, batch_text

ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def writing_process(backend: str, path: Path, name: str, batches: int) -> Iterator[subprocess.Popen[str]]:
    """A process that waits for a line before it writes."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.contract.store.writing_process", backend, str(path), name, str(batches)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"} | {k: v for k, v in os.environ.items() if k.startswith("PG")},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def start(process: subprocess.Popen[str]) -> None:
    """Let the process write."""
    assert process.stdin
    process.stdin.write("\n")
    process.stdin.flush()


def committed(process: subprocess.Popen[str]) -> int:
    """The next batch that the process says is committed."""
    assert process.stdout
    return int(process.stdout.readline())


def assert_whole(store: Store, name: str, batch: int) -> None:
    """Each document of a batch is there with all its text, words and vectors."""
    for path in batch_paths(name, batch):
        found = store.find_document(FOLDER, path)
        assert found is not None
        texts = [batch_text(path, n) for n in range(6)]
        assert [stored.chunk.text for stored in store.document_chunks(found.id)] == texts
        assert sorted(found_texts(store, path)) == texts
        assert nearest_texts(store, texts[2], limit=1) == [texts[2]]


@pytest.mark.parametrize("acknowledged", [0, 1, 3])
def test_kill_in_the_middle_of_writing_loses_nothing_committed(
    backend: str, index_path: Path, open_index: Opener, acknowledged: int
) -> None:
    """After kill -9 the index opens, what was acknowledged is whole, and writing goes on."""
    with writing_process(backend, index_path, "p", 1_000) as process:
        start(process)
        batches = [committed(process) for _ in range(acknowledged + 1)]
        process.kill()
        process.wait()
    store = open_index()
    for batch in batches:
        assert_whole(store, "p", batch)
    status = store.status()
    assert status.chunks == 6 * status.documents
    assert len(store.search_vectors(vector("q"), limit=10**4, selection=EVERYTHING)) == (
        status.chunks - status.vectors_missing
    )
    embed_all(store)
    assert store.status().vectors_missing == 0


def test_two_processes_and_a_reader_lose_nothing(backend: str, index_path: Path, open_index: Opener) -> None:
    """Both make the new index at the same moment; the second writer of each moment waits."""
    with writing_process(backend, index_path, "a", 6) as one, writing_process(backend, index_path, "b", 6) as two:
        start(one)
        start(two)
        committed(one)
        reader = open_index(writable=False)
        for _ in range(5):
            committed(one)
            assert_whole(reader, "a", 0)
        for _ in range(6):
            committed(two)
    for name in "ab":
        for batch in range(6):
            assert_whole(reader, name, batch)
    assert reader.status().documents == 48


def test_many_threads_opening_a_new_index_at_once_all_succeed(backend: str, index_path: Path) -> None:
    """Nobody sees a lock error."""
    gate = threading.Barrier(8)

    def open_and_write(number: int) -> str:
        gate.wait()
        with open_store(backend, index_path, fingerprint=FINGERPRINT, writable=True) as store:
            store.write([write(f"{number}.md", f"text{number}")])
            return found_texts(store, f"text{number}")[0]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(open_and_write, range(8))) == [f"text{n}" for n in range(8)]


def test_one_object_serves_many_threads_consistently(store: Store) -> None:
    """Readers never see two documents of one transaction in different versions."""
    store.write([write(f"{n}.md", "all v0", title="v0") for n in range(5)])
    embed_all(store)
    done = threading.Event()

    def read() -> int:
        rounds = 0
        while not done.is_set() or not rounds:
            assert len({each.document.title for each in store.documents()}) == 1
            assert len(set(found_texts(store, "all"))) <= 1
            assert len(store.search_vectors(vector("q"), limit=10, selection=EVERYTHING)) in (0, 5)
            rounds += 1
        return rounds

    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read) for _ in range(3)]
        try:
            for version in range(1, 25):
                store.write([write(f"{n}.md", f"all v{version}", title=f"v{version}") for n in range(5)])
                embed_all(store)
        finally:
            done.set()
        assert all(reader.result() > 0 for reader in readers)


def test_writers_in_many_threads_take_turns(store: Store, open_index: Opener) -> None:
    """One object, and two, written to from several threads."""
    other = open_index()

    def write_some(number: int) -> None:
        target = (store, other)[number % 2]
        for n in range(5):
            target.write([write(f"{number}/{n}.md", "text")])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write_some, range(4)))
    assert len(store.documents()) == len(other.documents()) == 20


def test_failure_in_one_call_leaves_the_store_usable(store: Store) -> None:
    """An exception inside a transaction rolls back and frees the writer."""
    calls: list[Callable[[], object]] = [
        lambda: store.put_vectors([b"k" * 16, b"l" * 16], vector("x")[None]),
        lambda: store.write([write("a.md", "x"), None]),  # type: ignore[list-item]
    ]
    for call in calls:
        with pytest.raises((GnomonError, ValueError, AttributeError)):
            call()
    store.write([write("a.md", "fine")])
    assert found_texts(store, "fine", "x") == ["fine"]
