"""One row of a terminal that is written again and again."""

from __future__ import annotations

import os
from typing import Final, TextIO

# Where a row cannot be written again: a line at most this often, and none that says the same.
TELL_SECONDS: Final = 30.0
_NO_END: Final = 10_000


def rewrite(text: str, stream: TextIO) -> None:
    """Put a line in place of the last one; what would wrap is cut, since it would stay on the screen.

    Args:
        text: Without a line end; "" leaves a clean row.
        stream: A terminal that can rewrite.
    """
    width = columns(stream)
    shown = text if len(text) < width else text[: max(width - 2, 0)] + "…"
    stream.write(f"\r\x1b[K{shown}")
    stream.flush()


def columns(stream: TextIO) -> int:
    """Signs in a row of a terminal; as good as no end where it does not say."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or _NO_END
    except (OSError, ValueError, AttributeError):
        return _NO_END
