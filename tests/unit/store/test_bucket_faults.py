"""What goes wrong around a bucket: no room, no right, no connection, no bucket, another version's index."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from gnomon.cli.shell import run_command_line
from gnomon.config import load_config
from gnomon.corpus import Corpus
from gnomon.errors import BusyError, MismatchError, StoreError
from gnomon.store import open_store
from gnomon.store.base import Store
from tests.contract.store.builders import FINGERPRINT, embed_all, found_texts, nearest_texts, write
from tests.fakes.bucket_server import FULL, QUOTA, READ_ONLY, BucketServer, running_bucket_server
from tests.faults.place import contents, new_place

pytest.importorskip("lancedb", reason="the extra gnomon[lancedb] is not installed")
pytest.importorskip("moto", reason="moto[server] is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def running() -> Iterator[BucketServer]:
    """A server with a bucket."""
    with running_bucket_server() as running:
        running.make_bucket("indexes")
        yield running


@pytest.fixture
def server(running: BucketServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[BucketServer]:
    """The same, found by LanceDB; as it was afterwards."""
    for name, value in running.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("OBJECT_STORE_CLIENT_MAX_RETRIES", "1")  # of three, with a second between them
    yield running
    running.accept()


@pytest.fixture
def address(server: BucketServer, tmp_path: Path) -> str:
    """An empty place in the bucket."""
    return f"s3://indexes/{tmp_path.name}"


def open_bucket(address: str, *, writable: bool = True) -> Store:
    """The index in the bucket."""
    return open_store("lancedb", address, fingerprint=FINGERPRINT, writable=writable)


@pytest.mark.parametrize(("answer", "room"), [(FULL, 0), (QUOTA, 4_000), (FULL, 12_000)])
def test_full_bucket_costs_the_commit_and_no_more(server: BucketServer, address: str, answer: str, room: int) -> None:
    """Wherever in a commit the room ends; with room again the same writer goes on at once."""
    with open_bucket(address) as store, open_bucket(address, writable=False) as reader:
        store.write([write("a.md", "alpha")])
        embed_all(store)
        server.refuse(answer, room=room)
        with pytest.raises(StoreError, match=rf"no room for {address} .*run: gnomon index"):
            store.write([write("a.md", "changed", random.Random(1).randbytes(9_000).hex())])
        for each in (store, reader):
            assert found_texts(each, "alpha", "changed") == nearest_texts(each, "alpha") == ["alpha"]
        server.accept()
        store.write([write("b.md", "beta")])
        assert sorted(found_texts(reader, "alpha", "beta", "changed")) == ["alpha", "beta"]


def test_key_that_may_only_read_reads(server: BucketServer, address: str) -> None:
    """Searching changes nothing in a bucket; writing is refused with its reason."""
    with open_bucket(address) as store:
        store.write([write("a.md", "alpha")])
        embed_all(store)
    server.refuse(READ_ONLY)
    with open_bucket(address, writable=False) as reader, reader.snapshot():
        assert found_texts(reader, "alpha") == nearest_texts(reader, "alpha") == ["alpha"]
    with pytest.raises(StoreError, match=rf"{address} cannot be written .*AccessDenied.*its rights"):
        open_bucket(address)


def test_writer_and_reader_outlive_a_lost_connection(server: BucketServer, address: str) -> None:
    """While it is lost they say so; nobody needs to be opened again."""
    with open_bucket(address) as store, open_bucket(address, writable=False) as reader:
        store.write([write("a.md", "alpha")])
        server.vanish()
        for call in (lambda: store.write([write("b.md", "beta")]), lambda: found_texts(reader, "alpha")):
            with pytest.raises(StoreError, match=rf"{address} cannot be read or written .*network"):
                call()
        server.accept()
        assert found_texts(reader, "alpha") == ["alpha"]
        store.write([write("b.md", "beta")])
        assert sorted(found_texts(reader, "alpha", "beta")) == ["alpha", "beta"]


def test_bucket_that_is_not_there_is_named(server: BucketServer) -> None:
    """Before anything is embedded."""
    with pytest.raises(StoreError, match="the bucket of s3://elsewhere/index does not exist"):
        open_bucket("s3://elsewhere/index")


def test_index_of_a_newer_program_is_refused(address: str) -> None:
    """By a writer and by a reader that was open already."""
    with open_bucket(address) as store, open_bucket(address, writable=False) as reader:
        heads = store._place.heads  # type: ignore[attr-defined]
        with heads.turn():
            head = heads.read()
            newer = json.loads(head.fingerprint) | {"schema": 99}
            heads.publish(head, replace(head, serial=head.serial + 1, fingerprint=json.dumps(newer)))
        with pytest.raises(MismatchError, match=r"newer gnomon.*update gnomon"):
            open_bucket(address)
        with pytest.raises(MismatchError, match="newer gnomon"):
            found_texts(reader, "alpha")


def test_threads_of_one_writer_take_turns(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lease is the writer's own, so a second thread waits for the first and not for its end."""
    monkeypatch.setattr("gnomon.store.lancedb.heads.BUCKET_TIMEOUT_SECONDS", 0.2)
    with open_bucket(address) as store:
        heads = store._place.heads  # type: ignore[attr-defined]
        with heads.turn(), pytest.raises(BusyError, match="writing"):
            store.write([write("a.md", "alpha")])
        store.write([write("a.md", "alpha")])
        assert found_texts(store, "alpha") == ["alpha"]


def test_writer_that_waits_commits_nothing(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its looking for the lease would get in the way of the one that has it."""
    with open_bucket(address) as store, open_bucket(address) as other:
        heads = store._place.heads  # type: ignore[attr-defined]
        monkeypatch.setattr("gnomon.store.lancedb.heads.BUCKET_TIMEOUT_SECONDS", 0.5)
        with heads.turn():
            before = heads.mark()
            with pytest.raises(BusyError, match="another process is writing"):
                other.write([write("a.md", "alpha")])
            assert heads.mark() == before


def test_run_over_a_full_bucket_is_finished_by_the_next(
    server: BucketServer,
    address: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The command names place and remedy; in the end the index is what one made at once would be."""
    monkeypatch.setattr("gnomon.store.lancedb.heads.LEASE_SECONDS", 2)
    with new_place(tmp_path / "place", 7, files=20) as place:
        settings = tmp_path / "place" / "bucket.json"
        there = {"storeBackend": "lancedb", "indexPath": address, "embedBatchSize": 100}
        settings.write_text(json.dumps(json.loads(place.settings().read_text("utf-8")) | there), "utf-8")
        command = ["index", "--quiet", "--config", str(settings)]
        assert run_command_line(command, program="gnomon") == 0
        before = {path: (place.tree.root / path).read_bytes() for path in place.tree.files()}
        place.tree.edit(20)
        server.refuse(FULL, room=20_000)
        assert run_command_line(command, program="gnomon") == 2
        assert f"no room for {address}" in capfd.readouterr().err
        with closing(Corpus(load_config(settings))) as corpus:
            indexed = {each.document.path for each in corpus.store().documents()}
        assert {path for path, data in before.items() if _is_still(place.tree.root / path, data)} <= indexed
        server.accept()
        assert run_command_line(command, program="gnomon") == 0
        place.run("index", "--quiet")
        with closing(Corpus(load_config(settings))) as corpus:
            assert contents(corpus.store(), str(place.tree.root)) == place.contents()


def _is_still(file: Path, data: bytes) -> bool:
    return file.is_file() and file.read_bytes() == data
