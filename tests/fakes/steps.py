"""Steps of an index run that need no model, and recipes that other processes find by their names."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from gnomon.errors import FolderError
from gnomon.index.document import Steps
from gnomon.values import Chunk, ChunkWords, Extracted, Folder, Lifecycle, Skip, SourceFile, Span


@dataclass(frozen=True)
class FakeContent:
    """See ``Content``."""

    data: bytes
    size_bytes: int
    mtime_ns: int
    ctime_ns: int


def _discover(folder: Folder, _warn: Callable[[str], None]) -> Iterator[SourceFile | Skip]:
    for path in sorted(folder.root.iterdir()):
        stat = path.stat()
        yield SourceFile(path.name, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, "plain file")


def _read(folder: Folder, file: SourceFile) -> FakeContent:
    if not folder.root.is_dir():
        raise FolderError(f"folder {folder.name} is missing on disk")
    return FakeContent((folder.root / file.path).read_bytes(), file.size_bytes, file.mtime_ns, file.ctime_ns)


def _chunk(document: Extracted, path: str, start: int) -> list[Chunk]:
    return [Chunk(0, Span(0, len(document.text)), 1, 1, document.text)] if document.text else []


def plain_steps() -> Steps:
    """A file is one passage; the title of each says which process read it."""
    return Steps(
        discover=_discover,
        read=_read,
        extract=lambda path, data: (Extracted(data.decode(), "prose", "markdown", title=str(os.getpid())), 0),
        lifecycle=lambda document, path: Lifecycle(),
        chunk=_chunk,
        words=lambda chunk, path, title: ChunkWords(tuple(chunk.text.split())),
        extractor="1",
    )


def deadly_steps() -> Steps:
    """As above, but reading the file "deadly.md" ends the process, as a parser that crashes does."""
    plain = plain_steps()

    def read(folder: Folder, file: SourceFile) -> FakeContent:
        if file.path == "deadly.md":
            os.kill(os.getpid(), signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
        return _read(folder, file)

    return replace(plain, read=read)
