"""A corpus in PostgreSQL whose large tables are partitioned, as docs/stores.md says, is one like any other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gnomon.store import open_store
from gnomon.store.base import Store
from tests.contract.store.builders import FINGERPRINT, FOLDER, embed_all, found_texts, nearest_texts, write
from tests.fakes.postgres_server import PostgresServer

psycopg = pytest.importorskip("psycopg", reason="the extra gnomon[postgres] is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

PAGE = Path(__file__).resolve().parents[3] / "docs" / "stores.md"


def administer(statement: str) -> list[tuple[object, ...]]:
    """Run a statement as the owner of the server."""
    with psycopg.connect("", autocommit=True) as connection:
        cursor = connection.execute(statement)
        return list(cursor.fetchall()) if cursor.description else []


@pytest.fixture
def schema(postgres_server: PostgresServer, request: pytest.FixtureRequest) -> str:
    """Of the corpus under test."""
    return "gnomon_" + "".join(letter for letter in request.node.name.lower() if letter.isalnum())[:40]


def fill(store: Store) -> None:
    """Forty documents, and a change to some."""
    store.write([write(f"{n}.md", f"alpha {n}", f"beta {n}") for n in range(40)])
    embed_all(store)


def change(store: Store) -> None:
    """What a run does: replace, forget, wait, embed."""
    store.write([write(f"{n}.md", f"alpha changed {n}") for n in range(10)])
    store.forget(FOLDER, [f"{n}.md" for n in range(30, 35)])
    embed_all(store)
    store.write([write("late.md", "alpha late")])


@pytest.fixture
def spread(schema: str) -> Iterator[Store]:
    """A filled corpus after the statement of the page."""
    with open_store("postgres", f"postgres:{schema[7:]}", fingerprint=FINGERPRINT, writable=True) as store:
        fill(store)
        block = re.search(r"```sql\n(DO .*?)```", PAGE.read_text("utf-8"), re.DOTALL)
        assert block
        administer(block[1].replace("gnomon_team", schema))
        yield store


def test_spread_corpus_answers_as_a_whole_one(spread: Store, schema: str) -> None:
    """Before and after changes, and after tidying; rows are in all parts."""
    with open_store("postgres", f"postgres:{schema[7:]}_whole", fingerprint=FINGERPRINT, writable=True) as whole:
        fill(whole)
        for step in (lambda _: None, change, lambda store: store.optimize()):
            for store in (spread, whole):
                step(store)
            assert found_texts(spread, "alpha", "changed") == found_texts(whole, "alpha", "changed")
            assert nearest_texts(spread, "alpha 20") == nearest_texts(whole, "alpha 20")
            assert spread.pending(limit=9) == whole.pending(limit=9)
            assert replace(spread.status(), size_bytes=0) == replace(whole.status(), size_bytes=0)
    assert all(administer(f"SELECT 1 FROM {schema}.texts_{part} LIMIT 1") for part in range(8))


def test_each_part_gets_an_approximate_index(spread: Store, schema: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also after a build that was interrupted half-way."""
    monkeypatch.setattr("gnomon.store.postgres.tidying.EXACT_BELOW", 1)
    index = "USING hnsw ((half::halfvec(32)) halfvec_cosine_ops)"
    administer(f"CREATE INDEX vectors_near ON ONLY {schema}.vectors {index}")
    administer(f"CREATE INDEX vectors_3_near ON {schema}.vectors_3 {index}")
    spread.optimize()
    assert not spread.status().exact
    valid = (
        f"SELECT count(*) FROM pg_index WHERE indisvalid AND indexrelid::regclass::text LIKE '{schema}.vectors%near'"
    )
    assert administer(valid) == [(9,)]
    assert nearest_texts(spread, "alpha 20", limit=1) == ["alpha 20"]
