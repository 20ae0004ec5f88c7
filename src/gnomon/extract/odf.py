"""OpenDocument text, presentations and drawings (ODT, ODP, ODG), and the flat XML forms, also of workbooks (FODS)."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from gnomon.errors import DocumentError
from gnomon.extract.base import Limits
from gnomon.extract.composing import Composer, one_line, squeeze
from gnomon.extract.container import Container, attribute, child, children, local, parse_xml
from gnomon.extract.languages import language_of
from gnomon.extract.tables import table_lines, write_sheet
from gnomon.values import Extracted, SkipReason

_INLINE = {"tab": "\t", "line-break": "\n"}
# Deleted text is kept under tracked-changes; the phonetic guide over East Asian words repeats them.
_UNSEEN = frozenset({"tracked-changes", "ruby-text", "sequence-decls", "forms", "variable-decls", "user-field-decls"})
_APART = frozenset({"note", "annotation", "frame", "custom-shape"})
_ROW_GROUPS = frozenset({"table-header-rows", "table-rows", "table-row-group"})
_MOST_SPACES = 100
_MOST_REPEATS = 50
_ANCHOR_CHARS = 500


def read(content: bytes, *, path: str, limits: Limits) -> Extracted:
    """The text of an OpenDocument file. See ``base.Format``."""
    language = language_of(path) or "odt"
    if content.lstrip()[:5] == b"<?xml" or content.lstrip()[:8] == b"<office:":
        root: ET.Element | None = parse_xml(content, limits)
        title = _title(root)
    else:
        parts = Container(content, limits)
        if b"manifest:encryption-data" in parts.read("META-INF/manifest.xml"):
            raise DocumentError(SkipReason.ENCRYPTED, "protected with a password")
        root = parts.xml("content.xml")
        title = _title(parts.xml("meta.xml"))
    body = next((e for e in root.iter() if local(e) == "body"), None) if root is not None else None
    if body is None:
        raise DocumentError(SkipReason.DAMAGED, "no document body")
    composer = Composer(limits)
    _Writer(composer).write(body)
    return composer.document("data" if language == "ods" else "prose", language, title)


def _title(root: ET.Element | None) -> str:
    return next((e.text or "" for e in root.iter() if local(e) == "title"), "") if root is not None else ""


def _collect(element: ET.Element, pieces: list[str], apart: list[ET.Element]) -> None:
    """Text of a paragraph in order; notes, comments and shapes are put aside."""
    pieces.append(element.text or "")
    for inner in element:
        name = local(inner)
        if name == "s":
            count = attribute(inner, "c", "1")
            pieces.append(" " * min(int(count) if count.isdigit() else 1, _MOST_SPACES))
        elif name in _INLINE:
            pieces.append(_INLINE[name])
        elif name in _APART:
            apart.append(inner)
        elif name not in _UNSEEN:
            _collect(inner, pieces, apart)
        pieces.append(inner.tail or "")


def _plain(element: ET.Element) -> str:
    """All text below an element on one line."""
    pieces: list[str] = []
    for paragraph in (e for e in element.iter() if local(e) in {"p", "h"}):
        _collect(paragraph, pieces, [])
        pieces.append(" ")
    return one_line("".join(pieces))


class _Writer:
    """Writes blocks in document order into a composer."""

    def __init__(self, composer: Composer) -> None:
        self._composer = composer
        self._page = 1
        self._slide = 0
        self._paragraph = 0
        self._has_pages = False
        self._anchored_at = -_ANCHOR_CHARS
        self._in_list = False

    def write(self, body: ET.Element) -> None:
        self._has_pages = any(local(e) == "soft-page-break" for e in body.iter())
        sheets = child(body, "spreadsheet")
        if sheets is None:
            self._blocks(body, bullet=False)
            return
        for table in children(sheets, "table"):
            write_sheet(self._composer, attribute(table, "name"), list(_numbered(table)))

    def _blocks(self, parent: ET.Element, *, bullet: bool) -> None:
        for element in parent:
            name = local(element)
            if name in {"p", "h"}:
                self._write_paragraph(element, bullet=bullet)
            elif name == "table":
                self._write_table(element)
            elif name == "soft-page-break":
                self._page += 1
            elif name in {"list-item", "list-header"}:
                self._blocks(element, bullet=True)
            elif name == "page":
                self._write_slide(element)
            elif name == "notes":
                notes = _plain(element)
                self._composer.block(f"Notes: {notes}" if notes else "")
            elif name not in _UNSEEN:
                self._blocks(element, bullet=bullet)

    def _write_slide(self, page: ET.Element) -> None:
        self._slide += 1
        self._composer.anchor(f"slide {self._slide}")
        titles = [frame for frame in page if attribute(frame, "class") == "title"]
        title = _plain(titles[0]) if titles else ""
        self._composer.heading(title or f"Slide {self._slide}")
        rest = ET.Element("page")
        rest.extend(frame for frame in page if frame not in titles[:1])
        self._blocks(rest, bullet=False)

    def _place(self) -> None:
        self._paragraph += 1
        if self._slide:
            return
        if self._has_pages:
            self._composer.anchor(f"page {self._page}")
        elif self._composer.size - self._anchored_at >= _ANCHOR_CHARS:
            self._anchored_at = self._composer.size
            self._composer.anchor(f"paragraph {self._paragraph}")

    def _write_paragraph(self, paragraph: ET.Element, *, bullet: bool) -> None:
        pieces: list[str] = []
        apart: list[ET.Element] = []
        _collect(paragraph, pieces, apart)
        text = squeeze("".join(pieces))
        if text:
            self._place()
        if text and local(paragraph) == "h":
            level = attribute(paragraph, "outline-level", "1")
            self._composer.heading(text, int(level) if level.isdigit() else 1)
        elif text:
            self._composer.block(f"- {text}" if bullet else text, gap="\n" if bullet and self._in_list else "\n\n")
        self._in_list = bullet
        self._page += sum(1 for e in paragraph.iter() if local(e) == "soft-page-break")
        for element in apart:
            self._write_apart(element)

    def _write_apart(self, element: ET.Element) -> None:
        if local(element) == "annotation":
            creator = child(element, "creator")
            author = one_line(creator.text or "") if creator is not None else ""
            if text := _plain(element):
                self._composer.block(f"[comment by {author}: {text}]" if author else f"[comment: {text}]")
        elif local(element) == "note":
            mark = child(element, "note-citation")
            body = child(element, "note-body")
            if body is not None and (text := _plain(body)):
                self._composer.block(f"[^{one_line(mark.text or '') if mark is not None else ''}]: {text}")
        else:
            self._blocks(element, bullet=False)

    def _write_table(self, table: ET.Element) -> None:
        rows, header_rows = _rows(table)
        gap = "\n\n"
        self._in_list = False
        has_header = (True if header_rows else None) if len(rows) > 1 else False
        for line in table_lines(rows, has_header=has_header):
            self._place()
            self._composer.block(line, gap=gap)
            gap = "\n"


def _rows(table: ET.Element) -> tuple[list[list[str]], int]:
    """Cells of a table as text, and how many of the first rows are headers."""
    rows: list[list[str]] = []
    headers = 0
    for element in table:
        if local(element) == "table-row":
            rows.append(_cells(element))
        elif local(element) in _ROW_GROUPS:
            inner, _ = _rows(element)
            headers += len(inner) if local(element) == "table-header-rows" else 0
            rows += inner
    return rows, headers


def _numbered(table: ET.Element) -> Iterator[tuple[int, list[str]]]:
    """Rows of a sheet that are not empty, with their numbers; repeated ones come once."""
    number = 1
    for row in _sheet_rows(table):
        if any(cells := _cells(row)):
            yield number, cells
        repeats = attribute(row, "number-rows-repeated", "1")
        number += int(repeats) if repeats.isdigit() else 1


def _sheet_rows(table: ET.Element) -> Iterator[ET.Element]:
    for element in table:
        if local(element) == "table-row":
            yield element
        elif local(element) in _ROW_GROUPS:
            yield from _sheet_rows(element)


def _cells(row: ET.Element) -> list[str]:
    cells: list[str] = []
    for cell in row:
        if local(cell) in {"table-cell", "covered-table-cell"}:
            repeats = attribute(cell, "number-columns-repeated", "1")
            text = _plain(cell)
            cells += [text] * min(int(repeats) if repeats.isdigit() else 1, _MOST_REPEATS)
    return cells
