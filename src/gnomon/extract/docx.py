"""Word documents (DOCX): paragraphs, headings, tables, notes, comments; tracked changes as if accepted."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from gnomon.errors import DocumentError
from gnomon.extract.base import Limits
from gnomon.extract.composing import Composer, one_line
from gnomon.extract.container import Container, attribute, child, children, local
from gnomon.extract.docx_body import Body, Notes, Styles, plain_text
from gnomon.values import Extracted, SkipReason

_HEADING_STYLE = re.compile(r"heading ([1-9])")
_OUTLINE_LEVEL = re.compile(r"\d")
_MAIN_CONTENT = "officeDocument"


def read(content: bytes, *, path: str, limits: Limits) -> Extracted:
    """The text of a Word document. See ``base.Format``."""
    del path
    parts = Container(content, limits)
    main = _main_part(parts)
    root = parts.xml(main)
    body = child(root, "body")
    if body is None:
        raise DocumentError(SkipReason.DAMAGED, "no document body")
    relations = parts.relations(main)
    composer = Composer(limits)
    notes = Notes(
        footnotes=_notes(parts, relations, "footnotes", "footnote"),
        endnotes=_notes(parts, relations, "endnotes", "endnote"),
        comments=_comments(parts, relations),
    )
    writer = Body(composer, styles=_styles(parts, relations), notes=notes)
    writer.imports = {
        id_: _imported(parts, name, limits) for id_, (kind, name) in relations.items() if kind == "aFChunk"
    }
    writer.write(body)
    _margins(parts, relations, composer)
    return composer.document("prose", "docx", _title(parts))


def _main_part(parts: Container) -> str:
    for kind, name in parts.relations("").values():
        if kind == _MAIN_CONTENT and name in parts:
            return name
    if "word/document.xml" in parts:
        return "word/document.xml"
    raise DocumentError(SkipReason.DAMAGED, "a zip container, but no Word document")


def _part_of(relations: dict[str, tuple[str, str]], kind: str) -> str:
    return next((name for found, name in relations.values() if found == kind), "")


def _styles(parts: Container, relations: dict[str, tuple[str, str]]) -> Styles:
    root = parts.xml(_part_of(relations, "styles")) if _part_of(relations, "styles") else None
    levels: dict[str, int] = {}
    based_on: dict[str, str] = {}
    for style in children(root, "style") if root is not None else ():
        id_ = attribute(style, "styleId")
        if (level := _level(style)) is not None:
            levels[id_] = level
        if (base := child(style, "basedOn")) is not None:
            based_on[id_] = attribute(base, "val")
    return Styles(levels, based_on)


def _level(style: ET.Element) -> int | None:
    """The heading level a style says it has itself; None leaves it to the style it is based on."""
    named = child(style, "name")
    name = attribute(named, "val").lower() if named is not None else ""
    if name == "title":
        return 1
    if match := _HEADING_STYLE.fullmatch(name):
        return int(match[1])
    outline = child(style, "pPr", "outlineLvl")
    value = attribute(outline, "val") if outline is not None else ""
    return int(value) + 1 if _OUTLINE_LEVEL.fullmatch(value) else None


def _notes(parts: Container, relations: dict[str, tuple[str, str]], kind: str, name: str) -> dict[str, str]:
    part = _part_of(relations, kind)
    root = parts.xml(part) if part else None
    found = {}
    for note in children(root, name) if root is not None else ():
        # Separators between text and notes are notes as well.
        if attribute(note, "type", "normal") == "normal" and (text := one_line(plain_text(note))):
            found[attribute(note, "id")] = text
    return found


def _comments(parts: Container, relations: dict[str, tuple[str, str]]) -> dict[str, str]:
    part = _part_of(relations, "comments")
    root = parts.xml(part) if part else None
    found = {}
    for comment in children(root, "comment") if root is not None else ():
        if text := one_line(plain_text(comment)):
            author = one_line(attribute(comment, "author"))
            found[attribute(comment, "id")] = f"[comment by {author}: {text}]" if author else f"[comment: {text}]"
    return found


def _imported(parts: Container, name: str, limits: Limits) -> str:
    """Text of a document put inside as a whole (altChunk): HTML, plain text or another DOCX."""
    data = parts.read(name)
    ending = name.rpartition(".")[2].lower()
    try:
        if ending in {"html", "htm", "xhtml", "mht"}:
            from gnomon.extract import html

            return html.read(data, path=name, limits=limits).text
        if ending == "txt":
            from gnomon.extract.encodings import decode

            return decode(data).text
        return read(data, path=name, limits=limits).text if ending == "docx" else ""
    except DocumentError:
        return ""


def _margins(parts: Container, relations: dict[str, tuple[str, str]], composer: Composer) -> None:
    """Headers and footers, each text once: they stand on every page."""
    seen: set[str] = set()
    for kind, name in relations.values():
        root = parts.xml(name) if kind in {"header", "footer"} else None
        text = one_line(plain_text(root)) if root is not None else ""
        # A page number alone says nothing.
        if text and not text.isdigit() and text not in seen:
            seen.add(text)
            composer.anchor(f"page {kind}")
            composer.block(text)


def _title(parts: Container) -> str:
    try:
        root = parts.xml("docProps/core.xml")
    except DocumentError:
        return ""
    found = next((e.text for e in root.iter() if local(e) == "title"), "") if root is not None else ""
    return found or ""
