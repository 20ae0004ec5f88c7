"""Vector pages: rows are taken, freed and moved without loss."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.store import schema
from gnomon.store.damage import DamagedRowError
from gnomon.store.pages import HEAD_BYTES, ROWS_PER_PAGE, Head, PageRow, PageWriter
from tests.contract.store.builders import FINGERPRINT

DIM = 4
ROOM = ROWS_PER_PAGE // 8


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    """The tables of an empty index, in memory."""
    opened = sqlite3.connect(":memory:", isolation_level=None)
    schema.create(opened, FINGERPRINT)
    yield opened
    opened.close()


def row(chunk: int) -> PageRow:
    """A row whose data says whose it is."""
    return PageRow(chunk, chunk + 1_000, float(chunk), chunk.to_bytes(DIM, "little"))


def stored(connection: sqlite3.Connection) -> dict[int, tuple[int, int, float, bytes]]:
    """(owner, vector, scale, data) by slot."""
    found = {}
    for page, blob, data in connection.execute("SELECT page, head, rows FROM pages JOIN page_rows USING (page)"):
        head = Head.unpack(blob)
        for index, owner in enumerate(head.owners):
            if owner:
                values = (owner, head.vectors[index], head.scales[index], data[index * DIM : (index + 1) * DIM])
                found[page * ROWS_PER_PAGE + index] = values
    return found


def expected(chunk: int) -> tuple[int, int, float, bytes]:
    """What ``stored`` says of ``row(chunk)``."""
    each = row(chunk)
    return each.owner, each.vector, each.scale, each.data


def fill(connection: sqlite3.Connection, chunks: range) -> dict[int, int]:
    """Rows for these chunks; slot by chunk."""
    writer = PageWriter(connection, DIM)
    slots = {chunk: writer.add(row(chunk)) for chunk in chunks}
    writer.flush(1)
    return slots


@given(st.integers(0, 2**64))
def test_head_round_trips(seed: int) -> None:
    """Whatever its rows hold."""
    blob = random.Random(seed).randbytes(HEAD_BYTES)
    assert Head.unpack(blob).pack() == blob


def test_rows_fill_pages_from_the_first(connection: sqlite3.Connection) -> None:
    """A new page begins where the last is full."""
    slots = fill(connection, range(1, 601))
    assert sorted(slots.values()) == list(range(600))
    assert stored(connection) == {slot: expected(chunk) for chunk, slot in slots.items()}
    assert connection.execute("SELECT live FROM pages ORDER BY page").fetchall() == [(256,), (256,), (88,)]


def test_freed_rows_are_taken_again(connection: sqlite3.Connection) -> None:
    """Where they are many enough, in the same transaction and later."""
    slots = fill(connection, range(1, 769))
    writer = PageWriter(connection, DIM)
    writer.add(row(900))
    for chunk in range(1, ROOM + 1):
        writer.free(slots[chunk])
    assert writer.add(row(901)) == slots[1]
    for chunk in range(257, 257 + ROOM):
        writer.free(slots[chunk])
    writer.flush(2)
    assert set(fill(connection, range(1_000, 1_000 + ROOM)).values()) == set(range(256, 256 + ROOM))


def test_page_with_few_free_rows_is_left_alone(connection: sqlite3.Connection) -> None:
    """A change all over an index then writes one new page instead of all that lost a row."""
    slots = fill(connection, range(1, 769))
    writer = PageWriter(connection, DIM)
    for chunk in (1, 300, 301):
        writer.free(slots[chunk])
    writer.flush(2)
    assert set(fill(connection, range(900, 910)).values()) == set(range(768, 778))


def test_last_page_is_filled_up(connection: sqlite3.Connection) -> None:
    """However few of its rows are free."""
    slots = fill(connection, range(1, 511))
    assert set(slots.values()) == set(range(510))
    assert fill(connection, range(900, 903)) == {900: 510, 901: 511, 902: 512}


def test_page_without_rows_goes(connection: sqlite3.Connection) -> None:
    """Its number is used again."""
    slots = fill(connection, range(1, 513))
    writer = PageWriter(connection, DIM)
    for chunk in range(1, 257):
        writer.free(slots[chunk])
    writer.flush(2)
    assert connection.execute("SELECT page FROM pages").fetchall() == [(1,)]
    assert connection.execute("SELECT page FROM page_rows").fetchall() == [(1,)]
    assert fill(connection, range(900, 902)) == {900: 0, 901: 1}


def test_only_changed_pages_get_the_new_generation(connection: sqlite3.Connection) -> None:
    """What makes refreshing cheap."""
    slots = fill(connection, range(1, 600))
    writer = PageWriter(connection, DIM)
    writer.free(slots[300])
    writer.flush(7)
    assert connection.execute("SELECT generation FROM pages ORDER BY page").fetchall() == [(1,), (7,), (1,)]


@settings(max_examples=25)
@given(st.sets(st.integers(1, 1_200), max_size=1_190))
def test_compacting_keeps_every_row_and_no_spare_page(gone: set[int]) -> None:
    """Rows move to the front, and their chunks know where."""
    opened = sqlite3.connect(":memory:", isolation_level=None)
    schema.create(opened, FINGERPRINT)
    slots = fill(opened, range(1, 1_201))
    writer = PageWriter(opened, DIM)
    for chunk, slot in slots.items():
        if chunk in gone:
            writer.free(slot)
        else:
            opened.execute("INSERT INTO chunks VALUES (?, x'00', 0, ?)", (chunk, slot))
    writer.flush(2)
    writer = PageWriter(opened, DIM)
    writer.compact()
    writer.flush(3)
    places = dict(opened.execute("SELECT id, slot FROM chunks"))
    assert stored(opened) == {slot: expected(chunk) for chunk, slot in places.items()}
    assert len(places) == 1_200 - len(gone)
    pages = opened.execute("SELECT count(*) FROM pages").fetchone()[0]
    assert pages == -(-len(places) // ROWS_PER_PAGE)
    opened.close()


def test_torn_page_is_noticed(connection: sqlite3.Connection) -> None:
    """A page that is short or gone is damage, not an empty page."""
    fill(connection, range(1, 3))
    connection.execute("UPDATE pages SET head = x'0000'")
    with pytest.raises(DamagedRowError, match="page 0"):
        PageWriter(connection, DIM).free(0)
    with pytest.raises(DamagedRowError, match="page 9"):
        PageWriter(connection, DIM).free(9 * ROWS_PER_PAGE)
