"""What must hold between the tables of a SQLite store after every transaction."""

from __future__ import annotations

import sqlite3
import zlib
from collections import Counter
from pathlib import Path

from gnomon.store.pages import ROWS_PER_PAGE, Head
from gnomon.store.rows import unpack_words
from gnomon.store.schema import ORDINAL_BITS


def assert_consistent(path: Path) -> None:
    """Pages, chunks, vectors, counters and words agree, and the file is sound."""
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        _assert_pages(connection)
        _assert_vectors(connection)
        _assert_documents(connection)
        _assert_words(connection)
    finally:
        connection.close()


def _assert_pages(connection: sqlite3.Connection) -> None:
    rows: dict[int, tuple[int, int]] = {}
    for page, live, blob in connection.execute("SELECT page, live, head FROM pages"):
        head = Head.unpack(blob)
        owned = {n: owner for n, owner in enumerate(head.owners) if owner}
        assert live == len(owned) > 0
        rows |= {page * ROWS_PER_PAGE + n: (owner, head.vectors[n]) for n, owner in owned.items()}
    chunks = connection.execute("SELECT slot, id, vector FROM chunks WHERE slot IS NOT NULL")
    assert rows == {slot: (number, vector) for slot, number, vector in chunks}
    pages = connection.execute("SELECT page FROM pages ORDER BY 1").fetchall()
    assert pages == connection.execute("SELECT page FROM page_rows ORDER BY 1").fetchall()


def _assert_vectors(connection: sqlite3.Connection) -> None:
    uses = Counter(vector for (vector,) in connection.execute("SELECT vector FROM chunks WHERE slot IS NOT NULL"))
    for number, key, counted, crc, half in connection.execute("SELECT id, key, uses, crc, half FROM vectors"):
        assert counted == uses.pop(number, 0)
        assert zlib.crc32(half) == crc
        waiting = connection.execute("SELECT count(*) FROM chunks WHERE key = ? AND slot IS NULL", (key,)).fetchone()
        assert waiting == (0,), "a chunk waits for a vector that is here"
    assert not uses


def _assert_documents(connection: sqlite3.Connection) -> None:
    documents = dict(connection.execute("SELECT id, missing FROM documents"))
    missing = Counter(dict.fromkeys(documents, 0))
    for number, slot in connection.execute("SELECT id, slot FROM chunks"):
        missing[number >> ORDINAL_BITS] += slot is None
    assert documents == dict(missing)
    ids = connection.execute("SELECT id FROM chunks ORDER BY id").fetchall()
    assert ids == connection.execute("SELECT id FROM texts ORDER BY id").fetchall()


def _assert_words(connection: sqlite3.Connection) -> None:
    frequencies: Counter[str] = Counter()
    chunks = 0
    for (blob,) in connection.execute("SELECT words FROM document_words"):
        for _, columns in unpack_words(blob):
            frequencies.update(set(" ".join(columns).split(" ")) - {""})
            chunks += 1
    assert frequencies == Counter(dict(connection.execute("SELECT term, doc FROM vocabulary")))
    assert connection.execute("SELECT count(*) FROM words_docsize").fetchone() == (chunks,)
