"""The running text of a Word document: what a reader sees, in the order it stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

from gnomon.extract.composing import Composer, squeeze
from gnomon.extract.container import attribute, child, local
from gnomon.extract.tables import table_lines

# Deleted text, the old place of moved text, field codes, the phonetic guide over East Asian words.
_UNSEEN = frozenset(
    {"del", "moveFrom", "delText", "instrText", "delInstrText", "rt", "rPr", "pPr", "tblPr", "sectPr", "tcPr"}
)
# The text of a shape is a block of its own, not part of the line it hangs on.
_APART = frozenset({"txbxContent", "footnote", "endnote"})
_INLINE = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "softHyphen": "", "ptab": "\t"}
# Formulas: below a fraction's bar, an exponent, an index.
_FORMULA = {"den": "/", "sup": "^", "sub": "_"}
# Without page marks, a place to go back to about every so many characters.
_PARAGRAPH_ANCHOR_CHARS = 500
_MOST_STYLE_STEPS = 20


@dataclass(frozen=True, slots=True)
class Styles:
    """Paragraph styles that make headings.

    Attributes:
        levels: Style id to heading level from 1; 10 is body text.
        based_on: Style id to the style it inherits from.
    """

    levels: Mapping[str, int]
    based_on: Mapping[str, str]

    def level(self, style: str) -> int:
        """Heading level of a style, 0 for body text."""
        for _ in range(_MOST_STYLE_STEPS):
            if style in self.levels:
                return self.levels[style] if self.levels[style] <= 9 else 0
            style = self.based_on.get(style, "")
        return 0


@dataclass(frozen=True, slots=True)
class Notes:
    """Text that hangs on a place in the running text, by id."""

    footnotes: Mapping[str, str] = field(default_factory=dict)
    endnotes: Mapping[str, str] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)


def plain_text(element: ET.Element) -> str:
    """All visible text below an element, paragraphs parted by line ends."""
    pieces: list[str] = []
    _collect(element, pieces, None)
    return "".join(pieces)


def _collect(element: ET.Element, pieces: list[str], apart: list[ET.Element] | None) -> None:
    """Visible text below an element, in order.

    Args:
        element: Where to begin.
        pieces: Text is added here.
        apart: Shapes with text of their own are added here; None takes their text along in place.
    """
    for inner in element:
        name = local(inner)
        if name == "t":
            pieces.append(inner.text or "")
        elif name in _INLINE:
            pieces.append(_INLINE[name])
        elif name == "sym":
            pieces.append(" ")
        elif name == "AlternateContent":
            _collect(_chosen(inner), pieces, apart)
        elif name in _APART and apart is not None:
            apart.append(inner)
        elif name not in _UNSEEN:
            at = len(pieces)
            _collect(inner, pieces, apart)
            if name in _FORMULA and any(pieces[at:]):
                pieces.insert(at, _FORMULA[name])
            if name in {"p", "tc", "tr"}:
                pieces.append("\n")


def _chosen(alternatives: ET.Element) -> ET.Element:
    """The same content is stored for new and for old programs: the new one, if it has text."""
    choice = child(alternatives, "Choice")
    fallback = child(alternatives, "Fallback")
    if choice is not None and (fallback is None or plain_text(choice).strip()):
        return choice
    return fallback if fallback is not None else ET.Element("none")


class Body:
    """Writes blocks in document order into a composer."""

    def __init__(self, composer: Composer, *, styles: Styles, notes: Notes) -> None:
        self._composer = composer
        self._styles = styles
        self._notes = notes
        self._page = 1
        self._paragraph = 0
        self._anchored_at = -_PARAGRAPH_ANCHOR_CHARS
        self._has_pages = False
        self._in_list = False
        # Relation id to the text of a document imported as a whole.
        self.imports: dict[str, str] = {}

    def write(self, body: ET.Element) -> None:
        """Write all blocks of a body."""
        self._has_pages = any(local(e) == "lastRenderedPageBreak" for e in body.iter())
        self._blocks(body)

    def _blocks(self, parent: ET.Element) -> None:
        for element in parent:
            name = local(element)
            if name == "p":
                self._write_paragraph(element)
            elif name == "tbl":
                self._write_table(element)
            elif name == "altChunk":
                self._place()
                self._composer.block(self.imports.get(attribute(element, "id"), ""))
            elif name == "AlternateContent":
                self._blocks(_chosen(element))
            elif name not in _UNSEEN:
                self._blocks(element)  # content controls, accepted insertions, custom XML

    def _place(self) -> None:
        self._paragraph += 1
        if self._has_pages:
            self._composer.anchor(f"page {self._page}")
        elif self._composer.size - self._anchored_at >= _PARAGRAPH_ANCHOR_CHARS:
            self._anchored_at = self._composer.size
            self._composer.anchor(f"paragraph {self._paragraph}")

    def _write_paragraph(self, paragraph: ET.Element) -> None:
        pieces: list[str] = []
        apart: list[ET.Element] = []
        _collect(paragraph, pieces, apart)
        text = squeeze("".join(pieces))
        marks = list(paragraph.iter())
        if text:
            self._place()
            self._write_text(paragraph, text + _note_marks(marks))
        # The break lies somewhere inside; what comes after the paragraph is surely beyond it.
        self._page += sum(1 for mark in marks if local(mark) == "lastRenderedPageBreak")
        for shape in apart:
            self._blocks(shape)
        self._write_notes(marks)

    def _write_text(self, paragraph: ET.Element, text: str) -> None:
        level = self._level(paragraph)
        in_list = child(paragraph, "pPr", "numPr") is not None and not level
        if level:
            self._composer.heading(text, level)
        elif in_list:
            self._composer.block(f"- {text}", gap="\n" if self._in_list else "\n\n")
        else:
            self._composer.block(text)
        self._in_list = in_list

    def _level(self, paragraph: ET.Element) -> int:
        outline = child(paragraph, "pPr", "outlineLvl")
        if outline is not None and (value := attribute(outline, "val", "9")) in "012345678" and value:
            return int(value) + 1
        style = child(paragraph, "pPr", "pStyle")
        return self._styles.level(attribute(style, "val")) if style is not None else 0

    def _write_notes(self, marks: Iterable[ET.Element]) -> None:
        for mark in marks:
            name, id_ = local(mark), attribute(mark, "id")
            if name == "footnoteReference" and id_ in self._notes.footnotes:
                self._composer.block(f"[^{id_}]: {self._notes.footnotes[id_]}")
            elif name == "endnoteReference" and id_ in self._notes.endnotes:
                self._composer.block(f"[^e{id_}]: {self._notes.endnotes[id_]}")
            elif name == "commentReference" and id_ in self._notes.comments:
                self._composer.block(self._notes.comments[id_])

    def _write_table(self, table: ET.Element) -> None:
        rows = _descend(table, "tr")
        cells = [[" ".join(plain_text(cell).split()) for cell in _descend(row, "tc")] for row in rows]
        marked = any(child(row, "trPr", "tblHeader") is not None for row in rows[:1])
        header = True if marked and len(rows) > 1 else None if len(rows) > 1 else False
        gap = "\n\n"
        self._in_list = False
        for line in table_lines(cells, has_header=header):
            self._place()
            self._composer.block(line, gap=gap)
            gap = "\n"
        marks = list(table.iter())
        self._page += sum(1 for mark in marks if local(mark) == "lastRenderedPageBreak")
        self._write_notes(marks)


def _note_marks(marks: Iterable[ET.Element]) -> str:
    """The reference marks of a paragraph; at its end, for they have no letter of their own."""
    kinds = {"footnoteReference": "", "endnoteReference": "e"}
    return "".join(f"[^{kinds[local(mark)]}{attribute(mark, 'id')}]" for mark in marks if local(mark) in kinds)


def _descend(parent: ET.Element, name: str) -> list[ET.Element]:
    """Rows or cells, also inside content controls and accepted insertions, but not those of inner tables."""
    found = []
    for element in parent:
        if local(element) == name:
            if child(element, "trPr", "del") is None:
                found.append(element)
        elif local(element) in {"sdt", "sdtContent", "ins", "moveTo", "customXml"}:
            found += _descend(element, name)
    return found
