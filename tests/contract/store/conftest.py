"""Every test here runs over every store backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from gnomon.store import BACKENDS, open_store
from gnomon.store.base import Store
from tests.contract.store.builders import FINGERPRINT
from tests.fakes.postgres_server import PostgresServer, programs, running_server

Opener = Callable[..., Store]

# A commit of these costs many times one of SQLite, whatever is in it: what makes hundreds of them takes longer.
UNHURRIED = {"lancedb": 240, "postgres": 120}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give every backend the time its commits take."""
    for item in items:
        backend = item.callspec.params.get("backend") if hasattr(item, "callspec") else None
        if backend in UNHURRIED:
            item.add_marker(pytest.mark.timeout(UNHURRIED[backend]))
            item.add_marker(pytest.mark.slow)  # the quick loop asks the default store alone


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A server that libpq finds by its variables, as long as the tests run."""
    if programs() is None:
        pytest.skip("no PostgreSQL with pgvector is installed")
    with running_server() as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        yield server


@pytest.fixture(params=sorted(BACKENDS))
def backend(request: pytest.FixtureRequest) -> str:
    """Name of the backend under test; one whose library or server is not installed is skipped."""
    if request.param == "lancedb":
        pytest.importorskip("lancedb", reason="the extra gnomon[lancedb] is not installed")
    if request.param == "postgres":
        pytest.importorskip("psycopg", reason="the extra gnomon[postgres] is not installed")
        request.getfixturevalue("postgres_server")
    return str(request.param)


@pytest.fixture
def index_path(tmp_path: Path) -> Path:
    """Where the index under test lies; not there yet."""
    return tmp_path / "index" / "gnomon.db"


@pytest.fixture
def open_index(backend: str, index_path: Path) -> Iterator[Opener]:
    """Opens the index as often as wanted, for writing unless told otherwise; all are closed at the end."""
    opened: list[Store] = []

    def opener(**options: object) -> Store:
        arguments = {"fingerprint": FINGERPRINT, "writable": True} | options
        opened.append(partial(open_store, backend, index_path)(**arguments))  # type: ignore[arg-type]
        return opened[-1]

    yield opener
    for store in opened:
        store.close()


@pytest.fixture
def store(open_index: Opener) -> Store:
    """An empty index, open for writing."""
    return open_index()
