"""What a failure of LanceDB is called, with the place and what to do next; it reports all in a text (0.40)."""

from __future__ import annotations

import re

from gnomon.errors import BusyError, DamagedError, StoreError
from gnomon.store.damage import damaged

# What disks say, and servers of buckets: 507 (MinIO, WebDAV gateways), quotas of Ceph, MinIO and others.
_FULL = (
    *("No space left", "Disk quota exceeded", "File too large"),
    *("507 Insufficient Storage", "StorageFull", "QuotaExceeded", "InsufficientStorage", "StorageQuota"),
)
_RIGHTS = ("ermission denied", "Read-only file system", "AccessDenied", "401 Unauthorized", "403 Forbidden")
# What LanceDB says after its own tries at a commit that others were faster than.
CROWDED = "Too many concurrent writers"
# Where in LanceDB's own source something was noticed.
_SOURCE = re.compile(r",? ?/\S+\.rs:\d+:\d+")
# What each layer of it says before the answer of a server.
_LAYERS = re.compile(r"^.* - (?=Server returned|HTTP error)")
_MOST_CHARS = 300


def named(place: str, error: Exception, *, in_bucket: bool) -> StoreError:
    """The error of the store for one of the library; ``DamagedError`` only where the files themselves are at fault."""
    text = " ".join(str(error).split())
    told = _told(text)
    if CROWDED in text:
        return BusyError(f"too many processes are writing to {place} at once; try again")
    if any(each in text for each in _FULL):
        if not in_bucket:
            return StoreError(
                f"no space left for {place}; what was stored before is whole: free space, then run: gnomon index"
            )
        return StoreError(
            f"the bucket has no room for {place} ({told}); what was stored before is whole: free space or raise its"
            " quota, then run: gnomon index"
        )
    if any(each in text for each in _RIGHTS):
        return StoreError(f"{place} cannot be written or read ({told}); check its rights")
    if in_bucket and "NoSuchBucket" in text:
        return StoreError(f"the bucket of {place} does not exist; make it first")
    if in_bucket:
        return StoreError(f"{place} cannot be read or written ({told}); check address, keys and network")
    if "Input/output error" in text:
        return StoreError(f"{place} cannot be read or written ({told}); check the disk")
    return DamagedError(damaged(place, told))


def _told(text: str) -> str:
    return _LAYERS.sub("", _SOURCE.sub("", text))[:_MOST_CHARS]
