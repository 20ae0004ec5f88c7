"""PDF: the text of each page by PDFium, with page anchors, headings by size, comments and filled-in fields."""

from __future__ import annotations

import ctypes
import re
import time
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from gnomon.errors import DocumentError
from gnomon.extract.base import Limits
from gnomon.extract.composing import Composer, one_line
from gnomon.extract.pdf_layout import (
    SOFT_HYPHEN,
    Box,
    HeadingSizes,
    Line,
    in_reading_order,
    paragraphs,
    running_heads,
    split_lines,
    without_hyphens,
)
from gnomon.extract.pdf_password import without_password
from gnomon.figures import number
from gnomon.values import Extracted, SkipReason

_NO_TITLE = re.compile(
    r"untitled|microsoft (?:word|powerpoint) - .*|.*\.(?:docx?|pptx?|pdf|indd|dvi|tex|qxd)", re.IGNORECASE
)
# Share of the time after which the pages read so far must do.
_TIME_SHARE = 0.7
_MOST_ANNOTATIONS = 500
_ANNOTATION_CHARS = 4096


def read(content: bytes, *, path: str, limits: Limits) -> Extracted:
    """The text of a PDF. See ``base.Format``."""
    del path
    deadline = time.monotonic() + _TIME_SHARE * limits.seconds
    pdf = _opened(content)
    try:
        return _Reading(pdf, limits, deadline).document()
    finally:
        pdf.close()


def _opened(content: bytes) -> Any:
    pypdfium2 = import_module("pypdfium2")
    try:
        return pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as e:
        if "password" not in str(e).lower():
            raise DocumentError(SkipReason.DAMAGED, str(e)) from e
    opened = without_password(content)
    try:
        if opened is not None:
            return pypdfium2.PdfDocument(opened)
    except pypdfium2.PdfiumError as e:
        raise DocumentError(SkipReason.ENCRYPTED, str(e)) from e
    raise DocumentError(SkipReason.ENCRYPTED, "protected with a password")


class _Reading:
    """One document being read."""

    def __init__(self, pdf: Any, limits: Limits, deadline: float) -> None:
        self._pdf = pdf
        self._composer = Composer(limits)
        self._limits = limits
        self._deadline = deadline

    def document(self) -> Extracted:
        count = len(self._pdf)
        if not count:
            raise DocumentError(SkipReason.EMPTY, "no pages")
        pages, notes, silent = self._pages(count)
        if len(silent) == count:
            raise DocumentError(
                SkipReason.NO_TEXT_LAYER, f"none of {number(count, 'page')} has text" if count > 1 else ""
            )
        sizes = HeadingSizes(pages)
        grouped = [[(group, sizes.level(group)) for group in paragraphs(lines)] for lines in pages]
        repeated = running_heads([_heading(group) for page in grouped for group, level in page[:2] if level])
        for at, (groups, page_notes) in enumerate(zip(grouped, notes, strict=True), start=1):
            self._composer.anchor(f"page {at}")
            for group, level in groups:
                self._write(group, level if _heading(group) not in repeated else 0)
            for note in page_notes:
                self._composer.block(note)
        if silent:
            have = "have" if len(silent) > 1 else "has"
            self._composer.missing(f"{len(silent)} of {number(count, 'page')} {have} no text.")
        return self._composer.document("prose", "pdf", self._title())

    def _write(self, group: list[Line], level: int) -> None:
        if level:
            self._composer.heading(_heading(group), level)
        else:
            self._composer.block("\n".join(without_hyphens(group)))

    def _pages(self, count: int) -> tuple[list[list[Line]], list[list[str]], list[int]]:
        """Lines and notes by page, and the numbers of pages without text."""
        pypdfium2 = import_module("pypdfium2")

        pages: list[list[Line]] = []
        notes: list[list[str]] = []
        silent: list[int] = []
        size = 0
        for index in range(count):
            if time.monotonic() > self._deadline or size > self._limits.text_chars:
                self._composer.missing(f"only the first {index} of {number(count, 'page')}.")
                break
            try:
                lines, found = _page(self._pdf[index])
            except pypdfium2.PdfiumError:
                self._composer.missing(f"page {index + 1} is damaged.")
                lines, found = [], []
            if not lines and not found:
                silent.append(index + 1)
            size += sum(len(line.text) for line in lines)
            pages.append(lines)
            notes.append(found)
        return pages, notes, silent

    def _title(self) -> str:
        title = one_line(self._pdf.get_metadata_dict().get("Title", ""))
        return "" if _NO_TITLE.fullmatch(title) else title


def _heading(group: list[Line]) -> str:
    return " ".join(without_hyphens(group))


def _page(page: Any) -> tuple[list[Line], list[str]]:
    try:
        text_page = page.get_textpage()
        try:
            lines = _lines(text_page)
        finally:
            text_page.close()
        return lines, list(_annotations(page))
    finally:
        page.close()


def _lines(text_page: Any) -> list[Line]:
    pdfium = import_module("pypdfium2.raw")

    text = text_page.get_text_range()
    # Older versions of PDFium mark a soft hyphen by U+0002 and a line end.
    marked = text.replace("\x02\r\n", SOFT_HYPHEN).replace("\x02", SOFT_HYPHEN)
    if text_page.count_chars() != len(marked):
        return [Line(line, Box(0, -12.0 * i, 1, -12.0 * i + 10)) for i, line in enumerate(marked.splitlines())]
    place = pdfium.FS_RECTF()

    def box_at(index: int) -> Box:
        pdfium.FPDFText_GetLooseCharBox(text_page.raw, index, place)
        return Box(place.left, place.bottom, place.right, place.top)

    return in_reading_order(split_lines(marked, box_at))


def _annotations(page: Any) -> Iterator[str]:
    """What readers wrote on the page: comments, text boxes, values of form fields."""
    pdfium = import_module("pypdfium2.raw")

    seen = set()
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page.raw), _MOST_ANNOTATIONS)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, index)
        if not annotation:
            continue
        subtype = pdfium.FPDFAnnot_GetSubtype(annotation)
        if subtype == pdfium.FPDF_ANNOT_WIDGET:
            name, value = _string(annotation, b"T"), _string(annotation, b"V")
            text = f"{name}: {value}" if name and value else value
        elif subtype in {pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP}:
            text = ""
        else:
            contents = _string(annotation, b"Contents")
            text = f"[comment: {contents}]" if contents else ""
        pdfium.FPDFPage_CloseAnnot(annotation)
        if text and text not in seen:
            seen.add(text)
            yield text


def _string(annotation: Any, key: bytes) -> str:
    pdfium = import_module("pypdfium2.raw")

    buffer = (ctypes.c_ushort * _ANNOTATION_CHARS)()
    size = pdfium.FPDFAnnot_GetStringValue(annotation, key, buffer, ctypes.sizeof(buffer))
    if not 2 < size <= ctypes.sizeof(buffer):
        return ""
    return one_line(bytes(buffer)[: size - 2].decode("utf-16-le", "replace"))
