"""What goes wrong around a database: restarts, lost connections, missing rights, replicas, other versions' tables."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gnomon.cli.shell import run_command_line
from gnomon.config import load_config
from gnomon.corpus import Corpus
from gnomon.errors import MismatchError, StoreError, UsageError
from gnomon.store import has_index, open_store
from gnomon.store.base import Store
from tests.contract.store.builders import FINGERPRINT, embed_all, found_texts, nearest_texts, write
from tests.fakes.postgres_server import PostgresServer, programs, running_server
from tests.faults.place import contents, new_place

psycopg = pytest.importorskip("psycopg", reason="the extra gnomon[postgres] is not installed")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server that libpq finds by its variables."""
    if programs() is None:
        pytest.skip("no PostgreSQL with pgvector is installed")
    with running_server("synchronous_commit=on") as running, pytest.MonkeyPatch.context() as patch:
        for name, value in running.environment.items():
            patch.setenv(name, value)
        yield running


@pytest.fixture
def corpus(server: PostgresServer, request: pytest.FixtureRequest) -> str:
    """A corpus of the test's own."""
    name = "".join(letter for letter in request.node.name.lower() if letter.isalnum())
    return f"postgres:{name[:40]}"


def open_corpus(corpus: str, *, writable: bool = True) -> Store:
    """The corpus, for writing unless told otherwise."""
    return open_store("postgres", corpus, fingerprint=FINGERPRINT, writable=writable)


def administer(statement: str) -> list[tuple[object, ...]]:
    """Run a statement as the owner of the server."""
    with psycopg.connect("", autocommit=True) as connection:
        cursor = connection.execute(statement)
        return list(cursor.fetchall()) if cursor.description else []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT])
def test_run_goes_on_after_the_server_was_restarted(server: PostgresServer, corpus: str, how: signal.Signals) -> None:
    """Neither writer nor reader needs to be opened again; what was committed is there, once."""
    with open_corpus(corpus) as writer, open_corpus(corpus, writable=False) as reader:
        writer.write([write("a.md", "alpha")])
        assert found_texts(reader, "alpha") == ["alpha"]
        server.stop(how)
        again = threading.Timer(0.5, server.start)
        again.start()
        writer.write([write("b.md", "alpha beta")])
        again.join()
        embed_all(writer)
        assert sorted(found_texts(reader, "alpha")) == ["alpha", "alpha beta"]
        assert nearest_texts(reader, "alpha beta")[0] == "alpha beta"


def test_run_is_finished_though_the_server_restarts_in_its_middle(
    server: PostgresServer, corpus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command says nothing of it, and the index is what it would have been."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with new_place(tmp_path / "place", 7, files=30) as place:
        settings = tmp_path / "place" / "shared.json"
        there = {"storeBackend": "postgres", "indexPath": corpus}
        settings.write_text(json.dumps(json.loads(place.settings().read_text("utf-8")) | there), "utf-8")
        restarts: list[int] = []

        def restart_at_the_second_batch(_text: str) -> bool:
            if len(place.server.embedded) == 3 and not restarts:  # the first was a question
                restarts.append(len(place.server.embedded))
                server.stop(signal.SIGQUIT)
                server.start()
            return False

        place.server.chokes_on = restart_at_the_second_batch
        assert run_command_line(["index", "--quiet", "--config", str(settings)], program="gnomon") == 0
        assert restarts == [3]
        place.run("index", "--quiet")
        with closing(Corpus(load_config(settings))) as shared:
            assert contents(shared.store(), str(place.tree.root)) == place.contents()


def test_full_disk_costs_the_commit_and_no_more(
    server: PostgresServer, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was committed is whole; with room again the same writer goes on."""
    small = server.root / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=755", "tmpfs", small], check=False).returncode:
        pytest.skip("a small file system cannot be mounted here")
    try:
        (small / "space").mkdir()
        os.chown(small / "space", server.user or -1, -1)
        administer(f"CREATE TABLESPACE small LOCATION '{small}/space'")
        monkeypatch.setenv("PGOPTIONS", "-c default_tablespace=small")
        with open_corpus(corpus) as store:
            store.write([write("a.md", "alpha")])
            embed_all(store)
            filler = small / "filler"
            with pytest.raises(OSError, match="No space left"):
                filler.write_bytes(bytes(8 << 20))
            with pytest.raises(StoreError, match=rf"no room for {corpus}.*stored before is whole"):
                store.write([write("a.md", "changed"), write("big.md", *(random_words(n) for n in range(200)))])
            assert found_texts(store, "alpha", "changed") == nearest_texts(store, "alpha") == ["alpha"]
            filler.unlink()
            store.write([write("b.md", "beta")])
            assert sorted(found_texts(store, "alpha", "beta", "changed")) == ["alpha", "beta"]
        administer(f"DROP SCHEMA {corpus.replace('postgres:', 'gnomon_')} CASCADE")
        administer("DROP TABLESPACE small")
    finally:
        subprocess.run(["umount", "--lazy", small], check=True)


def random_words(seed: int) -> str:
    """A passage that does not compress."""
    return random.Random(seed).randbytes(3_000).hex()


def test_lost_connections_cost_nothing(corpus: str) -> None:
    """As when a firewall forgets an idle session."""
    with open_corpus(corpus) as writer, open_corpus(corpus, writable=False) as reader:
        writer.write([write("a.md", "alpha")])
        assert found_texts(reader, "alpha") == ["alpha"]
        administer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gnomon'")
        assert found_texts(reader, "alpha") == ["alpha"]
        administer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gnomon'")
        writer.write([write("b.md", "beta")])
        assert found_texts(writer, "beta") == ["beta"]


def test_server_that_does_not_answer_is_named(corpus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the variables to look at, not with a traceback."""
    monkeypatch.setenv("PGHOST", "/nowhere")
    for call in (lambda: open_corpus(corpus), lambda: has_index("postgres", corpus)):
        with pytest.raises(StoreError, match=r"does not answer .*PGHOST"):
            call()


def test_replica_answers_and_refuses_to_be_written(
    server: PostgresServer, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A streaming replica gives what the primary has, also what is written while it runs."""
    with open_corpus(corpus) as store, running_server(primary=server) as replica:
        store.write([write("a.md", "alpha")])
        embed_all(store)
        monkeypatch.setenv("PGHOST", replica.environment["PGHOST"])
        with pytest.raises(StoreError, match=r"for reading only.*primary"):
            open_corpus(corpus)
        deadline = time.monotonic() + 20
        with open_corpus(corpus, writable=False) as reader:
            while reader.generation < store.generation and time.monotonic() < deadline:
                pass
            assert found_texts(reader, "alpha") == nearest_texts(reader, "alpha") == ["alpha"]
            assert reader.status().chunks == 1


def test_tables_of_a_newer_program_are_refused(corpus: str) -> None:
    """With the way out, and without a change."""
    open_corpus(corpus).close()
    schema = corpus.replace("postgres:", "gnomon_")
    administer(f"UPDATE {schema}.meta SET value = '99' WHERE key = 'tables'")
    with pytest.raises(MismatchError, match=r"newer gnomon.*update gnomon"):
        open_corpus(corpus)
    administer(f"UPDATE {schema}.meta SET value = '1' WHERE key = 'tables'")
    open_corpus(corpus).close()


def test_reader_sees_only_corpora_it_was_given(corpus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A role with the right to use one schema reads that corpus and no other, and writes to none."""
    with open_corpus(corpus) as store, open_corpus(f"{corpus}_secret") as other:
        store.write([write("a.md", "alpha")])
        other.write([write("a.md", "secret")])
    schema = corpus.replace("postgres:", "gnomon_")
    administer("CREATE ROLE reader LOGIN")
    administer(f"GRANT USAGE ON SCHEMA {schema} TO reader")
    administer(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO reader")
    monkeypatch.setenv("PGUSER", "reader")
    with open_corpus(corpus, writable=False) as reader:
        assert found_texts(reader, "alpha") == ["alpha"]
    with pytest.raises(StoreError, match="no right"):
        open_corpus(f"{corpus}_secret", writable=False)
    with pytest.raises(StoreError, match="no right"):
        open_corpus(corpus)


@pytest.mark.parametrize("name", ["postgres:", "postgres:Team", "postgres:a;drop", "postgres:a?password=x"])
def test_name_that_is_none_is_refused(name: str) -> None:
    """Before anything is asked of a server; a password has no place in it."""
    with pytest.raises(UsageError, match="names no corpus"):
        open_corpus(name)


def test_service_file_names_the_server(
    server: PostgresServer, corpus: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Instead of the variables."""
    file = tmp_path_factory.mktemp("service") / "pg_service.conf"
    values = {"host": server.environment["PGHOST"], "user": "gnomon", "dbname": "postgres", "port": "5432"}
    file.write_text("[team]\n" + "".join(f"{name}={value}\n" for name, value in values.items()), "utf-8")
    for name in server.environment:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PGSERVICEFILE", os.fspath(file))
    with open_corpus(f"{corpus}?service=team") as store:
        store.write([write("a.md", "alpha")])
        assert found_texts(store, "alpha") == ["alpha"]


def test_leases_are_one_workers_until_they_run_out(corpus: str) -> None:
    """Two workers never embed the same text; the vector ends the lease."""
    with open_corpus(corpus) as one, open_corpus(corpus) as two:
        one.write([write("a.md", "alpha", "beta")])
        keys = [key for key, _ in one.pending(limit=9)]
        assert one.claim(keys[:1], "one", 600) == set(keys[:1])  # type: ignore[attr-defined]
        assert two.claim(keys, "two", 0) == set(keys[1:])  # type: ignore[attr-defined]
        assert one.claim(keys, "one", 600) == set(keys)  # type: ignore[attr-defined]
        embed_all(two)
        assert two.claim(keys, "two", 600) == set()  # type: ignore[attr-defined]
