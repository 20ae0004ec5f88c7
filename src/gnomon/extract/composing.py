"""Builds the text of a parsed document: blocks apart by blank lines, and anchors back into the original."""

from __future__ import annotations

import re

from gnomon.errors import DocumentError
from gnomon.extract.base import Limits
from gnomon.values import PARTLY, Anchor, Extracted, Kind, SkipReason

# What XML and PDF hold besides text: controls (tab and line feed stay), lone surrogates, the BOM, non-characters.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x0d\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_INLINE_SPACE = re.compile(r"[^\S\n]+")


def clean(text: str) -> str:
    r"""Text without control characters, each line end as "\n"."""
    return _UNPRINTABLE.sub("", _LINE_ENDS.sub("\n", text))


def one_line(text: str) -> str:
    """Text with every run of white space as one space."""
    return " ".join(clean(text).split())


class Composer:
    """Collects a document's text in reading order.

    What goes beyond ``limits.text_chars`` is left out with a warning: a part of a huge document beats none of it.
    """

    def __init__(self, limits: Limits) -> None:
        self._most_chars = limits.text_chars
        self._pieces: list[str] = []
        self._size = 0
        self._anchors: list[Anchor] = []
        self._pending = ""
        self.warnings: list[str] = []
        self.full = False

    @property
    def is_empty(self) -> bool:
        """Whether no block has been added."""
        return not self._pieces

    @property
    def size(self) -> int:
        """Characters so far."""
        return self._size

    def anchor(self, label: str) -> None:
        """What is added next stands at this place of the original."""
        self._pending = one_line(label)

    def heading(self, text: str, level: int = 1) -> None:
        """A heading as Markdown has it, on a line of its own."""
        if title := one_line(text):
            self.block(f"{'#' * min(max(level, 1), 6)} {title}")

    def block(self, text: str, *, gap: str = "\n\n") -> None:
        """A paragraph; blank ones are left out.

        Args:
            text: May hold line ends of its own.
            gap: What parts it from the block before: a blank line, or a line end within lists and tables.
        """
        body = clean(text).strip("\n").rstrip()
        if self.full or not body.strip():
            return
        gap = gap if self._pieces else ""
        if self._size + len(gap) + len(body) > self._most_chars:
            self.full = True
            self.missing(f"only the first {self._size} characters; the limit is {self._most_chars}.")
            return
        if self._pending and not (self._anchors and self._anchors[-1].label == self._pending):
            self._anchors.append(Anchor(self._size + len(gap), self._pending))
        self._pending = ""
        self._pieces += (gap, body)
        self._size += len(gap) + len(body)

    def missing(self, what: str) -> None:
        """Say what of the document is not in its text, as the rest of a sentence."""
        self.warnings.append(PARTLY + what)

    def document(self, kind: Kind, language: str, title: str = "") -> Extracted:
        """What was collected.

        Raises:
            DocumentError: Nothing was (``EMPTY``).
        """
        if self.is_empty:
            raise DocumentError(SkipReason.EMPTY, "; ".join(w.removeprefix(PARTLY) for w in self.warnings))
        return Extracted(
            text="".join(self._pieces) + "\n",
            kind=kind,
            language=language,
            title=one_line(title)[:300],
            anchors=tuple(self._anchors),
            warnings=tuple(self.warnings),
        )


def squeeze(text: str) -> str:
    """A paragraph with runs of blanks as one; its line ends stay."""
    return _INLINE_SPACE.sub(" ", text).strip()
