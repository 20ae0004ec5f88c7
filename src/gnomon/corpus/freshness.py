"""Whether what the index holds of a file is what the disk has now."""

from __future__ import annotations

from pathlib import Path

from gnomon.store.base import Store
from gnomon.values import Hit


def is_stale(store: Store, hit: Hit) -> bool:
    """Whether the file of a hit is gone, or differs in size or time from what was indexed."""
    stored = store.find_document(hit.folder, hit.path)
    if stored is None:
        return True
    try:
        stat = (Path(hit.folder) / hit.path).lstat()
    except OSError:
        return True
    return (stat.st_size, stat.st_mtime_ns) != (stored.document.size_bytes, stored.document.mtime_ns)
