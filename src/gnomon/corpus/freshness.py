"""Whether what the index holds of a file is what the disk has now."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from gnomon.index.plan import is_as_stored, plan_folder
from gnomon.store.base import ManifestRow, Store
from gnomon.values import Answer, Document, Skip, SourceFile, size_and_times


def compared_with_disk(answer: Answer, store: Store) -> Answer:
    """The answer, each hit saying whether its file is still as it was indexed."""
    stored = store.documents_of({hit.document_id for hit in answer.hits})
    documents = {number: each.document for number, each in stored.items()}
    compared = (replace(hit, stale=True) if _is_stale(documents.get(hit.document_id)) else hit for hit in answer.hits)
    return replace(answer, hits=tuple(compared))


def _is_stale(document: Document | None) -> bool:
    """Whether the file of a document is gone, or is not what was indexed.

    Where only its times differ - it was touched, checked out again, or written in the moment it was indexed - its
    bytes decide.
    """
    if document is None:
        return True
    file = Path(document.folder) / document.path
    try:
        found = file.lstat()
        if is_as_stored(size_and_times(found), document):
            return False
        return found.st_size != document.size_bytes or has_other_bytes(file, document.sha256)
    except OSError:
        return True


def has_other_bytes(file: Path, sha256: str) -> bool:
    """Whether a file does not hold what has this digest; a link or a device never does.

    Raises:
        OSError: It cannot be read.
    """
    if not stat.S_ISREG(file.lstat().st_mode):
        return True
    handle = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest() != sha256


def changed_paths(
    folder: Path, found: Iterable[SourceFile | Skip], manifest: Mapping[str, ManifestRow], *, extractor: str
) -> list[str]:
    """Paths of a folder that differ from the index by their bytes, and those indexed that are gone."""
    plan = plan_folder(found, manifest, extractor=extractor)
    gone = [path for path in plan.gone if manifest[path].skip is None]
    read = (file for file in plan.read if _is_changed(folder, file, manifest.get(file.path), extractor=extractor))
    return [*(file.path for file in read), *gone]


def _is_changed(folder: Path, file: SourceFile, row: ManifestRow | None, *, extractor: str) -> bool:
    """Whether a file that an index run would read is another than the indexed one, by its bytes."""
    if row is None or (row.size_bytes, row.extractor) != (file.size_bytes, extractor):
        return True
    try:
        return has_other_bytes(folder / file.path, row.sha256)
    except OSError:
        return True
