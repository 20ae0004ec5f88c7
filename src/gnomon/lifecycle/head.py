"""The head of a document: "Key: value" lines, status sections and banners, read until the second real heading.

Code fences and comments are left out. A log of many decisions in one file has many statuses; it has none as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gnomon.lifecycle.fields import Field, fold_key, known_key
from gnomon.lifecycle.spellings import HEAD_HEADINGS, KEYS
from gnomon.lines import LineIndex, lines

_HEAD_CHARS = 8_000  # the head of the longest of 3,000 public decisions ends before 3,000
_BODY_CHARS = 400_000  # how far a status section is looked for
_SECTION_LINES = 12
_LOG_STATUSES = 3  # that many status lines in one head are a list of decisions

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})(?P<rest>.*)")
_ATX = re.compile(r" {0,3}(?P<level>#{1,6})[ \t]+(?P<text>.*?)[ \t#]*$")
_EQUALS = re.compile(r"(?P<level>={1,5})[ \t]*(?P<text>[^=\s].*?)[ \t]*=*[ \t]*$")
_UNDERLINE = re.compile(r"([=\-~^\"'#*+`.:_])\1{2,}[ \t]*$")
_STARTS_LINE = re.compile(r"\s*(?:[-*+•|:]|\d+[.)]\s|[A-Z][\w-]*(?: [\w-]+){0,2}:(?:\s|$)|\*\*|__|\.\. |@)")
_ORNAMENT = re.compile(r"^(?:[\s>*+\-|•#=!]|\.\.\s)*:?(?:[^\w\s\"'(\[{<`~*_.:]+\s*)*")
_FIELD = re.compile(
    r"(?P<key>[^\W\d_][^:：|=<>\[\]()`\"]{0,40}?)\s*(?:\((?P<note>[^()]{1,60})\))?\s*(?:::?|：|\||=)\s*(?P<value>.*)$",
    re.DOTALL,
)
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=[\w:])[*_](?!\w)")
_ROUND_HEADING = 20  # characters of mark-up and numbering on each side of a heading's words
_LINE_BEFORE = re.compile(r"(?<![^\r\n])[^\r\n]*\Z")
_LINE_AFTER = re.compile(rf"[^\r\n]{{0,{_ROUND_HEADING}}}(?=[\r\n]|\Z)")
_NUMBERING = re.compile(r"^[\d.)\s]+")
# "[Draft] Title", "Title (superseded)", "Title [Replaced by [Other](../other)]".
_HEADING_MARK = re.compile(
    r"^[\[(](?P<first>[^\[\]()]+)[\])]"
    r"|\[(?P<link>[^\[\]()]{1,100}\[[^\[\]]{1,200}\]\([^()\s]{1,500}\))\]\W*$"
    r"|[\[(](?P<last>[^\[\]()]+)[\])]\W*$"
)
# The head of an RFC as text: fields on the left, authors on the right.
_TWO_COLUMNS = re.compile(r"\s*(?:obsoletes|obsoleted by|updates|updated by):", re.IGNORECASE)
_SECOND_COLUMN = re.compile(r"(?<=[^\s:])[ \t]{3,}\S.*$")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the body; ``level`` is 1 for the outermost ATX form and 0 where the form has no number."""

    text: str
    level: int
    line: int


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    number: int
    heading: Heading | None = None


def head_fields(text: str, start: int) -> list[Field]:
    """Fields, status sections and banners of the document's head, in order.

    Args:
        text: The whole text.
        start: Where the head starts: behind front matter.
    """
    first_line = LineIndex(text[:start] + ".").count
    fields = list(_in_head(_scan(text[start : start + _HEAD_CHARS], first_line)))
    if sum(each.key == "status" and each.source == "field" for each in fields) >= _LOG_STATUSES:
        fields = [each for each in fields if each.key not in {"status", "successor", "predecessor"}]
    section = _status_section(text[start : start + _BODY_CHARS], first_line)
    return fields + ([section] if section else [])


# -- lines ------------------------------------------------------------------------------------------------------------


def _scan(region: str, first_line: int) -> list[_Line]:
    """The lines of a region without code and comments, headings told apart."""
    region = _COMMENT.sub(lambda match: re.sub(r"[^\r\n]", " ", match[0]), region)
    scanned: list[_Line] = []
    fence = ""
    for number, raw in enumerate(lines(region), start=first_line):
        mark = _FENCE.match(raw)
        if fence:
            closes = mark and mark["fence"].startswith(fence) and not mark["rest"].strip()
            fence = "" if closes else fence
            continue
        if mark and not (mark["fence"][0] == "`" and "`" in mark["rest"]):
            fence = mark["fence"]
            continue
        scanned.append(_with_heading(raw, number, scanned))
    return scanned


def _with_heading(raw: str, number: int, before: list[_Line]) -> _Line:
    match = _ATX.match(raw) or _EQUALS.match(raw)
    if match:
        return _Line(raw, number, Heading(match["text"], len(match["level"]), number))
    previous = before[-1] if before else None
    underlined = _UNDERLINE.match(raw) and previous and previous.text.strip() and not previous.heading
    if (
        underlined
        and previous
        and not _UNDERLINE.match(previous.text)
        and not previous.text.lstrip().startswith(("|", ">", "- "))
    ):
        level = 1 if raw[0] == "=" else 2
        before[-1] = _Line(previous.text, previous.number, Heading(previous.text.strip(), level, previous.number))
        return _Line("", number)
    return _Line("" if _UNDERLINE.match(raw) else raw, number)


# -- head -------------------------------------------------------------------------------------------------------------


def _in_head(scanned: list[_Line]) -> Iterator[Field]:
    headings = 0
    titled = False
    statement: list[_Line] = []
    for each in [*scanned, _Line("", 0)]:
        if each.heading:
            yield from _told(statement)
            statement = []
            is_head = fold_heading(each.heading.text) in HEAD_HEADINGS
            headings += not is_head
            if headings > 1 or (titled and not is_head):
                yield from _banner_heading(each.heading) if titled and headings == 1 else ()
                return
            yield from _heading_fields(each.heading)
        elif not each.text.strip() or (statement and _starts_line(each.text, statement)):
            told = list(_told(statement))
            titled = titled or any(field.key == "title" for field in told)
            yield from told
            statement = [each] if each.text.strip() else []
        else:
            statement.append(each)


def _starts_line(raw: str, statement: list[_Line]) -> bool:
    quoted = raw.lstrip().startswith(">")
    return bool(_STARTS_LINE.match(raw.lstrip("> ") if quoted else raw)) or quoted != statement[
        0
    ].text.lstrip().startswith(">")


def _told(statement: list[_Line]) -> Iterator[Field]:
    """Fields of one paragraph line, or the line itself as a banner."""
    if not statement:
        return
    texts = [each.text for each in statement]
    if _TWO_COLUMNS.match(texts[0]):
        texts = [_SECOND_COLUMN.sub("", text.rstrip()) for text in texts]
    joined = " ".join([texts[0], *(text.strip().lstrip("> ") for text in texts[1:])])
    found = False
    for part in re.split(r"(?<=\s)[·•](?=\s)", joined):
        field = _field(part, statement[0].number)
        if field:
            found = found or field.key != "flag"  # "DEPRECATED: this package is superseded by …" is a banner too
            yield field
    if not found:
        yield Field("status", "", joined, statement[0].number, "banner")


def _field(part: str, line: int) -> Field | None:
    bare = _EMPHASIS.sub("", _ORNAMENT.sub("", part)).strip()
    match = _FIELD.match(_ORNAMENT.sub("", bare))
    if not match:
        return None
    key = known_key(match["key"])
    value = match["value"].strip().rstrip("|").strip()
    return Field(key, fold_key(match["key"]), value, line, "field") if key else None


def _heading_fields(heading: Heading) -> Iterator[Field]:
    field = _field(heading.text, heading.line)
    if field and field.key != "title":
        yield field
        return
    yield from _banner_heading(heading)
    mark = _HEADING_MARK.search(heading.text)
    if mark:
        told = mark["first"] or mark["link"] or mark["last"]
        yield Field("status", "", f"**{told}**", heading.line, "banner")


def _banner_heading(heading: Heading) -> Iterator[Field]:
    yield Field("status", "", f"# {heading.text}", heading.line, "banner")


def fold_heading(text: str) -> str:
    """A heading as the table of spellings writes it: "## 1. **Status**" is "status"."""
    return fold_key(re.sub(r"[\W_]+", " ", _NUMBERING.sub("", text)))


# -- status section ---------------------------------------------------------------------------------------------------


def _status_section(body: str, first_line: int) -> Field | None:
    """The text under the document's one status heading; None where several decisions have one each."""
    names = KEYS["status"]
    if not _may_have_heading(body, names):
        return None
    scanned = _scan(body, first_line)
    at = [index for index, each in enumerate(scanned) if each.heading and fold_heading(each.heading.text) in names]
    if not at:
        return None
    headings = [scanned[index].heading for index in at]
    level = min(each.level for each in headings if each)
    if sum(each is not None and each.level == level for each in headings) > 1:
        return None
    index = next(index for index, each in zip(at, headings, strict=True) if each and each.level == level)
    return _section_field(scanned, index)


def _may_have_heading(body: str, names: tuple[str, ...]) -> bool:
    """Whether a line consists of one of these names; most documents have none and are not scanned."""
    folded = body.casefold()
    for name in names:
        at = folded.find(name)
        while at >= 0:
            before = _LINE_BEFORE.search(folded, max(0, at - _ROUND_HEADING), at)
            after = _LINE_AFTER.match(folded, at + len(name))
            if before and after and fold_heading(before[0] + name + after[0]) == name:
                return True
            at = folded.find(name, at + len(name))
    return False


def _section_field(scanned: list[_Line], index: int) -> Field | None:
    kept: list[_Line] = []
    for each in scanned[index + 1 :]:
        if each.heading or len(kept) >= _SECTION_LINES:
            break
        kept.append(each)
    told = [each for each in kept if each.text.strip()]
    if not told:
        return None
    value = "\n".join(each.text.strip() for each in kept).strip()
    return Field("status", "status", value, told[0].number, "section")
