"""Pages of a PDF are read in order, with their headings, and say what they lack."""

from __future__ import annotations

from itertools import pairwise

import pytest

from gnomon.errors import DocumentError
from gnomon.extract import Limits, extract
from gnomon.extract.pdf_layout import SOFT_HYPHEN, Box, Line, paragraphs, without_hyphens
from gnomon.values import SkipReason
from tests.unit.extract.conftest import PdfMaker

_PROSE = "a line of running text in a column"


def _lines(*texts: str) -> list[Line]:
    return [Line(text, Box(0, 100 - 12 * i, 50, 110 - 12 * i)) for i, text in enumerate(texts)]


def test_columns_painted_one_after_the_other_stay_so(make_pdf: PdfMaker) -> None:
    """The usual page is left as it was painted."""
    left = [(50.0, 700.0 - 14 * i, 10.0, f"left {i} {_PROSE}") for i in range(6)]
    right = [(320.0, 700.0 - 14 * i, 10.0, f"right {i} {_PROSE}") for i in range(6)]
    words = extract("a.pdf", make_pdf([left + right])).text.split()
    order = [(a, b) for a, b in pairwise(words) if a in {"left", "right"}]
    assert order == [("left", str(i)) for i in range(6)] + [("right", str(i)) for i in range(6)]


def test_columns_painted_line_by_line_are_put_in_order(make_pdf: PdfMaker) -> None:
    """Text across both columns parts what is above it from what is below."""
    page = [(50.0, 760.0, 10.0, f"across the whole page {_PROSE} {_PROSE} {_PROSE}")]
    for i in range(6):
        page += [
            (50.0, 700.0 - 14 * i, 10.0, f"left {i} {_PROSE}"),
            (320.0, 700.0 - 14 * i, 10.0, f"right {i} {_PROSE}"),
        ]
    text = extract("a.pdf", make_pdf([page])).text
    assert (
        text.index("across")
        < text.index("left 0")
        < text.index("left 5")
        < text.index("right 0")
        < text.index("right 5")
    )


def test_rows_of_a_table_stay_together(make_pdf: PdfMaker) -> None:
    """Short cells are no columns of text."""
    page = [(x, 700.0 - 14 * i, 10.0, f"{name}{i}") for i in range(8) for x, name in ((50.0, "item"), (320.0, "price"))]
    assert "item3 price3\n" in extract("a.pdf", make_pdf([page])).text


def test_larger_letters_are_headings_by_size(make_pdf: PdfMaker) -> None:
    """The largest is the first level; running text has none."""
    page = [(50.0, 750.0, 24.0, "Report"), (50.0, 700.0, 16.0, "Costs")]
    page += [(50.0, 660.0 - 14 * i, 10.0, f"{_PROSE} {i}") for i in range(12)]
    text = extract("a.pdf", make_pdf([page])).text
    assert text.startswith(f"# Report\n\n## Costs\n\n{_PROSE} 0\n")


def test_heading_of_every_page_is_no_heading(make_pdf: PdfMaker) -> None:
    """A running head names the book, not the section."""
    pages = [
        [(50.0, 750.0, 16.0, f"The Numbat Book {n}"), *((50.0, 700.0 - 14 * i, 10.0, _PROSE) for i in range(8))]
        for n in range(4)
    ]
    assert "#" not in extract("a.pdf", make_pdf(pages)).text


def test_large_letters_throughout_are_no_headings(make_pdf: PdfMaker) -> None:
    """On slides, size says nothing."""
    page = [(50.0, 750.0 - 40 * i, 24.0 if i % 2 else 14.0, f"point number {i} of the slide") for i in range(8)]
    assert "#" not in extract("a.pdf", make_pdf([page])).text


def test_pages_without_text_are_counted(make_pdf: PdfMaker) -> None:
    """Scanned pages among others are said, not passed over."""
    page = [(50.0, 700.0, 10.0, "text")]
    document = extract("a.pdf", make_pdf([page, [], page, [], []]))
    assert document.warnings == ("Read in part: 3 of 5 pages have no text.",)
    assert [anchor.label for anchor in document.anchors] == ["page 1", "page 3"]


def test_scan_is_refused_as_one(make_pdf: PdfMaker) -> None:
    """Without any text there is nothing to search."""
    with pytest.raises(DocumentError) as caught:
        extract("a.pdf", make_pdf([[], []]))
    assert caught.value.reason == SkipReason.NO_TEXT_LAYER


def test_time_that_runs_out_costs_the_last_pages_only(make_pdf: PdfMaker) -> None:
    """What was read by then is kept, and said to be a part."""
    pages = [[(50.0, 700.0, 10.0, "text")]] * 3
    with pytest.raises(DocumentError) as caught:
        extract("a.pdf", make_pdf(pages), limits=Limits(seconds=0))
    assert "only the first 0 of 3 pages." in caught.value.detail


@pytest.mark.parametrize("content", [b"%PDF-1.7\n", b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF"])
def test_damaged_file_is_damaged(content: bytes) -> None:
    """A head alone is no document."""
    with pytest.raises(DocumentError) as caught:
        extract("a.pdf", content)
    assert caught.value.reason == SkipReason.DAMAGED


def test_word_parted_at_a_line_end_is_whole() -> None:
    """It stands where it begins; the rest of the line stays where it is."""
    lines = _lines(f"a dan{SOFT_HYPHEN}", f"gerous and in{SOFT_HYPHEN}", "ter", "end")
    assert without_hyphens(lines) == ["a dangerous", "and inter", "end"]


def test_wide_space_parts_paragraphs() -> None:
    """A blank line stands where the page has one."""
    first, second, third = _lines("one", "two", "three")
    apart = Line("four", Box(0, third.box.bottom - 30, 50, third.box.top - 30))
    assert [[line.text for line in group] for group in paragraphs([first, second, third, apart])] == [
        ["one", "two", "three"],
        ["four"],
    ]
