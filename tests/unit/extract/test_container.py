"""Zip containers and their XML are read within limits, and nothing outside them."""

from __future__ import annotations

import zipfile
from pathlib import Path
from unittest.mock import patch

import pytest

from gnomon.errors import DocumentError
from gnomon.extract.base import MEBIBYTE, Limits
from gnomon.extract.container import Container, attribute, child, local, parse_xml
from gnomon.values import SkipReason
from tests.unit.extract.conftest import ZipMaker

_LIMITS = Limits(unpacked_bytes=20 * MEBIBYTE, ratio=100, depth=50)


def _refused(content: bytes, name: str = "a.xml") -> SkipReason:
    with pytest.raises(DocumentError) as caught:
        Container(content, _LIMITS).xml(name)
    return SkipReason(caught.value.reason)


def test_part_is_read_whatever_the_case_of_its_name(make_zip: ZipMaker) -> None:
    """Office ignores case in part names; so does this."""
    parts = Container(make_zip({"Word/Document.XML": "<a/>"}), _LIMITS)
    assert parts.read("word/document.xml") == b"<a/>"
    assert "/word/document.xml" in parts


def test_absent_part_is_no_error(make_zip: ZipMaker) -> None:
    """Most parts of a document are optional."""
    parts = Container(make_zip({"a": "x"}), _LIMITS)
    assert (parts.read("b"), parts.xml("b"), parts.relations("b")) == (b"", None, {})


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip at all", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)])
def test_what_is_no_zip_is_damaged(content: bytes) -> None:
    """Wrong or cut-off files are named as such."""
    assert _refused(content) == SkipReason.DAMAGED


def test_encrypted_office_file_is_named_so() -> None:
    """A password-protected document is an OLE file around an encrypted package."""
    content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")
    assert _refused(content) == SkipReason.ENCRYPTED


def test_part_that_unpacks_too_far_is_refused(make_zip: ZipMaker) -> None:
    """The total counts, whatever the archive says of itself."""
    half = bytes(range(256)) * (12 * MEBIBYTE // 256)
    parts = Container(make_zip({"a": half, "b": half}), Limits(unpacked_bytes=20 * MEBIBYTE, ratio=10_000))
    parts.read("a")
    with pytest.raises(DocumentError, match="unpacks to more than 20 MB"):
        parts.read("b")


def test_high_ratio_is_a_bomb(make_zip: ZipMaker) -> None:
    """A part that is a hundred times its packed size is refused once it is large."""
    assert _refused(make_zip({"a.xml": bytes(12 * MEBIBYTE)})) == SkipReason.EXTRACTION_LIMIT


def test_bomb_is_seen_before_another_parser_unpacks_it(make_zip: ZipMaker) -> None:
    """For parsers without limits, the archive's own figures decide."""
    with pytest.raises(DocumentError) as caught:
        Container(make_zip({"a.xml": bytes(30 * MEBIBYTE)}), _LIMITS).refuse_bomb()
    assert caught.value.reason == SkipReason.EXTRACTION_LIMIT


def test_locked_part_is_encrypted(make_zip: ZipMaker) -> None:
    """The flag of a zip entry is believed."""
    parts = Container(make_zip({"a.xml": "<a/>"}), _LIMITS)
    parts._parts["a.xml"].flag_bits |= 1
    with pytest.raises(DocumentError) as caught:
        parts.read("a.xml")
    assert caught.value.reason == SkipReason.ENCRYPTED


def test_damaged_part_is_damaged(make_zip: ZipMaker) -> None:
    """A checksum that does not fit is no text."""
    parts = Container(make_zip({"a.xml": "<a/>"}), _LIMITS)
    with (
        patch.object(zipfile.ZipExtFile, "read", side_effect=zipfile.BadZipFile("Bad CRC-32")),
        pytest.raises(DocumentError) as caught,
    ):
        parts.read("a.xml")
    assert caught.value.reason == SkipReason.DAMAGED


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1/x"> %x;]><a/>',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_declared_entities_are_refused(text: str, encoding: str) -> None:
    """Whatever the encoding, no entity is ever expanded or looked up."""
    with pytest.raises(DocumentError) as caught:
        parse_xml(text.encode(encoding), _LIMITS)
    assert caught.value.reason == SkipReason.EXTRACTION_LIMIT


def test_external_declarations_are_not_fetched(tmp_path: Path) -> None:
    """A document type without entities is harmless and read."""
    assert local(parse_xml(f'<!DOCTYPE a SYSTEM "{tmp_path}/x.dtd"><a/>'.encode(), _LIMITS)) == "a"


@pytest.mark.parametrize(("depth", "fine"), [(49, True), (60, False), (40_000, False)])
def test_depth_is_bounded(depth: int, *, fine: bool) -> None:
    """Deep nesting is refused before anything recurses."""
    data = b"<a>" * depth + b"</a>" * depth
    if fine:
        assert local(parse_xml(data, _LIMITS)) == "a"
    else:
        with pytest.raises(DocumentError, match="nested more than 50"):
            parse_xml(data, _LIMITS)


@pytest.mark.parametrize(
    "data", [b"<a>", b"text", b"<a></b>", b"\xff\xfe<", b"<?xml version='1.0' encoding='no'?><a/>"]
)
def test_broken_xml_is_damaged(data: bytes) -> None:
    """What is not well-formed is named as such."""
    with pytest.raises(DocumentError) as caught:
        parse_xml(data, _LIMITS)
    assert caught.value.reason == SkipReason.DAMAGED


def test_names_and_attributes_are_found_without_their_namespace() -> None:
    """Transitional, strict and careless spellings read alike."""
    root = parse_xml(b'<w:a xmlns:w="urn:w"><w:b w:val="1"/></w:a>', _LIMITS)
    inner = child(root, "b")
    assert inner is not None
    assert (attribute(inner, "val"), attribute(inner, "no", "-")) == ("1", "-")
    assert child(root, "b", "c") is None


def test_relations_stay_inside_the_container(make_zip: ZipMaker) -> None:
    """Targets are resolved by name only; external ones are left out."""
    rels = (
        '<Relationships><Relationship Id="a" Type="x/header" Target="../h.xml"/>'
        '<Relationship Id="b" Type="x/image" Target="file:///etc/passwd" TargetMode="External"/></Relationships>'
    )
    parts = Container(make_zip({"word/_rels/document.xml.rels": rels}), _LIMITS)
    assert parts.relations("word/document.xml") == {"a": ("header", "h.xml")}
