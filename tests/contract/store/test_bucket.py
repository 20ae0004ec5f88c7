"""A LanceDB index in a bucket: the same answers, writers that take turns by a lease, readers beside them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from gnomon.errors import BusyError, MismatchError, StoreError
from gnomon.store import has_index, open_store
from gnomon.store.base import Store
from tests.contract.store.builders import FINGERPRINT, FOLDER, embed_all, found_texts, nearest_texts, write
from tests.contract.store.writing_process import batch_paths
from tests.fakes.bucket_server import BucketServer, running_bucket_server

pytest.importorskip("lancedb", reason="the extra gnomon[lancedb] is not installed")
pytest.importorskip("moto", reason="moto[server] is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def server() -> Iterator[BucketServer]:
    """An S3 server on the loopback that keeps everything in memory."""
    with running_bucket_server() as running:
        yield running


@pytest.fixture
def bucket(server: BucketServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """The address of an empty place in a bucket; keys are in the environment, as LanceDB wants them."""
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    server.make_bucket("indexes")
    return f"s3://indexes/{tmp_path.name}"


def open_bucket(bucket: str, *, writable: bool = True, model: str = FINGERPRINT.model, force: bool = False) -> Store:
    """The index in the bucket."""
    fingerprint = replace(FINGERPRINT, model=model)
    return open_store("lancedb", bucket, fingerprint=fingerprint, writable=writable, replace=force)


def test_index_in_a_bucket_is_read_and_written(bucket: str) -> None:
    """Written, found by words and by meaning, followed by an open reader, tidied, forgotten, replaced."""
    assert not has_index("lancedb", bucket)
    with pytest.raises(StoreError, match=r"no index at s3://.*gnomon index"):
        open_bucket(bucket, writable=False)
    with open_bucket(bucket) as store, open_bucket(bucket, writable=False) as reader:
        assert has_index("lancedb", bucket)
        store.write([write("a.md", "alpha one", "alpha two"), write("b.md", "beta")])
        embed_all(store)
        assert sorted(found_texts(reader, "alpha")) == ["alpha one", "alpha two"]
        assert nearest_texts(reader, "beta")[0] == "beta"
        store.optimize()
        store.forget(FOLDER, ["a.md"])
        assert found_texts(reader, "alpha", "beta") == ["beta"]
        assert reader.status().size_bytes > 0
        with pytest.raises(MismatchError):
            open_bucket(bucket, model="model-b")
        other = open_bucket(bucket, model="model-b", force=True)
        assert other.status().documents == 0
        with pytest.raises(MismatchError):
            found_texts(reader, "beta")
        other.close()


def test_writers_of_one_bucket_take_turns(bucket: str) -> None:
    """Two processes that make the same index at the same moment lose nothing and repeat nothing."""
    environment = {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    environment |= {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
    command = [sys.executable, "-m", "tests.contract.store.writing_process", "lancedb", bucket]
    processes = [
        subprocess.Popen(
            [*command, name, "3"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=environment
        )
        for name in "ab"
    ]
    with ThreadPoolExecutor(2) as pool:
        outputs = list(pool.map(lambda process: process.communicate(b"\n", timeout=200)[0], processes))
    assert [output.split() for output in outputs] == [[b"0", b"1", b"2"]] * 2
    with open_bucket(bucket, writable=False) as reader:
        assert reader.status().documents == 24
        assert reader.status().chunks == 144
        for path in batch_paths("a", 2):
            assert len(found_texts(reader, path)) == 6


def test_lease_of_a_writer_that_died_runs_out(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until then others are told that somebody writes; afterwards they write, and what was half done is gone."""
    monkeypatch.setattr("gnomon.store.lancedb.heads.BUCKET_TIMEOUT_SECONDS", 0.5)
    monkeypatch.setattr("gnomon.store.lancedb.heads.LEASE_SECONDS", 2)
    with open_bucket(bucket) as store, open_bucket(bucket) as other:
        store.write([write("a.md", "first")])
        died = store._writer.commit()  # type: ignore[attr-defined]
        transaction, _ = died.__enter__()
        transaction.delete("chunks", "true")
        transaction.flush({})
        with pytest.raises(BusyError, match="another process is writing"):
            other.write([write("b.md", "second")])
        monkeypatch.setattr("gnomon.store.lancedb.heads.BUCKET_TIMEOUT_SECONDS", 10)
        other.write([write("b.md", "second")])
        assert sorted(found_texts(other, "first", "second")) == ["first", "second"]
