"""Every test here runs over every store backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from gnomon.store import BACKENDS, open_store
from gnomon.store.base import Store
from tests.contract.store.builders import FINGERPRINT

Opener = Callable[..., Store]


@pytest.fixture(params=sorted(BACKENDS))
def backend(request: pytest.FixtureRequest) -> str:
    """Name of the backend under test."""
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
