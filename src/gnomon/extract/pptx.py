"""Presentations (PPTX): slide by slide, with tables, diagrams, charts, speaker notes and comments."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from gnomon.errors import DocumentError
from gnomon.extract.base import Limits
from gnomon.extract.composing import Composer, one_line
from gnomon.extract.container import Container, attribute, child, local
from gnomon.extract.tables import table_lines
from gnomon.values import Extracted, SkipReason

_TITLES = frozenset({"title", "ctrTitle"})
# Slide number, date and the like are the same on every slide.
_FURNITURE = frozenset({"sldNum", "dt"})
_ASIDE = frozenset({"diagramData", "chart", "chartEx"})
_INHERITED = frozenset({"slideLayout", "slideMaster"})


def read(content: bytes, *, path: str, limits: Limits) -> Extracted:
    """The text of a presentation. See ``base.Format``."""
    del path
    parts = Container(content, limits)
    slides = _slides(parts)
    composer = Composer(limits)
    seen: set[str] = set()
    for number, name in enumerate(slides, start=1):
        root = _xml(parts, name, composer)
        if root is not None:
            _write_slide(composer, parts, name, root, number)
            seen.update(one_line(_text(shape)) for shape in root.iter() if local(shape) == "sp")
    for name in slides:
        for line in _inherited(parts, name, composer):
            if line not in seen:
                seen.add(line)
                composer.anchor("slide master")
                composer.block(line)
    return composer.document("prose", "pptx", _title(parts))


def _slides(parts: Container) -> list[str]:
    """Names of the slide parts in the order they are shown."""
    main = next(
        (name for kind, name in parts.relations("").values() if kind == "officeDocument"), "ppt/presentation.xml"
    )
    root = parts.xml(main)
    relations = parts.relations(main)
    listed = child(root, "sldIdLst")
    ordered = [relations.get(_relation_id(slide), ("", ""))[1] for slide in listed] if listed is not None else []
    found = [name for name in ordered if name in parts] or parts.names(under="ppt/slides/slide", ending=".xml")
    if not found:
        raise DocumentError(SkipReason.DAMAGED, "no slides")
    return found


def _relation_id(slide: ET.Element) -> str:
    # "id" stands twice, the one with a namespace is the relation.
    return next((value for key, value in slide.items() if key.endswith("}id")), "")


def _xml(parts: Container, name: str, composer: Composer) -> ET.Element | None:
    """A part that the rest can do without."""
    try:
        return parts.xml(name)
    except DocumentError as e:
        if e.reason != SkipReason.DAMAGED:
            raise
        composer.missing(f"{name.rpartition('/')[2]} is damaged.")
        return None


def _write_slide(composer: Composer, parts: Container, name: str, root: ET.Element, number: int) -> None:
    composer.anchor(f"slide {number}")
    shapes = [shape for shape in root.iter() if local(shape) in {"sp", "graphicFrame"}]
    title = next(
        (one_line(_text(shape)) for shape in shapes if _placeholder(shape) in _TITLES and _text(shape).strip()), ""
    )
    composer.heading(title or f"Slide {number}")
    for shape in shapes:
        kind = _placeholder(shape)
        table = next((e for e in shape.iter() if local(e) == "tbl"), None)
        if table is not None:
            _write_table(composer, table)
        elif kind not in _FURNITURE and not (kind in _TITLES and one_line(_text(shape)) == title):
            composer.block(_text(shape))
    for kind, target in parts.relations(name).values():
        if kind in _ASIDE:
            composer.block("\n".join(_strings(_xml(parts, target, composer))))
        elif kind == "notesSlide":
            notes = _notes(_xml(parts, target, composer))
            composer.block(f"Notes: {notes}" if notes else "")
        elif kind == "comments":
            for comment in _comments(_xml(parts, target, composer)):
                composer.block(f"[comment: {comment}]")


def _placeholder(shape: ET.Element) -> str:
    mark = next((e for e in shape.iter() if local(e) == "ph"), None)
    return attribute(mark, "type", "body") if mark is not None else ""


def _text(shape: ET.Element) -> str:
    """The paragraphs of a shape, one a line."""
    lines = []
    for paragraph in (e for e in shape.iter() if local(e) == "p"):
        pieces = [{"t": e.text or "", "br": "\n", "tab": "\t"}.get(local(e), "") for e in paragraph.iter()]
        lines.append("".join(pieces))
    return "\n".join(line for line in lines if line.strip())


def _write_table(composer: Composer, table: ET.Element) -> None:
    rows = [[one_line(_text(cell)) for cell in row if local(cell) == "tc"] for row in table if local(row) == "tr"]
    properties = child(table, "tblPr")
    marked = properties is not None and attribute(properties, "firstRow") in {"1", "true"}
    gap = "\n\n"
    for line in table_lines(rows, has_header=(True if marked else None) if len(rows) > 1 else False):
        composer.block(line, gap=gap)
        gap = "\n"


def _strings(root: ET.Element | None) -> list[str]:
    """Texts of a diagram or a chart, each once, in order."""
    if root is None:
        return []
    texts = (one_line(e.text or "") for e in root.iter() if local(e) in {"t", "v"})
    return list(dict.fromkeys(text for text in texts if text and not text.replace(".", "").isdigit()))


def _notes(root: ET.Element | None) -> str:
    if root is None:
        return ""
    shapes = (
        e for e in root.iter() if local(e) == "sp" and _placeholder(e) not in {*_FURNITURE, "sldImg", "hdr", "ftr"}
    )
    return "\n".join(text for shape in shapes if (text := _text(shape)))


def _comments(root: ET.Element | None) -> list[str]:
    if root is None:
        return []
    found = []
    for comment in (e for e in root.iter() if local(e) in {"cm", "reply"}):
        own = [e.text or "" for part in comment if local(part) in {"text", "txBody"} for e in part.iter()]
        found.append(one_line(" ".join(own)))
    return list(filter(None, found))


def _inherited(parts: Container, slide: str, composer: Composer) -> Iterator[str]:
    """Text of the layout and master behind a slide that is shown as it is: not the prompts of placeholders."""
    part = slide
    for _ in _INHERITED:
        part = next((target for kind, target in parts.relations(part).values() if kind in _INHERITED), "")
        root = _xml(parts, part, composer) if part else None
        for shape in root.iter() if root is not None else ():
            if local(shape) == "sp" and _placeholder(shape) in {"", "ftr"} and (text := one_line(_text(shape))):
                yield text


def _title(parts: Container) -> str:
    try:
        root = parts.xml("docProps/core.xml")
    except DocumentError:
        return ""
    title = next((e.text or "" for e in root.iter() if local(e) == "title"), "") if root is not None else ""
    return "" if title.lower().startswith(("powerpoint pr", "slide 1", "presentation")) else title
