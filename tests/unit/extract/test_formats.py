"""Content is believed over a name, and hostile documents cost one refusal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.errors import DocumentError
from gnomon.extract import Limits, extract
from gnomon.extract.formats import reading
from gnomon.values import SkipReason
from tests.unit.extract.conftest import PdfMaker, ZipMaker

_DOCUMENTS = Path(__file__).parents[2] / "data" / "documents"
# Opening the one left out takes a second, which is what its encryption is made for.
_NAMES = sorted(path.name for path in _DOCUMENTS.iterdir() if path.name != "empty-owner-r6.pdf")
_CELL = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
_ROW = f"<table:table-row>{_CELL}{_CELL}</table:table-row>"
_FLAT_WORKBOOK = (
    "<?xml version='1.0'?><office:document xmlns:office='o' xmlns:table='t' xmlns:text='x'><office:body>"
    "<office:spreadsheet><table:table table:name='Costs'>"
    + _ROW.format("Item", "Price")
    + "<table:table-row table:number-rows-repeated='3'><table:table-cell/></table:table-row>"
    + "".join(_ROW.format(f"nail {n}", 5) for n in range(30))
    + "</table:table></office:spreadsheet></office:body></office:document>"
).encode()
_PARAGRAPH = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("a.pdf", b"This is plain text.", "This is plain text."),
        ("a.docx", b"<html><body>page</body></html>", "page\n"),
        ("a.doc", b"{\\rtf1 rich}", "rich\n"),
        ("a.xls", b"<table><tr><td>cell</td></tr></table>", "cell\n"),
    ],
)
def test_text_under_the_name_of_a_document_is_read_as_text(name: str, content: bytes, text: str) -> None:
    """It is searchable, and the document says what it is."""
    document = extract(name, content)
    assert document.text == text
    assert document.warnings[0].startswith("Its name says ")


@pytest.mark.parametrize("name", ["report.pdf", "report.doc", "report.xlsx", "report.epub"])
def test_document_under_another_name_is_read_as_what_it_is(name: str) -> None:
    """A Word file is a Word file."""
    assert "Costs of the numbat enclosure" in extract(name, (_DOCUMENTS / "report.docx").read_bytes()).text


def test_pdf_under_the_name_of_text_is_read_in_the_worker(make_pdf: PdfMaker) -> None:
    """No parser of binary formats runs beside the index."""
    how = reading("a.txt", make_pdf([[(50, 700, 12, "hello")]]))
    assert (how.module, how.isolated) == ("pdf", True)


@pytest.mark.parametrize(
    ("name", "document"),
    [("a.dotm", "report.docx"), ("a.xltm", "costs.xlsx"), ("a.ppsm", "slides.pptx"), ("a.ott", "letter.odt")],
)
def test_template_and_show_endings_are_read(name: str, document: str) -> None:
    """Templates, shows and files with macros are the same containers under other endings."""
    content = (_DOCUMENTS / document).read_bytes()
    assert extract(name, content).text == extract(document, content).text


def test_graph_under_the_ending_of_word_templates_is_code() -> None:
    """Graphviz writes .dot too; nothing about it is odd."""
    document = extract("deps.dot", b"digraph deps {\n  a -> b;\n}\n")
    assert (document.language, document.warnings) == ("graphviz", ())


def test_huge_text_under_the_name_of_a_document_is_refused() -> None:
    """The limit of documents is for bytes that are not text."""
    with pytest.raises(DocumentError) as caught:
        extract("a.pdf", b"words and words\n" * 400_000)
    assert caught.value.reason == SkipReason.TOO_LARGE


def test_flat_workbook_is_read_by_sheet_and_row() -> None:
    """Rows keep the names of their columns; numbers count repeated empty rows too."""
    document = extract("a.fods", _FLAT_WORKBOOK)
    assert document.kind == "data"
    assert document.text.startswith("# Costs\n\nItem | Price\nItem: nail 0 | Price: 5\n")
    assert [anchor.label for anchor in document.anchors] == ["sheet Costs", "sheet Costs, row 25"]


def test_text_that_speaks_of_pdf_is_text() -> None:
    """The signature counts at the start only."""
    assert reading("a.md", b"Every PDF begins with %PDF-1.4").module == "plain"


@pytest.mark.parametrize("name", _NAMES)
def test_cut_off_document_is_read_in_part_or_refused(name: str) -> None:
    """A document that ends anywhere is an answer like any other."""
    content = (_DOCUMENTS / name).read_bytes()
    for end in range(0, len(content), max(1, len(content) // 23)):
        try:
            extract(name, content[:end])
        except DocumentError as e:
            assert e.reason != SkipReason.FAULT  # noqa: PT017 - both outcomes are right, a third is not


@settings(max_examples=150)
@given(
    name=st.sampled_from(_NAMES),
    places=st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=4)), min_size=1, max_size=8),
)
def test_altered_document_is_read_or_refused(name: str, places: list[tuple[float, bytes]]) -> None:
    """Whatever bytes change, nothing but a refusal comes out."""
    content = bytearray((_DOCUMENTS / name).read_bytes())
    for place, change in places:
        at = int(place * len(content))
        content[at : at + len(change)] = change
    try:
        document = extract(name, bytes(content))
    except DocumentError:
        return
    document.text.encode("utf-8")
    assert all(0 <= anchor.offset < len(document.text) for anchor in document.anchors)


@settings(max_examples=100)
@given(name=st.sampled_from(["a.rtf", "a.doc", "a.eml", "a.mbox", "a.ipynb", "a.html", "a.fodt"]), data=st.data())
def test_any_bytes_are_read_or_refused(name: str, data: st.DataObject) -> None:
    """Beginnings that parsers believe, then anything."""
    starts = {
        "a.rtf": b"{\\rtf1 ",
        "a.doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "a.ipynb": b'{"cells": [',
        "a.eml": b"Subject: ",
        "a.fodt": b"<?xml version='1.0'?>",
    }
    multipart = b"Content-Type: multipart/mixed; boundary=x\n\n--x\n"
    rich = [b"{", b"}", b"\\u8", b"\\'e", b"\\bin9 ", b"\\par"]
    other = [b'"', b"]", b"\n", b"=?utf-8?b?", b"From ", multipart, b"<", b">", b"\x07", b"\r"]
    words = st.sampled_from(rich + other)
    pieces = data.draw(st.lists(st.one_of(words, st.binary(max_size=6)), max_size=30))
    try:
        extract(name, starts.get(name, b"") + b"".join(pieces))
    except DocumentError:
        return


def test_huge_text_is_read_in_part(make_docx: Callable[[str], bytes]) -> None:
    """What is beyond the limit is left out with a warning."""
    body = "".join(_PARAGRAPH.format(f"paragraph {n}") for n in range(100))
    document = extract("a.docx", make_docx(body), limits=Limits(text_chars=500))
    assert document.text.startswith("paragraph 0\n")
    assert len(document.text) <= 501
    assert "limit is 500" in document.warnings[0]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.rtf", b"{\\rtf1 " + b"{" * 100_000),
        ("a.ipynb", b'{"cells": ' + b"[" * 100_000),
        ("a.eml", b"Content-Type: multipart/mixed; boundary=x\n\n" + b"--x\n" * 50_000),
        ("a.mbox", b"From x\n" * 5_000),
        ("a.fodt", b"<?xml version='1.0'?>" + b"<a>" * 100_000),
    ],
)
def test_deep_or_endless_structure_is_bounded(name: str, content: bytes) -> None:
    """Done within the test's own limit, with text or a refusal."""
    try:
        extract(name, content)
    except DocumentError as e:
        assert e.reason != SkipReason.FAULT  # noqa: PT017 - both outcomes are right, a third is not


def test_workbook_bomb_is_refused(make_zip: ZipMaker) -> None:
    """The cell parser never sees it."""
    content = make_zip({"xl/workbook.xml": "<workbook/>", "xl/worksheets/sheet1.xml": bytes(60_000_000)})
    with pytest.raises(DocumentError) as caught:
        extract("a.xlsx", content)
    assert caught.value.reason == SkipReason.EXTRACTION_LIMIT


def test_empty_document_has_no_text(make_docx: Callable[[str], bytes]) -> None:
    """A document without a word is a skip, not an empty entry."""
    with pytest.raises(DocumentError) as caught:
        extract("a.docx", make_docx("<w:p/>"))
    assert caught.value.reason == SkipReason.EMPTY
