"""What keeps a large index quick to change: readers read what is new, the log goes into the file in its own time."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gnomon.store import connections, vectors
from gnomon.store.base import Store
from tests.contract.store.builders import (
    EVERYTHING,
    FOLDER,
    embed_all,
    found_texts,
    nearest_texts,
    open_sqlite,
    vector,
    write,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed index of three documents on one vector page."""
    path = tmp_path / "index.db"
    with open_sqlite(path, writable=True) as store:
        store.write([write(f"{name}.md", name) for name in ("heron", "otter", "reed")])
        embed_all(store)
    return path


def nearest(store: Store, text: str) -> list[tuple[int, float]]:
    """(chunk id, cosine) of all passages."""
    return store.search_vectors(vector(text), limit=10, selection=EVERYTHING)


def tear_rows(path: Path) -> None:
    """Take away the rows of every vector page, so that reading them again fails."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE page_rows SET rows = x''")


def test_page_that_only_lost_rows_is_not_read_again(path: Path) -> None:
    """A change all over a large index takes rows from most pages and adds to few."""
    with open_sqlite(path, writable=False) as reader:
        assert nearest_texts(reader, "heron") == nearest_texts(reader, "heron")  # the second keeps what it reads
        with open_sqlite(path, writable=True) as writer:
            writer.forget(FOLDER, ["otter.md"])
        tear_rows(path)
        assert set(nearest_texts(reader, "heron")) == {"heron", "reed"}


def test_page_that_gained_rows_is_read_again(path: Path) -> None:
    """Also where a row went to another passage."""
    with open_sqlite(path, writable=False) as reader:
        assert nearest_texts(reader, "heron") == nearest_texts(reader, "heron")  # the second keeps what it reads
        with open_sqlite(path, writable=True) as writer:
            writer.forget(FOLDER, ["heron.md"])
            writer.write([write("stork.md", "stork")])
            embed_all(writer)
        assert nearest_texts(reader, "stork", limit=1) == ["stork"]


def test_exact_rows_that_are_kept_are_few(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And asking for more of them than that changes no answer."""
    monkeypatch.setattr(vectors, "_MAX_KEPT", 2)
    with open_sqlite(path, writable=False) as reader:
        for asked in ("heron", "otter", "reed") * 3:
            everything = nearest_texts(reader, asked)
            assert everything[0] == asked
            assert sorted(everything) == ["heron", "otter", "reed"]
        cosines = reader.cosines(vector("reed"), [number for number, _ in nearest(reader, "reed")])
        assert cosines == pytest.approx(dict(nearest(reader, "reed")), abs=1e-6)


def test_log_goes_into_the_file_when_its_writer_closes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Although a server has the index open, so that the next writer begins with an empty log."""
    monkeypatch.setattr(connections, "_MIN_LOG_BYTES", 0)
    with open_sqlite(path, writable=False) as reader:
        reader.status()
        with open_sqlite(path, writable=True) as writer:
            writer.write([write("stork.md", "stork")])
        alone = Path(shutil.copy(path, path.with_name("alone.db")))
    with open_sqlite(alone, writable=False) as copied:
        assert found_texts(copied, "stork") == ["stork"]


@pytest.mark.parametrize(("least", "most", "pages"), [(1 << 30, 1 << 31, 1 << 18), (0, 4096, 1), (4096, 1 << 30, None)])
def test_log_may_be_as_large_as_a_share_of_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch, least: int, most: int, pages: int | None
) -> None:
    """Within bounds."""
    monkeypatch.setattr(connections, "_MIN_LOG_BYTES", least)
    monkeypatch.setattr(connections, "_MAX_LOG_BYTES", most)
    with closing(connections.connect_writer(path)) as connection:
        connections.bound_log(connection)
        (bound,) = connection.execute("PRAGMA wal_autocheckpoint").fetchone()
        (whole,) = connection.execute("PRAGMA page_count").fetchone()
    assert bound == (pages or whole // 16)
