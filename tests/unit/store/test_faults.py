"""Faults of disk and process: the store says what is so, shows no wrong text, and can be put right."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gnomon.errors import BusyError, MismatchError, StoreError
from gnomon.store import connections, has_index, opening
from gnomon.store.base import Fingerprint, Store
from gnomon.store.sqlite import SqliteStore
from tests.contract.store.builders import (
    EVERYTHING,
    FINGERPRINT,
    FOLDER,
    embed_all,
    found_texts,
    nearest_texts,
    open_sqlite,
    vector,
    write,
)
from tests.unit.store.invariants import assert_consistent

ROOT = Path(__file__).resolve().parents[3]
TEXTS = {f"passage {n} of the document" for n in range(60)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed index of 60 passages with vectors."""
    path = tmp_path / "index.db"
    with open_sqlite(path) as store:
        texts = sorted(TEXTS)
        store.write([write(f"{n}.md", *texts[n : n + 6]) for n in range(0, 60, 6)])
        embed_all(store)
    return path


def rewrite_all(path: Path) -> None:
    """Put another text in each document."""
    with open_sqlite(path) as store:
        for number in range(0, 60, 6):
            store.write([write(f"{number}.md", "new")])


def read_everything(path: Path) -> list[str]:
    """What each way of reading says: nothing but known texts, or how the index is damaged.

    Returns:
        The errors.
    """
    asks: list[Callable[[Store], Collection[str]]] = [
        lambda store: found_texts(store, "passage", "7", "of", "the", "document"),
        lambda store: nearest_texts(store, "passage 7 of the document", limit=60),
        lambda store: [c.chunk.text for d in store.documents() for c in store.document_chunks(d.id)],
        lambda store: [text for _, text in store.pending(limit=99)],
        lambda store: [str(store.status()), str(store.manifest(FOLDER))][:0],
    ]
    errors = []
    for ask in asks:
        try:
            with open_sqlite(path, writable=False) as store:
                assert set(ask(store)) <= TEXTS
        except StoreError as error:
            errors.append(str(error))
    return errors


def test_file_that_is_no_database_is_named_with_the_command(path: Path) -> None:
    """Reader and writer say the same; the file is put aside when it is replaced, for it may be somebody's."""
    path.write_bytes(b"not a database at all, but something of the user's" * 200)
    for writable in (True, False):
        with pytest.raises(StoreError, match=rf"{path}.*gnomon index --force"):
            open_sqlite(path, writable=writable)
    with open_sqlite(path, replace_it=True) as store:
        assert store.status().documents == 0
    assert path.with_name("index.db.damaged").read_bytes().startswith(b"not a database")


def test_database_of_another_program_is_never_replaced(tmp_path: Path) -> None:
    """A mistaken path costs nobody a database."""
    path = tmp_path / "cookies.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE cookies (a)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    for writable, replace_it in ((True, True), (True, False), (False, False)):
        with pytest.raises(StoreError, match="another program"):
            open_sqlite(path, writable=writable, replace_it=replace_it)
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT name FROM sqlite_schema").fetchall() == [("cookies",)]
    connection.close()
    assert path.read_bytes()[100:] == before[100:]


def test_truncated_file_is_said_to_be_damaged_and_can_be_replaced(path: Path) -> None:
    """A torn copy."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(StoreError, match=r"damaged.*gnomon index --force"):
        rewrite_all(path)
    with open_sqlite(path, replace_it=True, of=replace(FINGERPRINT, chunker="other")) as store:
        store.write([write("a.md", "fresh")])
        assert found_texts(store, "fresh") == ["fresh"]
    assert_consistent(path)


@pytest.mark.parametrize("seed", range(12))
def test_flipped_bytes_never_show_a_wrong_text(path: Path, seed: int) -> None:
    """Each answer is a text that was written, or the error that names the path and the command."""
    content = bytearray(path.read_bytes())
    rng = random.Random(seed)
    for _ in range(40):
        content[rng.randrange(100, len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(bytes(content))
    assert all(str(path) in error for error in read_everything(path))
    with open_sqlite(path, replace_it=True, of=replace(FINGERPRINT, chunker="other")) as store:
        store.write([write("a.md", *sorted(TEXTS))])
        embed_all(store)
        assert set(nearest_texts(store, "passage 7 of the document", limit=60)) == TEXTS
    assert_consistent(path)


def test_flipped_bit_in_a_text_is_noticed(path: Path) -> None:
    """Also where SQLite itself sees nothing."""
    content = path.read_bytes()
    path.write_bytes(content.replace(b"passage 13 of", b"passage 31 of"))
    with open_sqlite(path, writable=False) as store, pytest.raises(StoreError, match=r"checksum.*gnomon index --force"):
        [store.document_chunks(each.id) for each in store.documents()]


def test_damaged_vector_is_noticed_and_mended_by_writing_again(path: Path) -> None:
    """A vector whose checksum fails is embedded anew, not handed on."""
    connection = sqlite3.connect(path)
    connection.execute("UPDATE vectors SET half = zeroblob(64) WHERE id = 1")
    (key,) = connection.execute("SELECT key FROM vectors WHERE id = 1").fetchone()
    connection.commit()
    connection.close()
    with open_sqlite(path) as store:
        with pytest.raises(StoreError, match="checksum"):
            store.search_vectors(vector("x"), limit=60, selection=EVERYTHING)
        texts = sorted(TEXTS)
        known = store.write([write(f"{n}.md", *texts[n : n + 6]) for n in range(0, 60, 6)])
        assert known == 59
        assert [waiting for waiting, _ in store.pending(limit=9)] == [key]
        embed_all(store)
        assert set(nearest_texts(store, "x", limit=60)) == TEXTS
    assert_consistent(path)


def test_index_of_a_newer_program_is_refused(path: Path) -> None:
    """Until it is replaced on purpose."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    for writable in (True, False):
        with pytest.raises(MismatchError, match=r"newer gnomon.*gnomon index --force"):
            open_sqlite(path, writable=writable)
    with open_sqlite(path, replace_it=True) as store:
        assert store.status().documents == 0
        assert store.write([write("a.md", *sorted(TEXTS))]) == 60
    assert_consistent(path)


def test_older_tables_give_way(path: Path) -> None:
    """An index of an older schema is refused by name, and replaced by a whole new one."""
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE texts")
    connection.execute("CREATE TABLE long_gone (a)")
    stored = connection.execute("SELECT value FROM meta WHERE key = 'fingerprint'").fetchone()[0]
    older = stored.replace(f'"schema": {FINGERPRINT.schema}', '"schema": 0')
    connection.execute("UPDATE meta SET value = ? WHERE key = 'fingerprint'", (older,))
    connection.execute("PRAGMA user_version = 0")
    connection.commit()
    connection.close()
    with pytest.raises(MismatchError, match=r"schema \(0, now"):
        open_sqlite(path)
    with open_sqlite(path, replace_it=True) as store:
        store.write([write("a.md", "fresh")])
        assert found_texts(store, "fresh") == ["fresh"]
        assert store.status().vectors_cached == 0
    assert_consistent(path)


def test_disk_full_keeps_what_was_there(path: Path) -> None:
    """The transaction at work is undone; afterwards all goes on."""
    with open_sqlite(path) as store:
        assert isinstance(store, SqliteStore)
        writer = store._connections._writing_connection()
        writer.execute(f"PRAGMA max_page_count = {writer.execute('PRAGMA page_count').fetchone()[0]}")
        big = write("big.md", *(f"{n} {'x' * 4_000}" for n in range(200)))
        with pytest.raises(StoreError, match="no space left"):
            store.write([write("0.md", "half a change"), big])
        assert found_texts(store, "half") == []
        assert set(nearest_texts(store, "x", limit=99)) == TEXTS
        writer.execute("PRAGMA max_page_count = 1000000")
        store.write([big])
    assert_consistent(path)


def test_file_that_vanishes_is_said_and_its_successor_is_served(path: Path) -> None:
    """A long-lived reader answers from the file that is there, never from one that was removed."""
    with open_sqlite(path, writable=False) as reader:
        assert set(nearest_texts(reader, "x", limit=99)) == TEXTS
        path.unlink()
        with pytest.raises(StoreError, match="no index at"):
            found_texts(reader, "passage")
        for ending in ("-wal", "-shm"):
            Path(f"{path}{ending}").unlink(missing_ok=True)
        with open_sqlite(path) as writer:
            writer.write([write("a.md", "the successor")])
            embed_all(writer)
            for _ in range(2):
                assert nearest_texts(reader, "x") == ["the successor"]
                assert [each.document.path for each in reader.documents()] == ["a.md"]


def test_writer_that_waits_too_long_says_who_is_in_the_way(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers go on; the second writer gives up after its time, having changed nothing."""
    monkeypatch.setattr(connections, "BUSY_TIMEOUT_SECONDS", 0.01)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with open_sqlite(path) as store:
        with pytest.raises(BusyError, match=rf"another process is writing to {path}"):
            store.write([write("a.md", "x")])
        assert found_texts(store, "13") == ["passage 13 of the document"]
        other.execute("ROLLBACK")
        store.write([write("a.md", "x")])
    other.close()


def test_folder_without_shared_memory_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on network file systems: SQLite falls back to another journal there."""

    class Stubborn(sqlite3.Connection):
        def execute(self, sql: str, /, *arguments: Any) -> sqlite3.Cursor:
            """Refuse the log."""
            return super().execute(sql.replace("journal_mode = WAL", "journal_mode = DELETE"), *arguments)

    plain = sqlite3.connect

    def connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
        return plain(*arguments, **options, factory=Stubborn)

    monkeypatch.setattr(sqlite3, "connect", connect)
    with pytest.raises(StoreError, match=r"network folder.*GNOMON_INDEX_DIR"):
        open_sqlite(tmp_path / "index.db")


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_file_is_said(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """A pipe in the place of an index would keep its reader waiting, and a folder is no fault of the disk."""
    place = tmp_path / "gnomon.db"
    make(place)
    for writable in (False, True):
        with pytest.raises(StoreError, match=r"no file.*gnomon index"):
            open_sqlite(place, writable=writable)


def test_file_without_tables_is_no_index(tmp_path: Path) -> None:
    """A run that was killed before it made them left an empty file, or one with a header only."""
    path = tmp_path / "index.db"
    assert not has_index("sqlite", path)
    path.touch()
    assert not has_index("sqlite", path)
    connections.connect_writer(path).close()
    assert not has_index("sqlite", path)
    open_sqlite(path).close()
    assert has_index("sqlite", path)


KILLED_WHILE_MADE = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("CREATE TABLE t (x)")
connection.execute("BEGIN")
connection.executemany("INSERT INTO t VALUES (?)", [("x" * 500,)] * 500)
os._exit(9)
"""


def test_file_killed_while_it_was_made_is_no_index(tmp_path: Path) -> None:
    """Its journal cannot be undone by a reader, which says so; the next writer makes the index."""
    path = tmp_path / "index.db"
    subprocess.run([sys.executable, "-c", KILLED_WHILE_MADE, str(path)], check=False)
    assert path.with_name("index.db-journal").exists()
    assert not has_index("sqlite", path)
    with pytest.raises(StoreError, match="run: gnomon index"):
        open_sqlite(path, writable=False)


WRITER = """
import sys
from pathlib import Path
from gnomon.store import open_store
from tests.contract.store.builders import FINGERPRINT, write
with open_store("sqlite", Path(sys.argv[1]), fingerprint=FINGERPRINT, writable=True) as store:
    store.write([write("new.md", "written elsewhere")])
"""


def test_looking_for_an_index_leaves_open_ones_alone(path: Path) -> None:
    """A reader that is open goes on seeing what other processes write and close."""
    with open_sqlite(path, writable=False) as store:
        assert found_texts(store, "elsewhere") == []
        assert has_index("sqlite", path)
        environment = {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
        subprocess.run([sys.executable, "-c", WRITER, str(path)], env=environment, check=True)
        assert found_texts(store, "elsewhere") == ["written elsewhere"]


def test_index_is_private(path: Path) -> None:
    """It holds the text of private files: nobody else reads it, nor its log."""
    with open_sqlite(path) as store:
        store.write([write("a.md", "x")])
        for ending in ("", "-wal"):
            assert Path(f"{path}{ending}").stat().st_mode & 0o077 == 0


READ_ONLY = """
import os, sys
from pathlib import Path
import gnomon.store.opening, gnomon.store.vectors, simsimd
from gnomon.errors import StoreError
from gnomon.store import connections, open_store
from tests.contract.store.builders import FINGERPRINT, found_texts, nearest_texts, vector
vector("loads what draws numbers")
if os.getuid() == 0:
    os.setuid(65534)  # root may write anywhere
path = Path(sys.argv[1])
with open_store("sqlite", path, fingerprint=FINGERPRINT, writable=False) as store:
    assert found_texts(store, "13") == ["passage 13 of the document"]
    assert nearest_texts(store, "passage 13 of the document", limit=1) == ["passage 13 of the document"]
try:
    open_store("sqlite", path, fingerprint=FINGERPRINT, writable=True)
except StoreError as error:
    assert str(path) in str(error), error
else:
    raise AssertionError("opened for writing")
"""


def test_read_only_folder_opens_for_reading(path: Path) -> None:
    """An index on a medium that cannot be written, as another user sees it; writing is refused with the path."""
    with tempfile.TemporaryDirectory() as shelf:
        folder = Path(shelf) / "medium"
        folder.mkdir()
        copy = folder / "index.db"
        copy.write_bytes(path.read_bytes())
        Path(shelf).chmod(0o755)
        copy.chmod(0o444)
        folder.chmod(0o555)
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY, str(copy)],
            env={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        folder.chmod(0o755)
        assert done.returncode == 0, done.stderr
        assert [file.name for file in folder.iterdir()] == ["index.db"]


KILLED = """
import os, random, signal, sys
from pathlib import Path
from gnomon.store import connections, open_store
from tests.contract.store.builders import FINGERPRINT, embed_all, write
rng = random.Random(int(sys.argv[2]))
with open_store("sqlite", Path(sys.argv[1]), fingerprint=FINGERPRINT, writable=True) as store:
    steps = rng.randrange(1, 400)
    def step():
        global steps
        steps -= 1
        if steps < 0:
            os.kill(os.getpid(), signal.SIGKILL)
    store._connections._writing_connection().set_progress_handler(step, 50)
    while True:
        n = rng.randrange(10)
        store.write([write(f"{n}.md", *(f"v{rng.randrange(99)} chunk {i}" for i in range(rng.randrange(1, 9))))])
        if rng.random() < 0.5:
            embed_all(store)
        if rng.random() < 0.2:
            store.forget("/home/me/notes", [f"{rng.randrange(10)}.md"])
        if rng.random() < 0.1:
            store.optimize()
"""


@pytest.mark.parametrize("seed", range(6))
def test_kill_inside_any_statement_leaves_a_consistent_index(tmp_path: Path, seed: int) -> None:
    """The process dies at a seeded point inside SQLite; nothing is half done."""
    path = tmp_path / "index.db"
    for life in range(2):
        killed = subprocess.run(
            [sys.executable, "-c", KILLED, str(path), str(seed * 2 + life)],
            env={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert killed.returncode == -9, killed.stderr
        with open_sqlite(path) as store:
            embed_all(store)
            assert store.status().vectors_missing == 0
            for each in store.documents():
                texts = [stored.chunk.text for stored in store.document_chunks(each.id)]
                assert [text.split("chunk ")[1] for text in texts] == [str(n) for n in range(len(texts))]
        assert_consistent(path)


_FULL = [
    (sqlite3.SQLITE_FULL, "database or disk is full"),
    (sqlite3.SQLITE_IOERR_SHMSIZE, "disk I/O error"),
    (sqlite3.SQLITE_IOERR_READ, "disk I/O error"),
    (sqlite3.SQLITE_READONLY, "attempt to write a readonly database"),
]


@pytest.mark.parametrize("other", [False, True], ids=["same", "other fingerprint"])
@pytest.mark.parametrize(("code", "text"), _FULL)
def test_index_that_cannot_be_written_is_never_replaced(
    path: Path, monkeypatch: pytest.MonkeyPatch, code: int, text: str, *, other: bool
) -> None:
    """Want of space or rights and a disk that fails are no damage: the file and its contents stay."""

    def fail(_path: Path) -> None:
        error = sqlite3.OperationalError(text)
        error.sqlite_errorcode = code
        with connections.translated(path):
            raise error

    monkeypatch.setattr("gnomon.store.opening._refuse_damaged", fail)
    before = path.stat().st_ino
    with pytest.raises(StoreError, match=str(path)):
        open_sqlite(path, replace_it=True, of=replace(FINGERPRINT, chunker="other") if other else FINGERPRINT)
    assert path.stat().st_ino == before
    with open_sqlite(path, writable=False) as store:
        assert set(nearest_texts(store, "x", limit=99)) == TEXTS


def test_damaged_index_stays_where_no_new_one_can_be_made(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is there may still be of use to somebody; it goes only when its successor is whole."""
    path.write_bytes(b"not a database at all" * 500)
    make = opening._create_or_check

    def fail(where: Path, fingerprint: Fingerprint) -> None:
        if where != path:
            raise StoreError("no space left")
        make(where, fingerprint)

    monkeypatch.setattr(opening, "_create_or_check", fail)
    with pytest.raises(StoreError, match="no space left"):
        open_sqlite(path, replace_it=True)
    assert path.read_bytes().startswith(b"not a database")
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("torn", [False, True])
def test_words_index_that_lost_a_word_is_mended_on_demand(tmp_path: Path, *, torn: bool) -> None:
    """FTS5's own check passes; the index is filled anew from what it was made of, or made anew where that is torn."""
    path = tmp_path / "index.db"
    with open_sqlite(path) as store:
        store.write([write("a.md", "heron reed"), write("b.md", "otter reed")])
    with closing(sqlite3.connect(path)) as connection, connection:
        first = connection.execute("SELECT min(id) FROM chunks").fetchone()[0]
        connection.execute("INSERT INTO words (words, rowid, body) VALUES ('delete', ?, 'heron')", (first,))
        if torn:
            connection.execute("UPDATE document_words SET words = x'00'")
    with open_sqlite(path) as store:
        assert found_texts(store, "heron") == []
    with open_sqlite(path, replace_it=True) as store:
        assert found_texts(store, "heron") == ([] if torn else ["heron reed"])
        assert store.status().documents == (0 if torn else 2)
