"""Turns files into what the store writes, or into the reason why not; one bad file never costs the run."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Protocol

from gnomon.errors import DocumentError, ModelError
from gnomon.store.base import DocumentWrite, ManifestRow, SkipWrite
from gnomon.values import Chunk, ChunkWords, Document, Extracted, Folder, Lifecycle, Skip, SkipReason, SourceFile

# A file written this shortly before it was read may change again within one tick of its time stamps.
_RACY_NS = 100_000_000
_NOTHING_KNOWN: Mapping[str, ManifestRow] = MappingProxyType({})


class Content(Protocol):
    """Bytes of a file with the size and times it had while they were read."""

    @property
    def data(self) -> bytes:
        """All of it."""
        ...

    @property
    def size_bytes(self) -> int:
        """As the open handle says."""
        ...

    @property
    def mtime_ns(self) -> int:
        """As the open handle says."""
        ...

    @property
    def ctime_ns(self) -> int:
        """As the open handle says."""
        ...


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps a document goes through, composed by the corpus.

    Attributes:
        discover: Every path under a folder; the second argument is told what the user should know.
        read: The bytes of one file; raises DocumentError.
        extract: (path, bytes) to text and number of secrets replaced; raises DocumentError.
        lifecycle: What a document says of its own life, given its text and path.
        chunk: (document, path, body_start) to chunks.
        words: (chunk, path, title) to analyzed words.
        extractor: Version; documents read by another version are read again.
    """

    discover: Callable[[Folder, Callable[[str], None]], Iterator[SourceFile | Skip]]
    read: Callable[[Folder, SourceFile], Content]
    extract: Callable[[str, bytes], tuple[Extracted, int]]
    lifecycle: Callable[[Extracted, str], Lifecycle]
    chunk: Callable[[Extracted, str, int], list[Chunk]]
    words: Callable[[Chunk, str, str], ChunkWords]
    extractor: str


@dataclass(frozen=True, slots=True)
class Touched:
    """A file whose times changed but whose content did not."""

    path: str
    size_bytes: int
    mtime_ns: int
    ctime_ns: int


# What becomes of a file.
Prepared = DocumentWrite | SkipWrite | Touched


def build(
    folder: Folder,
    files: Sequence[SourceFile],
    *,
    steps: Steps,
    known: Mapping[str, ManifestRow] = _NOTHING_KNOWN,
    fault: DocumentError | None = None,
) -> list[Prepared]:
    """Read files and take them through all steps; what became of each, in order.

    All take one step before any takes the next: what a step needs, its code and its tables, is then still in the
    processor's caches for the next file, which is a sixth of the time.

    Args:
        folder: Where the files lie.
        files: As discovered; all their texts are in memory at once.
        steps: What to do with them.
        known: What the store holds, by path; with equal content nothing more is done.
        fault: Why they are left out, so that their texts go through no step.

    Raises:
        ModelError: The tokenizer is not usable; that is no fault of a document.
    """
    built: dict[str, Prepared] = {}
    ways = {file.path: _way(folder, file, steps, known.get(file.path), fault) for file in files}
    while ways:
        for path, way in list(ways.items()):
            try:
                next(way)
            except StopIteration as end:
                built[path] = end.value
                del ways[path]
    return [built[file.path] for file in files]


# Pauses after each step, and returns what became of the file.
_Way = Generator[None, None, Prepared]


def _way(
    folder: Folder, file: SourceFile, steps: Steps, known: ManifestRow | None, fault: DocumentError | None
) -> _Way:
    """One file, from its bytes to what is stored."""
    try:
        content = steps.read(folder, file)
    except DocumentError as e:
        return _skip(folder, file, e)
    # With a change time of 0 the next run looks at the content again.
    ctime_ns = content.ctime_ns if time.time_ns() - content.mtime_ns > _RACY_NS else 0
    stat = replace(file, size_bytes=content.size_bytes, mtime_ns=content.mtime_ns, ctime_ns=ctime_ns)
    digest = hashlib.sha256(content.data).hexdigest()
    if known and known.sha256 == digest and known.extractor == steps.extractor:
        if known.skip:
            # Equal bytes are left out for the same reason, and are counted as left out.
            skip = known.skip
            return SkipWrite(str(folder.root), skip, stat.size_bytes, stat.mtime_ns, stat.ctime_ns, digest)
        return Touched(stat.path, stat.size_bytes, stat.mtime_ns, stat.ctime_ns)
    if fault:
        return _skip(folder, stat, fault, digest)
    yield
    try:
        return (yield from _way_of_text(folder, stat, content.data, digest, steps))
    except DocumentError as e:
        return _skip(folder, stat, e, digest)
    except ModelError:
        raise
    except Exception as e:  # noqa: BLE001 - whatever a parser does, it costs one document
        fault = DocumentError(SkipReason.FAULT, f"{type(e).__name__}: {e}")
        return _skip(folder, stat, fault, digest)


def _way_of_text(folder: Folder, file: SourceFile, data: bytes, digest: str, steps: Steps) -> _Way:
    extracted, redactions = steps.extract(file.path, data)
    yield
    life = steps.lifecycle(extracted, file.path)
    yield
    chunks = steps.chunk(extracted, file.path, life.body_start)
    if not chunks:
        raise DocumentError(SkipReason.EMPTY)
    yield
    title = life.title or extracted.title or _first_heading(chunks)
    document = Document(
        folder=str(folder.root),
        path=file.path,
        size_bytes=file.size_bytes,
        mtime_ns=file.mtime_ns,
        ctime_ns=file.ctime_ns,
        sha256=digest,
        kind=extracted.kind,
        language=extracted.language,
        title=title,
        status=life.status,
        date=life.date,
        expires=life.expires,
        successors=life.successors,
        supersedes=life.supersedes,
        status_line=life.line,
        anchors=extracted.anchors,
        warnings=extracted.warnings + life.warnings,
        redactions=redactions,
    )
    words = [steps.words(chunk, file.path, title) for chunk in chunks]
    return DocumentWrite(document, chunks, words)


def _first_heading(chunks: list[Chunk]) -> str:
    return next((chunk.breadcrumb[0] for chunk in chunks if chunk.breadcrumb), "")


def _skip(folder: Folder, file: SourceFile, error: DocumentError, digest: str = "") -> SkipWrite:
    skip = Skip(file.path, SkipReason(error.reason), error.detail)
    return SkipWrite(str(folder.root), skip, file.size_bytes, file.mtime_ns, file.ctime_ns, digest)
