"""What a format module needs and promises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from gnomon.values import Extracted

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one document may cost before it is skipped.

    Attributes:
        seconds: Wall clock in the worker; the worker is killed at its end.
        memory_bytes: Address space of the worker, where the system can bound it.
        unpacked_bytes: All parts of a zip container together, as read; and each XML part.
        ratio: Unpacked to packed size of a container above 1 MiB; ordinary office files stay below 60.
        text_chars: Extracted text of one document.
        depth: Elements inside each other in XML.
    """

    seconds: float = 30.0
    memory_bytes: int = 1024 * MEBIBYTE
    unpacked_bytes: int = 128 * MEBIBYTE
    ratio: float = 200.0
    text_chars: int = 20_000_000
    depth: int = 512


class Format(Protocol):
    """A module that reads one format; its ``read`` is a pure function of the bytes."""

    def read(self, content: bytes, *, path: str, limits: Limits) -> Extracted:
        """The text of one document.

        Args:
            content: The whole file.
            path: Relative path; only its name is looked at.
            limits: What it may cost.

        Raises:
            DocumentError: It cannot become text; the reason says why.
        """
        ...
