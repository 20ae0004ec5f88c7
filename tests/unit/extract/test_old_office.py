"""Office and Outlook files of before 2007 give up their text."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.errors import DocumentError
from gnomon.extract import extract
from gnomon.extract.compound import Compound
from gnomon.values import SkipReason
from tests.unit.extract.conftest import OleMaker, _ole


def _word(text: str, *, compressed: bool = False, flags: int = 0x0200) -> dict[str, bytes]:
    """A Word document of one piece."""
    body = text.encode("cp1252" if compressed else "utf-16-le")
    offset = 2048
    piece = struct.pack("<HIH", 0, (offset * 2) | 0x40000000 if compressed else offset, 0)
    pieces = struct.pack("<II", 0, len(text)) + piece
    settings_part = b"\x01" + struct.pack("<H", 3) + b"abc"
    clx = settings_part + b"\x02" + struct.pack("<I", len(pieces)) + pieces
    main = bytearray(offset)
    struct.pack_into("<H", main, 0x0A, flags)
    struct.pack_into("<II", main, 0x01A2, 16, len(clx))
    return {"WordDocument": bytes(main) + body, "1Table": bytes(16) + clx}


@pytest.mark.parametrize("compressed", [True, False])
def test_word_text_is_read_in_both_its_forms(make_ole: OleMaker, *, compressed: bool) -> None:
    """Paragraphs, pages, tables, the shown part of fields."""
    text = "Größe\rsee \x13 HYPERLINK x \x14a link\x15 here\x0cItem\x07Price\x07\x07Fence\x07300\x07\x07end\r"
    document = extract("a.doc", make_ole(_word(text, compressed=compressed)))
    assert document.text == "Größe\n\nsee a link here\n\nItem | Price\nItem: Fence | Price: 300\n\nend\n"
    assert [anchor.label for anchor in document.anchors] == ["page 1", "page 2"]


def test_locked_word_document_is_encrypted(make_ole: OleMaker) -> None:
    """The flag of its head is believed."""
    with pytest.raises(DocumentError) as caught:
        extract("a.doc", make_ole(_word("x", flags=0x0300)))
    assert caught.value.reason == SkipReason.ENCRYPTED


def test_message_is_read_with_its_people_and_attachments(make_ole: OleMaker) -> None:
    """Unicode and old code pages, and the names of what is attached."""
    content = make_ole(
        {
            "__properties_version1.0": b"",
            "__substg1.0_0037001F": "Zaun für den Numbat".encode("utf-16-le"),
            "__substg1.0_0C1A001F": "Jürgen".encode("utf-16-le"),
            "__substg1.0_0E04001E": b"Ada",
            "__substg1.0_1000001F": "Der Zaun ist größer.\r\nGruß".encode("utf-16-le"),
            "__attach_version1.0_#00000000/__substg1.0_3707001F": "plan.pdf".encode("utf-16-le"),
        }
    )
    document = extract("a.msg", content)
    assert document.title == "Zaun für den Numbat"
    assert document.text == (
        "# Zaun für den Numbat\n\nFrom: Jürgen\nTo: Ada\n\nDer Zaun ist größer.\nGruß\n\nAttachment: plan.pdf\n"
    )


def test_message_in_html_alone_is_read(make_ole: OleMaker) -> None:
    """The plain form may be absent."""
    content = make_ole({"__properties_version1.0": b"", "__substg1.0_10130102": b"<p>Hello <b>there</b></p>"})
    assert extract("a.msg", content).text == "Hello there\n"


def _record(kind: int, body: bytes, *, container: bool = False, instance: int = 0) -> bytes:
    return struct.pack("<HHI", instance << 4 | (0xF if container else 0), kind, len(body)) + body


def test_presentation_is_read_slide_by_slide(make_ole: OleMaker) -> None:
    """Listed and drawn texts of a slide together, prompts of the master not at all."""
    listed = _record(0x03F3, b"") + _record(0x0FA0, "Numbats".encode("utf-16-le")) + _record(0x03F3, b"")
    data = (
        _record(0x0FF0, listed, container=True)
        + _record(0x0FF0, _record(0x0FA8, b"master list"), container=True, instance=1)
        + _record(0x03F8, _record(0x0FA8, b"Click to edit"), container=True)
        + _record(0x03EE, _record(0xF00D, _record(0x0FA8, b"a box"), container=True), container=True)
        + _record(0x03EE, _record(0x0FA8, b"second slide"), container=True)
        + _record(0x03F0, _record(0x0FA8, b"speak slowly"), container=True)
    )
    document = extract("a.ppt", make_ole({"PowerPoint Document": data, "Current User": bytes(20)}))
    assert document.text == "# Numbats\n\na box\n\n# second slide\n\nNotes: speak slowly\n"
    assert [anchor.label for anchor in document.anchors] == ["slide 1", "slide 2", "speaker notes"]


def test_locked_presentation_is_encrypted(make_ole: OleMaker) -> None:
    """The mark of the current user says so."""
    current = bytes(12) + b"\xdf\xc4\xd1\xf3"
    with pytest.raises(DocumentError) as caught:
        extract("a.ppt", make_ole({"PowerPoint Document": b"x", "Current User": current}))
    assert caught.value.reason == SkipReason.ENCRYPTED


def test_streams_are_found_large_and_small(make_ole: OleMaker) -> None:
    """Both stores, folders, any case."""
    large, small = bytes(range(256)) * 20, b"small"
    compound = Compound(make_ole({"Large": large, "Folder/Small": small}))
    assert (compound.stream("large"), compound.stream("folder/small"), compound.stream("no")) == (large, small, b"")
    assert sorted(compound.paths()) == ["folder/small", "large"]


@settings(max_examples=200)
@given(st.lists(st.tuples(st.floats(0, 1), st.binary(min_size=1, max_size=4)), min_size=1, max_size=10))
def test_altered_compound_file_is_read_or_refused(changes: list[tuple[float, bytes]]) -> None:
    """Chains that loop or lead nowhere end."""
    content = bytearray(_ole(_word("some text\r" * 50)))
    for place, change in changes:
        at = int(place * (len(content) - len(change)))
        content[at : at + len(change)] = change
    try:
        extract("a.doc", bytes(content))
    except DocumentError:
        return


@pytest.mark.parametrize("body", [b"", b"junk" * 2000, b"\x09\x08\x10\x00\x00\x06\x05\x00" + bytes(4096)])
def test_broken_old_workbook_is_refused(make_ole: OleMaker, body: bytes) -> None:
    """A parser that gives up, in whatever way, costs one document."""
    with pytest.raises(DocumentError) as caught:
        extract("a.xls", make_ole({"Workbook": body}))
    assert caught.value.reason in {SkipReason.DAMAGED, SkipReason.EMPTY}
