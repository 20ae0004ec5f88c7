"""What ``status`` asks of the default store takes about as long for many files as for few."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from gnomon.store.reading import file_counts, partial_documents
from gnomon.store.schema import create
from tests.contract.store.builders import FINGERPRINT


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    """An empty index."""
    with closing(sqlite3.connect(":memory:")) as connection:
        create(connection, FINGERPRINT)
        yield connection


@pytest.mark.parametrize(
    ("question", "index"), [(file_counts, "COVERING INDEX documents_path"), (partial_documents, "documents_partial")]
)
def test_rows_of_documents_are_not_walked_over(
    connection: sqlite3.Connection, question: Callable[[sqlite3.Connection], object], index: str
) -> None:
    """The one that reads them finds them in an index of the few; the one that counts reads an index alone."""
    asked: list[str] = []
    connection.set_trace_callback(asked.append)
    question(connection)
    connection.set_trace_callback(None)
    plan = [row[3] for statement in asked for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
    of_documents = [step for step in plan if " d " in f"{step} "]
    assert of_documents
    assert all(index in step for step in of_documents)
