"""Changes to a corpus inside one transaction: documents, skips, times, vectors. Commits nothing itself."""

from __future__ import annotations

import struct
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gnomon.store.base import DocumentWrite, Fingerprint, SkipWrite, text_key
from gnomon.store.postgres.connections import Reader
from gnomon.store.postgres.place import Half
from gnomon.store.postgres.words import packed, word_counts
from gnomon.store.rows import document_head, is_unliving, path_blob, skip_row, text_row
from gnomon.store.schema import ORDINAL_BITS
from gnomon.values import Chunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DOCUMENT = (
    "COPY {s}.documents (id, folder, path, size_bytes, mtime_ns, ctime_ns, sha256, extractor, chunk_count, unliving,"
    " generation, head) FROM STDIN"
)
_SKIP = "COPY {s}.skips (folder, path, reason, size_bytes, mtime_ns, ctime_ns, sha256, extractor, detail) FROM STDIN"
_CHUNK = "COPY {s}.chunks (document, id, key, length, words, counts) FROM STDIN (FORMAT BINARY)"
# Words whose numbers a writer remembers: 120 bytes each.
_MAX_NUMBERS = 500_000
_CHUNK_TYPES = ["int8", "int8", "bytea", "int4", "int4[]", "bytea"]
_TEXT = "COPY {s}.texts (document, id, crc, head, body, embedded) FROM STDIN (FORMAT BINARY)"
_TEXT_TYPES = ["int8", "int8", "int8", "text", "bytea", "bytea"]


class Changes:
    """All changes of one transaction; ``finish`` before it is committed.

    Attributes:
        removed_chunks: So far.
    """

    def __init__(self, reader: Reader, fingerprint: Fingerprint) -> None:
        self._reader = reader
        self._extractor = fingerprint.extractor
        self._dim = fingerprint.dim
        self._state = reader.state
        self._generation = reader.state.generation + 1
        self._last_document = reader.state.last_document
        self._counts: Counter[str] = Counter()
        self._received = False
        self._learnt: dict[str, int] = {}
        self.removed_chunks = 0

    def finish(self) -> None:
        """Record the generation and what there is now."""
        names = ("documents", "skips", "chunks", "words", "vectors", "waiting", "kept")
        changes = ", ".join(f"{name} = {name} + {self._counts[name]:d}" for name in names)
        used = self._state.vectors + self._counts["vectors"]
        highest = used + (self._state.kept + self._counts["kept"] if self._received else 0)
        if highest >= self._state.peak:
            changes += f", peak = {highest:d}, peak_since = {int(time.time())}"
        self._reader.execute(
            f"UPDATE {{s}}.state SET generation = %s, last_document = %s, removed = removed + %s, {changes}",  # noqa: S608
            (self._generation, self._last_document, self.removed_chunks),
        )

    def committed(self) -> None:
        """Let later transactions of this connection know the numbers of words that are sure by now."""
        if len(self._reader.numbers) > _MAX_NUMBERS:
            self._reader.numbers.clear()
        self._reader.numbers.update(self._learnt)

    def _run(self, statement: str, *values: Any) -> int:
        return self._reader.execute(statement, values).rowcount

    def _copy(self, statement: str, rows: Iterable[Sequence[Any]], types: Sequence[Any] = ()) -> None:
        named = statement.replace("{s}", self._reader.schema).encode()
        with self._reader.connection.cursor() as cursor, cursor.copy(named) as copy:
            if types:
                copy.set_types(types)
            for row in rows:
                copy.write_row(row)

    # -- documents and skips ----------------------------------------------------------------------------------------
    def write(self, writes: Sequence[DocumentWrite | SkipWrite]) -> int:
        """Put documents and skips in place of what is stored for their paths; the last of a path counts.

        Returns:
            How many of the chunks have a vector already.
        """
        at: dict[tuple[bytes, bytes], DocumentWrite | SkipWrite] = {}
        for write in writes:
            if isinstance(write, SkipWrite):
                at[path_blob(write.folder), path_blob(write.skip.path)] = write
            else:
                at[path_blob(write.document.folder), path_blob(write.document.path)] = write
        self._remove(list(at))
        skips = [write for write in at.values() if isinstance(write, SkipWrite)]
        documents = [write for write in at.values() if not isinstance(write, SkipWrite)]
        self._copy(_SKIP, ((path_blob(w.folder), *skip_row(0, w, self._extractor)[1:]) for w in skips))
        self._counts["skips"] += len(skips)
        first = self._last_document + 1
        self._last_document += len(documents)
        self._copy(_DOCUMENT, (self._document_row(first + n, write) for n, write in enumerate(documents)))
        self._counts["documents"] += len(documents)
        return self._add_chunks(first, documents)

    def _document_row(self, number: int, write: DocumentWrite) -> tuple[object, ...]:
        document = write.document
        return (
            number,
            path_blob(document.folder),
            path_blob(document.path),
            document.size_bytes,
            document.mtime_ns,
            document.ctime_ns,
            document.sha256,
            self._extractor,
            len(write.chunks),
            is_unliving(document),
            self._generation,
            document_head(document),
        )

    def _add_chunks(self, first: int, documents: Sequence[DocumentWrite]) -> int:
        rows: list[tuple[int, Chunk, dict[str, int], int]] = []
        for number, write in enumerate(documents, first):
            for chunk, words in zip(write.chunks, write.words, strict=True):
                rows.append((number, chunk, *word_counts(words)))
        if not rows:
            return 0
        numbers = self._word_numbers({word for _, _, counts, _ in rows for word in counts})
        self._copy(_CHUNK, (_chunk_row(*row, numbers) for row in rows), _CHUNK_TYPES)
        texts = ((number, *text_row((number << ORDINAL_BITS) + chunk.ordinal, chunk)) for number, chunk, *_ in rows)
        self._copy(_TEXT, texts, _TEXT_TYPES)
        frequencies = Counter(numbers[word] for _, _, counts, _ in rows for word in counts)
        self._copy("COPY {s}.frequencies (word, chunks) FROM STDIN", sorted(frequencies.items()))
        self._counts["chunks"] += len(rows)
        self._counts["words"] += sum(length for *_, length in rows)
        mtimes = {number: write.document.mtime_ns for number, write in enumerate(documents, first)}
        return self._give_vectors(mtimes)

    def _word_numbers(self, words: Collection[str]) -> dict[str, int]:
        known = self._reader.numbers
        listed = sorted(word for word in words if word not in known)
        select = "SELECT word, id FROM {s}.vocabulary WHERE word = ANY(%s)"
        learnt = dict(self._reader.execute(select, (listed,)).fetchall()) if listed else {}
        if new := [word for word in listed if word not in learnt]:
            self._run("INSERT INTO {s}.vocabulary (word) SELECT unnest(%s::text[]) ON CONFLICT DO NOTHING", new)
            learnt |= dict(self._reader.execute(select, (new,)).fetchall())
        self._learnt |= learnt
        return {word: known[word] if word in known else learnt[word] for word in words}

    def _give_vectors(self, mtimes: Mapping[int, int]) -> int:
        """Give new chunks the vectors that are known; let the others wait. Returns how many have one."""
        numbers = list(mtimes)
        known = 0
        if self._state.vectors or self._state.kept:
            known = self._run(
                "INSERT INTO {s}.vectors (document, id, key, half)"
                " SELECT c.document, c.id, c.key, coalesce(k.half, v.half) FROM {s}.chunks AS c"
                " LEFT JOIN {s}.kept AS k ON k.key = c.key"
                " LEFT JOIN LATERAL (SELECT half FROM {s}.vectors AS o WHERE o.key = c.key LIMIT 1) AS v ON true"
                " WHERE c.document = ANY(%s) AND coalesce(k.half, v.half) IS NOT NULL",
                numbers,
            )
        if known:
            self._counts["kept"] -= self._run(
                "DELETE FROM {s}.kept WHERE key IN (SELECT key FROM {s}.vectors WHERE document = ANY(%s))", numbers
            )
        self._counts["vectors"] += known
        self._counts["waiting"] += self._run(
            "INSERT INTO {s}.waiting (document, id, key, mtime_ns)"
            " SELECT c.document, c.id, c.key, m.mtime_ns FROM {s}.chunks AS c"
            " JOIN unnest(%s::bigint[], %s::bigint[]) AS m (document, mtime_ns) ON m.document = c.document"
            " WHERE c.document = ANY(%s) AND NOT EXISTS (SELECT 1 FROM {s}.vectors AS v"
            "  WHERE v.document = c.document AND v.id = c.id)",
            numbers,
            list(mtimes.values()),
            numbers,
        )
        return known

    # -- removing ---------------------------------------------------------------------------------------------------
    def forget(self, folder: str, paths: Collection[str]) -> None:
        """Remove what is stored for these paths."""
        self._remove([(path_blob(folder), path_blob(path)) for path in paths])

    def _remove(self, places: Sequence[tuple[bytes, bytes]]) -> None:
        if not (self._state.documents or self._state.skips):
            return
        folders, paths = [folder for folder, _ in places], [path for _, path in places]
        at = "(folder, path) IN (SELECT * FROM unnest(%s::bytea[], %s::bytea[]))"
        self._counts["skips"] -= self._run(f"DELETE FROM {{s}}.skips WHERE {at}", folders, paths)  # noqa: S608
        gone = self._reader.execute(f"DELETE FROM {{s}}.documents WHERE {at} RETURNING id", (folders, paths))  # noqa: S608
        self._remove_documents([number for (number,) in gone])

    def forget_folder(self, folder: str) -> int:
        """Remove all of a folder; returns how many documents went."""
        blob = path_blob(folder)
        self._counts["skips"] -= self._run("DELETE FROM {s}.skips WHERE folder = %s", blob)
        gone = self._reader.execute("DELETE FROM {s}.documents WHERE folder = %s RETURNING id", (blob,))
        numbers = [number for (number,) in gone]
        self._remove_documents(numbers)
        return len(numbers)

    def _remove_documents(self, numbers: list[int]) -> None:
        if not numbers:
            return
        self._counts["documents"] -= len(numbers)
        self._run(
            "INSERT INTO {s}.frequencies (word, chunks) SELECT word, -count(*) FROM {s}.chunks, unnest(words) AS word"
            " WHERE document = ANY(%s) GROUP BY word",
            numbers,
        )
        row = self._reader.execute(
            "WITH gone AS (DELETE FROM {s}.chunks WHERE document = ANY(%s) RETURNING length)"
            " SELECT count(*), coalesce(sum(length), 0) FROM gone",
            (numbers,),
        ).fetchone()
        chunks, words = (int(figure) for figure in row) if row else (0, 0)
        self._counts["chunks"] -= chunks
        self._counts["words"] -= words
        self.removed_chunks += chunks
        self._run("DELETE FROM {s}.texts WHERE document = ANY(%s)", numbers)
        self._counts["waiting"] -= self._run("DELETE FROM {s}.waiting WHERE document = ANY(%s)", numbers)
        self._counts["kept"] += self._run(
            "INSERT INTO {s}.kept (key, idle_since, half) SELECT DISTINCT ON (v.key) v.key, %s::bigint, v.half"
            " FROM {s}.vectors AS v WHERE v.document = ANY(%s) AND NOT EXISTS"
            " (SELECT 1 FROM {s}.vectors AS o WHERE o.key = v.key AND o.document <> ALL(%s)) ON CONFLICT DO NOTHING",
            int(time.time()),
            numbers,
            numbers,
        )
        self._counts["vectors"] -= self._run("DELETE FROM {s}.vectors WHERE document = ANY(%s)", numbers)

    def touch(self, folder: str, files: Mapping[str, tuple[int, int, int]]) -> None:
        """Record sizes and times of files, documents or skips."""
        values = [path_blob(folder), [path_blob(path) for path in files], *map(list, zip(*files.values(), strict=True))]
        for table, extra in (("documents", f", generation = {self._generation}"), ("skips", "")):
            self._run(
                f"UPDATE {{s}}.{table} AS t SET size_bytes = n.size_bytes, mtime_ns = n.mtime_ns,"  # noqa: S608
                f" ctime_ns = n.ctime_ns{extra} FROM (SELECT %s::bytea AS folder, *"
                "  FROM unnest(%s::bytea[], %s::bigint[], %s::bigint[], %s::bigint[])"
                "  AS u (path, size_bytes, mtime_ns, ctime_ns)) AS n WHERE t.folder = n.folder AND t.path = n.path",
                *values,
            )

    # -- vectors ----------------------------------------------------------------------------------------------------
    def put_vectors(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Keep vectors and give them to the chunks that wait for them."""
        head = struct.pack(">HH", self._dim, 0)
        halves = {key: Half(head + row.tobytes()) for key, row in zip(keys, vectors.astype(">f2"), strict=True)}
        self._reader.execute(
            "CREATE TEMPORARY TABLE IF NOT EXISTS received (key bytea PRIMARY KEY, half halfvec) ON COMMIT DELETE ROWS"
        )
        self._copy("COPY received FROM STDIN (FORMAT BINARY)", halves.items(), ["bytea", self._reader.half_oid])
        given = self._run(
            "WITH gone AS (DELETE FROM {s}.waiting AS w USING received AS r WHERE w.key = r.key"
            "  RETURNING w.document, w.id, w.key)"
            " INSERT INTO {s}.vectors SELECT g.document, g.id, g.key, r.half FROM gone AS g JOIN received AS r"
            " USING (key)"
        )
        self._counts["vectors"] += given
        self._counts["waiting"] -= given
        kept = self._run(
            "INSERT INTO {s}.kept SELECT r.key, %s::bigint, r.half FROM received AS r"
            " WHERE NOT EXISTS (SELECT 1 FROM {s}.vectors AS v WHERE v.key = r.key) ON CONFLICT DO NOTHING",
            int(time.time()),
        )
        self._counts["kept"] += kept
        self._received = kept > 0
        self._run("DELETE FROM {s}.leases WHERE key = ANY(%s)", list(halves))


def _chunk_row(
    number: int, chunk: Chunk, counts: Mapping[str, int], length: int, numbers: Mapping[str, int]
) -> tuple[object, ...]:
    ordered = sorted((numbers[word], count) for word, count in counts.items())
    return (
        number,
        (number << ORDINAL_BITS) + chunk.ordinal,
        text_key(chunk.embedded),
        length,
        [word for word, _ in ordered],
        packed(ordered),
    )
