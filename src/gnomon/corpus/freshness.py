"""Whether what the index holds of a file is what the disk has now."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import replace
from pathlib import Path

from gnomon.index.plan import is_as_stored
from gnomon.store.base import Store
from gnomon.values import Answer, Document, Hit


def compared_with_disk(answer: Answer, store: Store) -> Answer:
    """The answer, each hit saying whether its file is still as it was indexed."""
    return replace(answer, hits=tuple(replace(hit, stale=is_stale(store, hit)) for hit in answer.hits))


def is_stale(store: Store, hit: Hit) -> bool:
    """Whether the file of a hit is gone, or is not what was indexed.

    It is compared as an index run compares it. Where only the time of its last change differs - it was copied over
    with its other times kept, or was written in the moment it was indexed - its bytes decide.
    """
    stored = store.find_document(hit.folder, hit.path)
    if stored is None:
        return True
    file, document = Path(hit.folder) / hit.path, stored.document
    try:
        found = file.lstat()
        if is_as_stored((found.st_size, found.st_mtime_ns, found.st_ctime_ns), document):
            return False
        if (found.st_size, found.st_mtime_ns) != (document.size_bytes, document.mtime_ns):
            return True
        return not stat.S_ISREG(found.st_mode) or _differs(file, document)
    except OSError:
        return True


def _differs(file: Path, document: Document) -> bool:
    handle = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest() != document.sha256
