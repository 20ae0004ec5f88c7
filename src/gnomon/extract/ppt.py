"""Presentations before 2007 (PPT): texts slide by slide, and speaker notes."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from gnomon.errors import DocumentError
from gnomon.extract.base import Limits
from gnomon.extract.composing import Composer, clean, one_line
from gnomon.extract.compound import Compound
from gnomon.values import Extracted, SkipReason

# Record types ([MS-PPT] 2.13.24).
_SLIDE, _NOTES, _MASTER, _SLIDE_LIST, _SLIDE_PLACE = 0x03EE, 0x03F0, 0x03F8, 0x0FF0, 0x03F3
_UTF16_TEXT, _LATIN_TEXT = 0x0FA0, 0x0FA8
_ENCRYPTED_USER = b"\xdf\xc4\xd1\xf3"
_MOST_DEPTH = 100


def read(content: bytes, *, path: str, limits: Limits) -> Extracted:
    """The text of an old presentation. See ``base.Format``."""
    if content.startswith(b"PK"):
        from gnomon.extract import pptx

        return pptx.read(content, path=path, limits=limits)
    compound = Compound(content)
    if compound.stream("Current User")[12:16] == _ENCRYPTED_USER:
        raise DocumentError(SkipReason.ENCRYPTED, "protected with a password")
    data = compound.stream("PowerPoint Document")
    if not data:
        raise DocumentError(SkipReason.DAMAGED, "not a presentation")
    reader = _Reader()
    reader.read(data)
    composer = Composer(limits)
    for number, texts in enumerate(reader.slides(), start=1):
        composer.anchor(f"slide {number}")
        first = one_line(texts[0]) if texts else ""
        is_title = 0 < len(first) <= 120
        composer.heading(first if is_title else f"Slide {number}")
        for text in texts[1:] if is_title else texts:
            composer.block(text)
    for text in dict.fromkeys(reader.notes):
        composer.anchor("speaker notes")
        composer.block(f"Notes: {text}")
    return composer.document("prose", "ppt")


class _Reader:
    """Texts of a stream of records. Placeholders have theirs in a list, other shapes have theirs in the slide."""

    def __init__(self) -> None:
        self._listed: list[list[str]] = []
        self._drawn: list[list[str]] = []
        self.notes: list[str] = []

    def slides(self) -> Iterator[list[str]]:
        """Texts by slide, each once: a saved change leaves the former state in the file."""
        for number in range(max(len(self._listed), len(self._drawn))):
            listed = self._listed[number] if number < len(self._listed) else []
            drawn = self._drawn[number] if number < len(self._drawn) else []
            yield list(dict.fromkeys(listed + drawn))

    def read(self, data: bytes) -> None:
        waiting: list[tuple[int, int, int]] = [(0, len(data), 0)]
        while waiting:
            at, end, place = waiting.pop()
            if at + 8 > end or len(waiting) > _MOST_DEPTH:
                continue
            version, kind, size = struct.unpack_from("<HHI", data, at)
            inner_end = min(at + 8 + size, end)
            waiting.append((inner_end, end, place))
            if kind == _MASTER or (kind == _SLIDE_LIST and version >> 4):
                continue  # prompts of the master, lists of masters and notes
            if version & 0xF == 0xF:
                if kind == _SLIDE:
                    self._drawn.append([])
                waiting.append((at + 8, inner_end, kind if kind in {_SLIDE, _NOTES, _SLIDE_LIST} else place))
            else:
                self._atom(kind, data[at + 8 : inner_end], place)

    def _atom(self, kind: int, body: bytes, place: int) -> None:
        if kind == _SLIDE_PLACE and place == _SLIDE_LIST:
            self._listed.append([])
        if kind not in {_UTF16_TEXT, _LATIN_TEXT}:
            return
        text = clean(body.decode("utf-16-le" if kind == _UTF16_TEXT else "latin-1", "replace")).strip()
        texts = {_SLIDE_LIST: self._listed, _SLIDE: self._drawn}.get(place)
        if text.strip("*") and texts:
            texts[-1].append(text)
        elif text.strip("*") and place == _NOTES:
            self.notes.append(text)
