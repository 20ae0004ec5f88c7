"""Reading through one handle, with a limit, and only what is a regular file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_BLOCK_BYTES = 1 << 20
# A named pipe must not hold us, a terminal not become ours, Windows not change line ends.
READ_FLAGS = os.O_RDONLY | sum(getattr(os, f"O_{name}", 0) for name in ("NONBLOCK", "NOCTTY", "CLOEXEC", "BINARY"))
NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def read_capped(handle: int, limit_bytes: int) -> bytes:
    """All there is, but at most one byte more than the limit, so that growth past it shows."""
    blocks = []
    left = limit_bytes + 1
    while left and (block := os.read(handle, min(left, _BLOCK_BYTES))):
        blocks.append(block)
        left -= len(block)
    return b"".join(blocks)


def read_regular(file: Path, limit_bytes: int, *, follow: bool) -> bytes | None:
    """Like ``read_capped`` for a path; None where it is something else than a regular file.

    Raises:
        OSError: It cannot be opened; a link where ``follow`` is false counts as that.
    """
    handle = os.open(file, READ_FLAGS | (0 if follow else NO_LINK))
    try:
        return read_capped(handle, limit_bytes) if stat.S_ISREG(os.fstat(handle).st_mode) else None
    finally:
        os.close(handle)
