"""Changes to a LanceDB store inside one transaction: documents, skips, times, vectors."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from gnomon.store.base import DocumentWrite, Fingerprint, SkipWrite, text_key
from gnomon.store.lancedb.head import Head
from gnomon.store.lancedb.tables import among, among_ids, halves_of, in_parts, place_key, schemas
from gnomon.store.lancedb.tidying import with_peak
from gnomon.store.lancedb.transaction import Transaction
from gnomon.store.lancedb.words import word_list
from gnomon.store.rows import document_head, is_unliving, path_blob, text_row, to_blob
from gnomon.store.schema import ORDINAL_BITS
from gnomon.values import Document

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FILE_COLUMNS = (
    "id",
    "place",
    "folder",
    "path",
    "size_bytes",
    "mtime_ns",
    "ctime_ns",
    "sha256",
    "extractor",
    "chunk_count",
    "unliving",
    "generation",
    "head",
    "reason",
    "detail",
)


@dataclass(slots=True)
class _NewRows:
    """Columns of what is to be added; only this module changes it."""

    files: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in _FILE_COLUMNS})
    chunks: list[tuple[Any, ...]] = field(default_factory=list)
    keys: list[tuple[int, int, int, str]] = field(default_factory=list)  # id, document, mtime_ns, key


class Changes:
    """All changes of one transaction; ``finish`` gives the head that follows.

    Args:
        transaction: Of the writer.
        fingerprint: Whose extractor is recorded with each row.

    Attributes:
        removed_chunks: So far.
    """

    def __init__(self, transaction: Transaction, fingerprint: Fingerprint) -> None:
        self._transaction = transaction
        self._fingerprint = fingerprint
        self._head = transaction.head
        self._generation = self._head.generation + 1
        self._last_document = self._head.last_document
        self._counts: Counter[str] = Counter()
        self._folders: Counter[str] = Counter(self._head.folders)
        self._frequencies: Counter[str] = Counter()
        self._received = False
        self._gone = ""  # condition on chunks and vectors that this transaction removes
        self.removed_chunks = 0

    def finish(self) -> Head:
        """Write what was collected; the head to be published."""
        changed = {word: count for word, count in self._frequencies.items() if count}
        self._transaction.append("frequencies", {"word": list(changed), "chunks": list(changed.values())})
        self._counts["frequency_rows"] += len(changed)
        old = self._head.counts
        sums = {name: getattr(old, name) + difference for name, difference in self._counts.items()}
        counts = with_peak(replace(old, **sums), received=self._received)
        versions = self._transaction.flush(schemas(self._fingerprint.dim))
        return self._head.next(
            generation=self._generation,
            last_document=self._last_document,
            extractor=self._fingerprint.extractor,
            versions=versions,
            counts=counts,
            folders={folder: files for folder, files in self._folders.items() if files},
            commits=self._head.commits + self._transaction.weight(),
            removed=self._head.removed + self.removed_chunks,
        )

    # -- documents and skips ----------------------------------------------------------------------------------------
    def write(self, writes: Sequence[DocumentWrite | SkipWrite]) -> int:
        """Put documents and skips in place of what is stored for their paths; the last of a path counts.

        Returns:
            How many of the chunks have a vector already.
        """
        at: dict[str, DocumentWrite | SkipWrite] = {}
        for write in writes:
            if isinstance(write, SkipWrite):
                at[place_key(write.folder, write.skip.path)] = write
                continue
            at[place_key(write.document.folder, write.document.path)] = write
        removed = self._remove(at)
        new = _NewRows()
        for place, write in at.items():
            if isinstance(write, SkipWrite):
                self._add_skip(new, place, write)
            else:
                self._add_document(new, place, write)
        self._transaction.append("files", new.files)
        self._append_chunks(new)
        return self._append_vectors(new, removed)

    def _add_file(self, new: _NewRows, place: str, folder: str, path: str, **columns: Any) -> None:
        blob = path_blob(folder)
        values = {
            "id": 0,
            "place": place,
            "folder": blob,
            "path": path_blob(path),
            "extractor": self._fingerprint.extractor,
            "chunk_count": 0,
            "unliving": False,
            "generation": self._generation,
            "head": "",
            "reason": "",
            "detail": b"",
        } | columns
        for name, value in values.items():
            new.files[name].append(value)
        self._folders[blob.hex()] += 1

    def _add_skip(self, new: _NewRows, place: str, write: SkipWrite) -> None:
        self._add_file(
            new,
            place,
            write.folder,
            write.skip.path,
            size_bytes=write.size_bytes,
            mtime_ns=write.mtime_ns,
            ctime_ns=write.ctime_ns,
            sha256=write.sha256,
            reason=write.skip.reason.value,
            detail=to_blob(write.skip.detail),
        )
        self._counts["skips"] += 1

    def _add_document(self, new: _NewRows, place: str, write: DocumentWrite) -> None:
        document: Document = write.document
        self._last_document += 1
        self._add_file(
            new,
            place,
            document.folder,
            document.path,
            id=self._last_document,
            size_bytes=document.size_bytes,
            mtime_ns=document.mtime_ns,
            ctime_ns=document.ctime_ns,
            sha256=document.sha256,
            chunk_count=len(write.chunks),
            unliving=is_unliving(document),
            head=document_head(document),
        )
        self._counts["documents"] += 1
        for chunk, words in zip(write.chunks, write.words, strict=True):
            number = (self._last_document << ORDINAL_BITS) + chunk.ordinal
            listed, length = word_list(words)
            _, crc, head, body, embedded = text_row(number, chunk)
            new.chunks.append((number, self._last_document, crc, head, body, embedded, " ".join(listed), length))
            new.keys.append((number, self._last_document, document.mtime_ns, text_key(chunk.embedded).hex()))
            self._frequencies.update(set(listed))
            self._counts["words"] += length

    def _append_chunks(self, new: _NewRows) -> None:
        self._counts["chunks"] += len(new.chunks)
        names = ("id", "document", "crc", "head", "body", "embedded", "words", "length")
        columns = zip(*new.chunks, strict=True) if new.chunks else ([] for _ in names)
        self._transaction.append("chunks", dict(zip(names, map(list, columns), strict=True)))

    def _append_vectors(self, new: _NewRows, removed: Mapping[str, bytes]) -> int:
        """Give chunks the vectors that are known, let the others wait, keep what no chunk has any more."""
        wanted = {key for *_, key in new.keys}
        known = {key: removed[key] for key in wanted & removed.keys()}
        known |= self._stored(wanted - known.keys())
        self._put([(*row[:2], row[3], known[row[3]]) for row in new.keys if row[3] in known])
        waiting = [row for row in new.keys if row[3] not in known]
        self._counts["waiting"] += len(waiting)
        names = ("id", "document", "mtime_ns", "key")
        columns = zip(*waiting, strict=True) if waiting else ([] for _ in names)
        self._transaction.append("waiting", dict(zip(names, map(list, columns), strict=True)))
        self._keep({key: half for key, half in removed.items() if key not in known})
        return len(new.keys) - len(waiting)

    # -- removing ---------------------------------------------------------------------------------------------------
    def forget(self, folder: str, paths: Collection[str]) -> None:
        """Remove what is stored for these paths."""
        self._keep(self._remove([place_key(folder, path) for path in paths]))

    def forget_folder(self, folder: str) -> int:
        """Remove all of a folder; returns how many documents went."""
        before = self._counts["documents"]
        self._keep(self._remove_files(f"folder = X'{path_blob(folder).hex()}'"))
        return before - self._counts["documents"]

    def _remove(self, places: Collection[str]) -> dict[str, bytes]:
        """Remove what is stored at places; the vectors of its chunks by key."""
        removed: dict[str, bytes] = {}
        if self._head.folders:
            for some in in_parts(places):
                removed |= self._remove_files(among("place", some))
        return removed

    def _remove_files(self, condition: str) -> dict[str, bytes]:
        rows = self._transaction.table("files").rows(condition, ["id", "folder", "reason", "chunk_count"])
        if not rows.num_rows:
            return {}
        documents = []
        for row in rows.to_pylist():
            self._folders[row["folder"].hex()] -= 1
            self._counts["skips" if row["reason"] else "documents"] -= 1
            if not row["reason"] and row["chunk_count"]:
                documents.append(row["id"])
        self._transaction.delete("files", condition)
        removed: dict[str, bytes] = {}
        for some in in_parts(sorted(documents)):
            removed |= self._remove_chunks(among_ids("document", some))
        return removed

    def _remove_chunks(self, condition: str) -> dict[str, bytes]:
        for row in self._transaction.table("chunks").rows(condition, ["words", "length"]).to_pylist():
            self._frequencies.subtract(set(row["words"].split(" ")) - {""})
            self._counts["words"] -= row["length"]
            self._counts["chunks"] -= 1
            self.removed_chunks += 1
        vectors = self._transaction.table("vectors").rows(condition, ["key", "vector"])
        waiting = self._transaction.table("waiting").count(condition)
        self._counts["vectors"] -= vectors.num_rows
        self._counts["waiting"] -= waiting
        self._gone += f" AND NOT ({condition})"
        self._transaction.delete("chunks", condition)
        if vectors.num_rows:
            self._transaction.delete("vectors", condition)
        if waiting:
            self._transaction.delete("waiting", condition)
        return {k: half.tobytes() for k, half in zip(vectors["key"].to_pylist(), halves_of(vectors), strict=True)}

    def touch(self, folder: str, files: Mapping[str, tuple[int, int, int]]) -> None:
        """Record sizes and times of files, documents or skips."""
        at = {place_key(folder, path): times for path, times in files.items()}
        table = self._transaction.table("files")
        for some in in_parts(at):
            condition = among("place", some)
            rows = table.rows(condition, _FILE_COLUMNS).to_pydict()
            for position, place in enumerate(rows["place"]):
                for name, value in zip(("size_bytes", "mtime_ns", "ctime_ns"), at[place], strict=True):
                    rows[name][position] = value
                rows["generation"][position] = self._generation
            self._transaction.delete("files", condition)
            self._transaction.append("files", rows)

    # -- vectors ----------------------------------------------------------------------------------------------------
    def put_vectors(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Keep vectors and give them to the chunks that wait for them."""
        halves = {key.hex(): half.tobytes() for key, half in zip(keys, vectors.astype("<f2"), strict=True)}
        found: set[str] = set()
        for some in in_parts(halves):
            condition = among("key", some)
            waiting = self._transaction.table("waiting").rows(condition, ["id", "document", "key"]).to_pylist()
            if not waiting:
                continue
            self._put([(row["id"], row["document"], row["key"], halves[row["key"]]) for row in waiting])
            self._transaction.delete("waiting", condition)
            self._counts["waiting"] -= len(waiting)
            found |= {row["key"] for row in waiting}
        new = {key: half for key, half in halves.items() if key not in found}
        self._received = bool(new)
        kept = self._stored(new, take=False)
        self._keep({key: half for key, half in new.items() if key not in kept})

    def _put(self, rows: Sequence[tuple[int, int, str, bytes]]) -> None:
        """Add (chunk, document, key, half) to ``vectors``."""
        if rows:
            ids, documents, keys, halves = zip(*rows, strict=True)
            columns = {"id": list(ids), "document": list(documents), "key": list(keys), "vector": self._column(halves)}
            self._transaction.append("vectors", columns)
            self._counts["vectors"] += len(rows)

    def _stored(self, keys: Collection[str], *, take: bool = True) -> dict[str, bytes]:
        """Vectors that are stored under these keys; with ``take`` those kept for reuse leave that place."""
        found: dict[str, bytes] = {}
        for name, count in (("vectors", self._head.counts.vectors), ("kept", self._head.counts.kept)):
            for some in in_parts([key for key in keys if key not in found] if count else ()):
                rows = self._transaction.table(name).rows(among("key", some), ["key", "vector"])
                got = dict(zip(rows["key"].to_pylist(), halves_of(rows), strict=True)) if rows.num_rows else {}
                found |= {key: half.tobytes() for key, half in got.items()}
                if got and take and name == "kept":
                    self._transaction.delete("kept", among("key", got))
                    self._counts["kept"] -= len(got)
        return found

    def _keep(self, halves: Mapping[str, bytes]) -> None:
        """Keep for reuse those that no chunk has any more."""
        free = dict(halves)
        for some in in_parts(halves if self._head.counts.vectors else ()):
            others = self._transaction.table("vectors").rows(among("key", some) + self._gone, ["key"])
            for key in others["key"].to_pylist():
                free.pop(key, None)
        if free:
            now = int(time.time())
            columns = {"key": list(free), "idle_since": [now] * len(free), "vector": self._column(free.values())}
            self._transaction.append("kept", columns)
            self._counts["kept"] += len(free)

    def _column(self, halves: Collection[bytes]) -> pa.FixedSizeListArray:
        flat = np.frombuffer(b"".join(halves), "<f2")
        return pa.FixedSizeListArray.from_arrays(pa.array(flat), self._fingerprint.dim)
