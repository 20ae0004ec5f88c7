"""How far an answer may be behind the disk, for a command: nobody has told it of changes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gnomon.corpus.freshness import has_other_bytes
from gnomon.figures import things
from gnomon.index.plan import is_as_stored
from gnomon.values import size_and_times

if TYPE_CHECKING:
    from gnomon.corpus import Corpus
    from gnomon.store.base import ManifestRow

# Above it nobody looks: 5 microseconds a file, of the time that one answer has (docs/decisions/0026).
_MOST_FILES: Final = 10_000
# What is read at most of files whose times alone differ: a branch that is left and taken again touches many.
_MOST_READ_BYTES: Final = 8_000_000
# What could be read while one file is opened.
_OPENING_BYTES: Final = 64_000


def tell_changes(corpus: Corpus) -> str:
    """How many indexed files are no longer what was indexed, in a sentence; "" where none is known to be.

    New files are not looked for: that takes a discovery.

    Raises:
        StoreError: Nothing is indexed yet, or the index cannot be read.
    """
    from gnomon.index.activity import what_mends_gaps

    if corpus.store().status().documents > _MOST_FILES:
        return ""
    changed = 0
    touched: list[tuple[Path, ManifestRow]] = []
    for file, row in _indexed(corpus):
        try:
            found = os.lstat(file)
        except OSError:
            changed += 1
            continue
        if found.st_size != row.size_bytes:
            changed += 1
        elif not is_as_stored(size_and_times(found), row):
            touched.append((Path(file), row))
    read = _affordable(touched)
    changed += sum(_is_other(file, row) for file, row in read)
    if not changed:
        return ""
    count = f"{'' if len(read) == len(touched) else 'at least '}{changed:,} {things(changed, 'indexed file')}"
    return f"{count} changed since; {what_mends_gaps(corpus.config.index_dir)}"


def _indexed(corpus: Corpus) -> Iterator[tuple[str, ManifestRow]]:
    for folder in corpus.folders:
        root = str(folder.root)
        rows = corpus.store().manifest(root)
        yield from ((f"{root}/{path}", row) for path, row in rows.items() if row.skip is None)


def _affordable(touched: list[tuple[Path, ManifestRow]]) -> list[tuple[Path, ManifestRow]]:
    left, read = _MOST_READ_BYTES, []
    for file, row in touched:
        left -= row.size_bytes + _OPENING_BYTES
        if left < 0:
            break
        read.append((file, row))
    return read


def _is_other(file: Path, row: ManifestRow) -> bool:
    try:
        return has_other_bytes(file, row.sha256)
    except OSError:
        return True
