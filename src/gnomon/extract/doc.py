"""Word documents before 2007 (DOC): the text, by its piece table, out of the compound file."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from gnomon.errors import DocumentError
from gnomon.extract.base import Limits
from gnomon.extract.composing import Composer, squeeze
from gnomon.extract.compound import Compound
from gnomon.extract.tables import table_lines
from gnomon.values import Extracted, SkipReason

# Offsets in the file information block ([MS-DOC] 2.5).
_FLAGS, _ENCRYPTED, _TABLE_1 = 0x0A, 0x0100, 0x0200
_PIECES = 0x01A2
_COMPRESSED = 0x40000000
_FIELD_CODE = re.compile("\x13[^\x13\x14\x15]*(?:\x14|(?=\x15))")
_ROW = re.compile("[^\r\x0c]*?\x07\x07")


def read(content: bytes, *, path: str, limits: Limits) -> Extracted:
    """The text of an old Word document. See ``base.Format``."""
    if content.startswith(b"PK"):
        from gnomon.extract import docx

        return docx.read(content, path=path, limits=limits)
    try:
        text = _text(Compound(content))
    except (struct.error, IndexError, UnicodeError) as e:
        raise DocumentError(SkipReason.DAMAGED, "the compound file is broken") from e
    composer = Composer(limits)
    page = 1
    for part in re.split("(\x0c)", _visible(text)):
        page += part == "\x0c"
        composer.anchor(f"page {page}")
        _write(composer, part)
    return composer.document("prose", "doc")


def _text(compound: Compound) -> str:
    """The characters of the main text and what follows it: notes, headers, comments."""
    main = compound.stream("WordDocument")
    if len(main) < _PIECES + 8:
        raise DocumentError(SkipReason.DAMAGED, "not a Word document")
    (flags,) = struct.unpack_from("<H", main, _FLAGS)
    if flags & _ENCRYPTED:
        raise DocumentError(SkipReason.ENCRYPTED, "protected with a password")
    table = compound.stream("1Table" if flags & _TABLE_1 else "0Table")
    start, size = struct.unpack_from("<II", main, _PIECES)
    return "".join(_pieces(main, table[start : start + size]))


def _pieces(main: bytes, clx: bytes) -> Iterator[str]:
    at = 0
    while at < len(clx) and clx[at] == 1:  # settings, each with its length
        at += 3 + struct.unpack_from("<H", clx, at + 1)[0]
    if at >= len(clx) or clx[at] != 2:
        raise DocumentError(SkipReason.DAMAGED, "a Word document without a piece table")
    (size,) = struct.unpack_from("<I", clx, at + 1)
    plc = clx[at + 5 : at + 5 + size]
    count = (len(plc) - 4) // 12
    positions = struct.unpack_from(f"<{count + 1}I", plc)
    left = 2 * len(main)
    for i in range(count):
        (offset,) = struct.unpack_from("<I", plc, 4 * (count + 1) + 8 * i + 2)
        chars = max(0, positions[i + 1] - positions[i])
        left -= chars
        if left < 0:
            raise DocumentError(SkipReason.DAMAGED, "pieces that overlap")
        if offset & _COMPRESSED:
            place = (offset & ~_COMPRESSED) // 2
            yield main[place : place + chars].decode("cp1252", "replace")
        else:
            yield main[offset : offset + 2 * chars].decode("utf-16-le", "replace")


def _visible(text: str) -> str:
    """Text without the codes of fields; only what they show."""
    for _ in range(20):  # fields stand inside fields
        text, changed = _FIELD_CODE.subn("", text)
        if not changed:
            break
    return text.translate({0x1E: "-", 0x1F: None, 0x13: None, 0x14: None, 0x15: None, 0x0B: "\n", 0xA0: " "})


def _write(composer: Composer, text: str) -> None:
    at = 0
    rows: list[list[str]] = []
    while at < len(text):
        end = text.find("\r", at)
        end = len(text) if end < 0 else end
        row = _ROW.match(text, at)
        if row:
            rows.append([squeeze(cell) for cell in row[0].split("\x07")[:-2]])
            at = row.end()
            continue
        _write_rows(composer, rows)
        rows = []
        composer.block(squeeze(text[at:end].replace("\x07", " | ")))
        at = end + 1
    _write_rows(composer, rows)


def _write_rows(composer: Composer, rows: list[list[str]]) -> None:
    gap = "\n\n"
    for line in table_lines(rows, has_header=None if len(rows) > 1 else False):
        composer.block(line, gap=gap)
        gap = "\n"
