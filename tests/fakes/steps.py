"""Steps of an index run that need no model, and recipes that other processes find by their names."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

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
    """As above, but reading a file "deadly…" ends the process, as a parser that crashes does; "once…" the first time.

    At a file "stopped…" the process is stopped the first time; at "spinning…" it works for ever, and no other thread.
    """

    def extract(path: str, data: bytes) -> tuple[Extracted, int]:
        name = path.partition(".")[0]
        if name == "deadly" or (name == "once" and _is_first(data)):
            os.kill(os.getpid(), signal.SIGKILL)
        if name == "stopped" and _is_first(data):
            os.kill(os.getpid(), signal.SIGSTOP)
        if name == "spinning":
            re.match("(a+)+$", "a" * 60 + "b")
        return plain.extract(path, data)

    plain = plain_steps()
    return replace(plain, extract=extract)


def _is_first(data: bytes) -> bool:
    """Whether no process came here before, by a file that the text names."""
    met = Path(data.decode())
    is_first = not met.exists()
    met.touch()
    return is_first


def unsayable_steps() -> Steps:
    """What comes of the file "odd.md" cannot be sent to another process."""

    def extract(path: str, data: bytes) -> tuple[Extracted, int]:
        extracted, redactions = plain.extract(path, data)
        return (replace(extracted, title=_Unsayable(extracted.title)) if path == "odd.md" else extracted), redactions

    plain = plain_steps()
    return replace(plain, extract=extract)


class _Unsayable(str):
    """A text that refuses to be pickled."""

    __slots__ = ()

    def __reduce__(self) -> str:
        raise TypeError
