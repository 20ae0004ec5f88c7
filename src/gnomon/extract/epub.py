"""Books (EPUB): chapter by chapter in reading order."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote
from xml.etree import ElementTree as ET

from gnomon.errors import DocumentError
from gnomon.extract import html
from gnomon.extract.base import Limits
from gnomon.extract.composing import Composer
from gnomon.extract.container import Container, attribute, child, local
from gnomon.extract.encodings import decode
from gnomon.values import Extracted, SkipReason

_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})


def read(content: bytes, *, path: str, limits: Limits) -> Extracted:
    """The text of a book. See ``base.Format``."""
    del path
    parts = Container(content, limits)
    package_name = _package_name(parts)
    package = parts.xml(package_name)
    if package is None:
        raise DocumentError(SkipReason.DAMAGED, "no package file")
    title = next((e.text or "" for e in package.iter() if local(e) == "title"), "")
    chapters = _chapters(package, posixpath.dirname(package_name))
    if _is_protected(parts, chapters):
        raise DocumentError(SkipReason.ENCRYPTED, "protected by digital rights management")
    composer = Composer(limits)
    for number, name in enumerate(chapters, start=1):
        data = parts.read(name)
        if not data:
            composer.missing(f"chapter {number} is missing.")
            continue
        try:
            source = decode(data).text
        except DocumentError:
            composer.missing(f"chapter {number} is damaged.")
            continue
        composer.anchor(f"chapter {number}")
        html.write(source, composer)
    return composer.document("prose", "epub", title)


def _package_name(parts: Container) -> str:
    container = parts.xml("META-INF/container.xml")
    named = next((e for e in container.iter() if local(e) == "rootfile"), None) if container is not None else None
    name = unquote(attribute(named, "full-path")) if named is not None else ""
    return name or next(iter(parts.names(ending=".opf")), "")


def _chapters(package: ET.Element, folder: str) -> list[str]:
    """Names of the parts in the order of the spine; of the manifest where the spine names none."""
    manifest = child(package, "manifest")
    items = {attribute(item, "id"): item for item in manifest} if manifest is not None else {}
    spine = child(package, "spine")
    listed = [items[id_] for ref in spine if (id_ := attribute(ref, "idref")) in items] if spine is not None else []
    chosen = listed or [item for item in items.values() if attribute(item, "media-type") in _PAGES]
    return [posixpath.normpath(posixpath.join(folder, unquote(attribute(item, "href")))) for item in chosen]


def _is_protected(parts: Container, chapters: list[str]) -> bool:
    """Whether chapters are encrypted; fonts alone may be, and do not matter."""
    encryption = parts.xml("META-INF/encryption.xml")
    if encryption is None:
        return False
    locked = {unquote(attribute(e, "URI")) for e in encryption.iter() if local(e) == "CipherReference"}
    return any(name in locked for name in chapters)
