"""Zip containers and the XML in them, read in memory within limits. Nothing is ever written to disk."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree import ElementTree as ET
from xml.parsers import expat

from gnomon.errors import DocumentError
from gnomon.extract.base import MEBIBYTE, Limits
from gnomon.values import SkipReason

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_ENCRYPTED_FLAG = 0x1
_MOST_PARTS = 20_000
_CHUNK_BYTES = 256 * 1024
# Below this, a high ratio is a sheet with one value in every cell.
_SMALL_BYTES = 8 * MEBIBYTE


class Container:
    """The parts of a zip file by name.

    A zip bomb is met twice: by the ratio of what a part unpacks to, and by the total that may be unpacked. Both count
    bytes as they come out, not what the archive says of itself.
    """

    def __init__(self, content: bytes, limits: Limits) -> None:
        """Open it.

        Raises:
            DocumentError: No zip file, a damaged one, or one that is encrypted.
        """
        if content.startswith(_OLE):
            if _ENCRYPTED_PACKAGE in content:
                raise DocumentError(SkipReason.ENCRYPTED, "protected with a password")
            raise DocumentError(SkipReason.DAMAGED, "an old binary Office file under a new ending")
        if not content.startswith(b"PK"):
            raise DocumentError(SkipReason.DAMAGED, "not a zip container")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, OverflowError) as e:
            raise DocumentError(SkipReason.DAMAGED, f"no whole zip container: {e}") from e
        parts = self._zip.infolist()
        if len(parts) > _MOST_PARTS:
            raise DocumentError(SkipReason.EXTRACTION_LIMIT, f"{len(parts)} parts, limit {_MOST_PARTS}")
        self._limits = limits
        self._left_bytes = limits.unpacked_bytes
        # Names are compared without case: Office does so too. Of twins the first counts, as in Office.
        self._parts = {part.filename.lower().lstrip("/"): part for part in reversed(parts)}

    def __contains__(self, name: str) -> bool:
        return name.lower().lstrip("/") in self._parts

    def names(self, *, under: str = "", ending: str = "") -> list[str]:
        """Names of parts in a folder and with an ending, in the archive's spelling, sorted with numbers by value."""
        found = (part.filename.lstrip("/") for key, part in self._parts.items() if _matches(key, under, ending))
        return sorted(found, key=_by_number)

    def read(self, name: str) -> bytes:
        """The bytes of a part, b"" where there is none.

        Raises:
            DocumentError: It is encrypted or damaged, or unpacks to more than the limits allow.
        """
        part = self._parts.get(name.lower().lstrip("/"))
        if part is None:
            return b""
        if part.flag_bits & _ENCRYPTED_FLAG:
            raise DocumentError(SkipReason.ENCRYPTED, "protected with a password")
        try:
            data = b"".join(self._chunks(part))
        except DocumentError:
            raise
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, ValueError) as e:
            raise DocumentError(SkipReason.DAMAGED, f"{name}: {e}") from e
        return data

    def _chunks(self, part: zipfile.ZipInfo) -> Iterator[bytes]:
        size = 0
        with self._zip.open(part) as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                size += len(chunk)
                self._left_bytes -= len(chunk)
                if self._left_bytes < 0:
                    most = self._limits.unpacked_bytes // MEBIBYTE
                    raise DocumentError(SkipReason.EXTRACTION_LIMIT, f"unpacks to more than {most} MB")
                if size > _SMALL_BYTES and size > self._limits.ratio * max(part.compress_size, 1):
                    raise DocumentError(
                        SkipReason.EXTRACTION_LIMIT, f"unpacks to more than {self._limits.ratio:g} times"
                    )
                yield chunk

    def refuse_bomb(self) -> None:
        """Judge by what the archive says of itself; for parsers that unpack on their own.

        Raises:
            DocumentError: All parts together are beyond the limits.
        """
        total = sum(part.file_size for part in self._parts.values())
        packed = sum(part.compress_size for part in self._parts.values())
        if total > self._limits.unpacked_bytes or (
            total > _SMALL_BYTES and total > self._limits.ratio * max(packed, 1)
        ):
            raise DocumentError(SkipReason.EXTRACTION_LIMIT, f"unpacks to {total // MEBIBYTE} MB")

    def xml(self, name: str) -> ET.Element | None:
        """The root element of an XML part, None where there is no such part.

        Raises:
            DocumentError: As ``read`` and ``parse_xml``.
        """
        data = self.read(name)
        return parse_xml(data, self._limits) if data else None

    def relations(self, name: str) -> dict[str, tuple[str, str]]:
        """Targets of an Office part: relation id to (last word of its type, name of the target part)."""
        folder, base = posixpath.split(name)
        root = self.xml(posixpath.join(folder, "_rels", base + ".rels"))
        found = {}
        for relation in root if root is not None else ():
            target = unquote(relation.get("Target", ""))
            if relation.get("TargetMode") != "External" and target:
                joined = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
                kind = relation.get("Type", "").rpartition("/")[2]
                found[relation.get("Id", "")] = (kind, posixpath.normpath(joined))
        return found


def _matches(key: str, under: str, ending: str) -> bool:
    return key.startswith(under.lower()) and key.endswith(ending.lower())


def _by_number(name: str) -> list[tuple[int, str]]:
    digits = "".join(c if c.isdigit() and c.isascii() else " " for c in name).split()
    return [(int(number[:18]), "") for number in digits] + [(0, name)]


class _Prolog(Exception):  # noqa: N818 - ends a scan, is no error
    """The first element was reached."""


def parse_xml(data: bytes, limits: Limits) -> ET.Element:
    """The root element of an XML document that declares no entities and is not nested beyond the limit.

    External entities are never looked up. Declared entities serve bombs and file theft; office formats have none.

    Raises:
        DocumentError: Not well-formed, with entities, or nested too deeply.
    """
    _refuse_entities(data)
    events = ET.iterparse(io.BytesIO(data), events=("start", "end"))  # noqa: S314 - entities were refused above
    depth = deepest = 0
    root: ET.Element | None = None
    try:
        for event, element in events:
            root = element if root is None else root
            depth += 1 if event == "start" else -1
            deepest = max(depth, deepest)
            if deepest > limits.depth:
                break
    except (ET.ParseError, ValueError, LookupError) as e:
        raise DocumentError(SkipReason.DAMAGED, f"XML: {e}") from e
    if deepest > limits.depth:
        raise DocumentError(SkipReason.EXTRACTION_LIMIT, f"XML nested more than {limits.depth} deep")
    if root is None:
        raise DocumentError(SkipReason.DAMAGED, "XML without an element")
    return root


def _refuse_entities(data: bytes) -> None:
    """Declarations can only stand before the first element: scan so far and no further."""

    def refuse(*_: object) -> None:
        raise DocumentError(SkipReason.EXTRACTION_LIMIT, "XML that declares entities")

    def stop(*_: object) -> None:
        raise _Prolog

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = stop
    try:
        parser.Parse(data, True)
    except _Prolog:
        return
    except DocumentError:
        raise
    except (expat.ExpatError, ValueError, LookupError) as e:
        raise DocumentError(SkipReason.DAMAGED, f"XML: {e}") from e


def local(element: ET.Element) -> str:
    """The name of an element without its namespace: formats exist in transitional, strict and careless spellings."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: ET.Element, name: str, default: str = "") -> str:
    """The value of an attribute by its local name."""
    found = element.get(name)
    if found is not None:
        return found
    return next((value for key, value in element.items() if key.rpartition("}")[2] == name), default)


def children(element: ET.Element, name: str) -> list[ET.Element]:
    """Direct children by local name."""
    return [child for child in element if local(child) == name]


def child(element: ET.Element | None, *path: str) -> ET.Element | None:
    """The first descendant along a path of local names, None where there is none."""
    for name in path:
        if element is None:
            return None
        element = next((inner for inner in element if local(inner) == name), None)
    return element
