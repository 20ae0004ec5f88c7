"""Changes to a SQLite store inside one transaction: documents, skips, times, vectors. Commits nothing itself."""

from __future__ import annotations

import json
import sqlite3
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gnomon.store.base import DocumentWrite, Fingerprint, SkipWrite
from gnomon.store.checks import check_pairs
from gnomon.store.new_rows import WordsRow, new_rows
from gnomon.store.pages import PageRow, PageWriter
from gnomon.store.rows import INSERT_WORDS, document_head, is_unliving, path_blob, skip_row, unpack_words
from gnomon.store.schema import MAX_CHUNKS, ORDINAL_BITS, raise_generation
from gnomon.store.tidying import bound_vectors, put_off_merges

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_INSERT_TEXT = "INSERT INTO texts (id, crc, head, body, embedded) VALUES (?, ?, ?, ?, ?)"
# All at once, as JSON: SQLite comes back to Python after each step of a statement, and would wait for its turn there.
_DELETE_WORDS = (
    "INSERT INTO words (words, rowid, body, symbols, headings, path) SELECT 'delete', json_extract(value, '$[0]'),"
    " json_extract(value, '$[1]'), json_extract(value, '$[2]'), json_extract(value, '$[3]'),"
    " json_extract(value, '$[4]') FROM json_each(?)"
)
# Keys come joined, 16 bytes each, with the places where they begin: half the time of a statement for each. The first
# column is the position of the key.
_BY_KEY = "SELECT j.value / 16, {} FROM json_each(?) AS j CROSS JOIN {} AS t ON t.key = substr(?, j.value + 1, 16)"
_VECTORS_BY_KEY = _BY_KEY.format("t.id, t.crc, t.half", "vectors")
_WAITING_BY_KEY = _BY_KEY.format("t.id", "chunks") + " AND t.slot IS NULL"
# Vectors rounded at once: 4 MB of numbers on the way.
_VECTORS_AT_ONCE = 1_000
# Passages held back until they are written in order: 60 MB.
_MAX_ROWS_HELD = 20_000


class Changes:
    """All changes of one transaction; ``finish`` before it is committed.

    Args:
        connection: In a write transaction.
        fingerprint: Whose extractor is recorded with each row.

    Attributes:
        removed_chunks: So far.
        words_rows: Of passages, added to the words index or removed from it so far.
        known_vectors: How many of the chunks put have a vector already; all of them are counted when it is finished.
    """

    def __init__(self, connection: sqlite3.Connection, fingerprint: Fingerprint) -> None:
        self._connection = connection
        self._fingerprint = fingerprint
        self._generation = raise_generation(connection)
        self._pages = PageWriter(connection, fingerprint.dim)
        self._uses: Counter[int] = Counter()
        self._folders: dict[str, int] = {}
        self._vectors_came = False
        self._received = False
        self._words_gone: list[WordsRow] = []
        self._new: dict[int, DocumentWrite] = {}  # by id: in ``documents``, and nowhere else yet
        self._rows_held = 0
        self.removed_chunks = 0
        self.words_rows = 0
        self.known_vectors = 0
        self._knows_vectors = connection.execute("SELECT 1 FROM vectors LIMIT 1").fetchone() is not None

    def finish(self) -> None:
        """Write what was collected: words, vector pages and how often each vector is used."""
        self._write_held()
        self._pages.flush(self._generation)
        now = int(time.time())
        changed = [(difference, now, vector) for vector, difference in self._uses.items() if difference]
        self._connection.executemany("UPDATE vectors SET uses = uses + ?, idle_since = ? WHERE id = ?", changed)
        self._uses.clear()
        if changed or self._vectors_came:
            bound_vectors(self._connection, received=self._received)

    def _write_held(self) -> None:
        if not (self._new or self._words_gone):
            return
        put_off_merges(self._connection)
        # All old words go before any new ones come, each by id: FTS5 flushes what it collected whenever an id is lower
        # than the one before (130 µs per chunk instead of 30).
        with self._removing_words():
            rows = new_rows(self._new)
        for start in range(0, len(rows.chunks), _VECTORS_AT_ONCE):
            self._put_chunks(rows.chunks[start : start + _VECTORS_AT_ONCE])
        self._connection.executemany(_INSERT_TEXT, rows.texts)
        self._connection.executemany("INSERT INTO document_words VALUES (?, ?)", rows.document_words)
        self._connection.executemany(INSERT_WORDS, rows.words)
        self._words_gone.clear()
        self._new.clear()
        self.words_rows += self._rows_held
        self._rows_held = 0

    @contextmanager
    def _removing_words(self) -> Iterator[None]:
        """Let SQLite take the old words out, for which it needs no Python, while Python does something else."""
        if not self._words_gone:
            yield
            return
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1) as beside:
            removal = beside.submit(self._connection.execute, _DELETE_WORDS, (json.dumps(sorted(self._words_gone)),))
            yield
            removal.result()

    def _hold(self, rows: int) -> None:
        self._rows_held += rows
        if self._rows_held > _MAX_ROWS_HELD:
            self._write_held()

    # -- documents and skips ----------------------------------------------------------------------------------------
    def _folder(self, root: str) -> int | None:
        if root not in self._folders:
            row = self._connection.execute("SELECT id FROM folders WHERE root = ?", (path_blob(root),)).fetchone()
            if row is None:
                return None
            self._folders[root] = int(row[0])
        return self._folders[root]

    def _new_folder(self, root: str) -> int:
        known = self._folder(root)
        if known is None:
            self._connection.execute("INSERT INTO folders (root) VALUES (?)", (path_blob(root),))
        return known or self._new_folder(root)

    def put_skip(self, write: SkipWrite) -> None:
        """Record why a file is not indexed, in place of what is stored for it."""
        folder = self._new_folder(write.folder)
        self.remove(write.folder, write.skip.path)
        self._connection.execute(
            "INSERT INTO skips VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            skip_row(folder, write, self._fingerprint.extractor),
        )

    def put_document(self, write: DocumentWrite) -> None:
        """Store a document in place of what is stored for its path.

        Raises:
            ValueError: Chunks and words do not pair up, or there are too many.
        """
        check_pairs((write,))
        folder = self._new_folder(write.document.folder)
        self.remove(write.document.folder, write.document.path)
        self._new[self._insert_document(folder, write)] = write
        self._hold(len(write.chunks))

    def _insert_document(self, folder: int, write: DocumentWrite) -> int:
        document = write.document
        cursor = self._connection.execute(
            "INSERT INTO documents (folder, path, size_bytes, mtime_ns, ctime_ns, sha256, extractor, chunk_count,"
            " missing, unliving, generation, head) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)",
            (
                folder,
                path_blob(document.path),
                document.size_bytes,
                document.mtime_ns,
                document.ctime_ns,
                document.sha256,
                self._fingerprint.extractor,
                len(write.chunks),
                int(is_unliving(document)),
                self._generation,
                document_head(document),
            ),
        )
        return int(cursor.lastrowid or 0)

    def _put_chunks(self, chunks: Sequence[tuple[int, bytes]]) -> None:
        """Write (id, key) of chunks, each with its vector where that is here."""
        halves = self._whole_vectors([key for _, key in chunks]) if self._knows_vectors else {}
        slots = self._place([(chunks[position][0], *found) for position, found in halves.items()])
        placed = {position: (halves[position][0], slot) for position, slot in zip(halves, slots, strict=True)}
        self._connection.executemany(
            "INSERT INTO chunks (id, key, vector, slot) VALUES (?, ?, ?, ?)",
            [(*chunk, *placed.get(position, (None, None))) for position, chunk in enumerate(chunks)],
        )
        missing = Counter(
            number >> ORDINAL_BITS for position, (number, _) in enumerate(chunks) if position not in placed
        )
        self._connection.executemany(
            "UPDATE documents SET missing = missing + ? WHERE id = ?",
            [(count, number) for number, count in missing.items()],
        )
        self.known_vectors += len(placed)

    def remove(self, root: str, path: str) -> None:
        """Remove what is stored for a path, document or skip."""
        where = (self._folder(root), path_blob(path))
        self._connection.execute("DELETE FROM skips WHERE folder = ? AND path = ?", where)
        row = self._connection.execute("SELECT id FROM documents WHERE folder = ? AND path = ?", where).fetchone()
        if row is not None:
            self._remove_document(int(row[0]))

    def _remove_document(self, number: int) -> None:
        if self._new.pop(number, None) is None:  # else replaced in the transaction that brought it
            self._remove_rows(number)
        self._connection.execute("DELETE FROM documents WHERE id = ?", (number,))

    def _remove_rows(self, number: int) -> None:
        base = number << ORDINAL_BITS
        bounds = (base, base + MAX_CHUNKS - 1)
        row = self._connection.execute("SELECT words FROM document_words WHERE document = ?", (number,)).fetchone()
        words = unpack_words(row[0]) if row else []
        self._words_gone.extend((base + ordinal, *fields) for ordinal, fields in words)
        held = "SELECT vector, slot FROM chunks WHERE id BETWEEN ? AND ? AND slot IS NOT NULL"
        for vector, slot in self._connection.execute(held, bounds).fetchall():
            self._pages.free(slot)
            self._uses[vector] -= 1
        deleted = self._connection.execute("DELETE FROM chunks WHERE id BETWEEN ? AND ?", bounds)
        self.removed_chunks += deleted.rowcount
        self._connection.execute("DELETE FROM texts WHERE id BETWEEN ? AND ?", bounds)
        self._connection.execute("DELETE FROM document_words WHERE document = ?", (number,))
        self._hold(len(words))

    def remove_folder(self, root: str) -> int:
        """Remove all of a folder; returns how many documents went."""
        where = (self._folder(root),)
        documents = self._connection.execute("SELECT id FROM documents WHERE folder = ? ORDER BY id", where).fetchall()
        for (number,) in documents:
            self._remove_document(number)
        self._connection.execute("DELETE FROM skips WHERE folder = ?", where)
        self._connection.execute("DELETE FROM folders WHERE id = ?", where)
        self._folders.pop(root, None)
        return len(documents)

    def touch(self, root: str, path: str, times: tuple[int, int, int]) -> None:
        """Record size, mtime_ns and ctime_ns of a file, document or skip."""
        folder, blob = self._folder(root), path_blob(path)
        for table, extra in (("documents", f", generation = {self._generation}"), ("skips", "")):
            self._connection.execute(
                f"UPDATE {table} SET size_bytes = ?, mtime_ns = ?, ctime_ns = ?{extra}"  # noqa: S608 - literals above
                " WHERE folder = ? AND path = ?",
                (*times, folder, blob),
            )

    # -- vectors ----------------------------------------------------------------------------------------------------
    def put_vectors(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Keep vectors and give them to the chunks that wait for them."""
        self._vectors_came = True
        for start in range(0, len(keys), _VECTORS_AT_ONCE):
            block = slice(start, start + _VECTORS_AT_ONCE)
            self._put_some(keys[block], vectors[block].astype("<f2"))

    def _put_some(self, keys: Sequence[bytes], halves: NDArray[np.float16]) -> None:
        waiting: dict[int, list[int]] = defaultdict(list)
        for position, chunk in self._by_key(_WAITING_BY_KEY, keys):
            waiting[position].append(chunk)
        rows: list[tuple[int, int, bytes]] = []
        for position, (key, half) in enumerate(zip(keys, halves, strict=True)):
            chunks = waiting[position]
            vector, stored = self._keep_vector(key, half.tobytes(), uses=len(chunks))
            rows.extend((chunk, vector, stored) for chunk in chunks)
            self._received |= not chunks
        slots = self._place(rows, count_uses=False)
        self._connection.executemany(
            "UPDATE chunks SET vector = ?, slot = ? WHERE id = ?",
            [(vector, slot, chunk) for (chunk, vector, _), slot in zip(rows, slots, strict=True)],
        )
        per_document = Counter(chunk >> ORDINAL_BITS for chunk, _, _ in rows)
        self._connection.executemany(
            "UPDATE documents SET missing = missing - ? WHERE id = ?",
            [(count, number) for number, count in per_document.items()],
        )

    def _keep_vector(self, key: bytes, half: bytes, *, uses: int) -> tuple[int, bytes]:
        """Id and bytes of the vector that is stored under a key from now on: the one there, if it is whole."""
        fields = (zlib.crc32(half), half)
        new = self._connection.execute(
            "INSERT INTO vectors (key, uses, idle_since, crc, half) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (key) DO NOTHING",
            (key, uses, int(time.time()), *fields),
        )
        if new.rowcount:
            return int(new.lastrowid or 0), half
        found = self._whole_vectors((key,)).get(0)
        if found is None:
            mend = "UPDATE vectors SET crc = ?, half = ? WHERE key = ? RETURNING id"
            found = int(self._connection.execute(mend, (*fields, key)).fetchone()[0]), half
        self._uses[found[0]] += uses
        return found

    def _whole_vectors(self, keys: Sequence[bytes]) -> dict[int, tuple[int, bytes]]:
        """Id and bytes of the vectors that are stored under these keys, by position."""
        # A vector that lost a bit counts as missing: its text is embedded again and mends it.
        return {
            position: (vector, half)
            for position, vector, crc, half in self._by_key(_VECTORS_BY_KEY, keys)
            if zlib.crc32(half) == crc and len(half) == 2 * self._fingerprint.dim
        }

    def _by_key(self, statement: str, keys: Sequence[bytes]) -> list[tuple[Any, ...]]:
        places = json.dumps(list(range(0, 16 * len(keys), 16)))
        return self._connection.execute(statement, (places, b"".join(keys))).fetchall()

    def _place(self, rows: Sequence[tuple[int, int, bytes]], *, count_uses: bool = True) -> list[int]:
        """Put (chunk id, vector id, half) into pages; returns their slots."""
        if not rows:
            return []
        import numpy as np

        from gnomon.store.kernels import quantize

        halves = np.frombuffer(b"".join(half for _, _, half in rows), "<f2").reshape(len(rows), -1)
        data, scales = quantize(halves.astype(np.float32))
        slots = []
        for (chunk, vector, _), row, scale in zip(rows, data, scales, strict=True):
            slots.append(self._pages.add(PageRow(chunk, vector, float(scale), row.tobytes())))
            if count_uses:
                self._uses[vector] += 1
        return slots
