"""How often a question waits for the server: over a network that is most of its time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from gnomon.store import open_store
from gnomon.store.base import Selection, Store
from gnomon.values import WordQuery
from tests.contract.store.builders import FINGERPRINT, FOLDER, embed_all, vector, write
from tests.fakes.counting_proxy import CountingProxy, counting_proxy
from tests.fakes.postgres_server import programs, running_server

pytest.importorskip("psycopg", reason="the extra gnomon[postgres] is not installed")
pytestmark = pytest.mark.slow

EVERYTHING = Selection()


@pytest.fixture(scope="module")
def proxy() -> Iterator[CountingProxy]:
    """Before a server; libpq finds it by its variables."""
    if programs() is None:
        pytest.skip("no PostgreSQL with pgvector is installed")
    with (
        running_server() as server,
        counting_proxy(server.root / ".s.PGSQL.5432") as proxy,
        pytest.MonkeyPatch.context() as patch,
    ):
        for name, value in (server.environment | {"PGHOST": str(proxy.folder)}).items():
            patch.setenv(name, value)
        yield proxy


@pytest.fixture
def store(proxy: CountingProxy) -> Iterator[Store]:
    """Twenty documents, and a connection that is open already."""
    with open_store("postgres", "postgres:trips", fingerprint=FINGERPRINT, writable=True) as store:
        store.write([write(f"{n}.md", f"alpha {n}", "beta") for n in range(20)])
        embed_all(store)
        assert proxy.round_trips > 0
        yield store


def counted(proxy: CountingProxy, call: Callable[[], object]) -> int:
    """Round trips of a call."""
    before = proxy.round_trips
    call()
    return proxy.round_trips - before


def words(store: Store) -> list[tuple[int, float]]:
    """The words arm."""
    return store.search_words(WordQuery(("alpha",)), limit=10, selection=EVERYTHING)


def vectors(store: Store) -> list[tuple[int, float]]:
    """The vectors arm."""
    return store.search_vectors(vector("alpha 3"), limit=10, selection=EVERYTHING)


def test_beginning_a_transaction_costs_no_trip_of_its_own(proxy: CountingProxy, store: Store) -> None:
    """It goes out with the first question; its end costs one."""
    assert counted(proxy, lambda: store.generation) == 2
    assert counted(proxy, lambda: store.document_frequencies(["alpha"])) == 2


def test_both_arms_in_one_snapshot_cost_two_statements(proxy: CountingProxy, store: Store) -> None:
    """Beside the beginning, which tells what is known of the words, and the end."""

    def hybrid() -> None:
        with store.snapshot():
            assert len(words(store)) == len(vectors(store)) == 10

    assert counted(proxy, hybrid) == 4


def test_nothing_is_asked_twice_in_one_snapshot(proxy: CountingProxy, store: Store) -> None:
    """Words, documents by id and by path, and the figures of the whole."""
    with store.snapshot():
        first = store.documents()[0]
        assert store.documents_of([first.id]) == {first.id: first}
        store.document_frequencies(["alpha", "gamma"])
        size = store.status().size_bytes
        again = (
            lambda: store.documents_of([first.id]),
            lambda: store.find_document(FOLDER, first.document.path),
            lambda: store.document_frequencies(["gamma", "alpha"]),
            store.status,
        )
        assert [counted(proxy, call) for call in again] == [0, 0, 0, 0]
        assert store.find_document(FOLDER, first.document.path) == first
        assert store.status().size_bytes == size > 0
