"""What specifications in XML say of their life: XEPs in elements of their header, IETF documents in attributes.

Read by patterns in the first part of the text, never parsed: entities and includes have no effect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gnomon.lifecycle.fields import Field, Key

_HEAD_CHARS = 32_768  # the longest header of 430 public specifications, with its revisions, has 20,000
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_XEP = re.compile(r"<xep>\s*<header>(?P<head>.*?)(?:</header>|\Z)", re.DOTALL)
_RFC = re.compile(r"<rfc\b(?P<attributes>[^<>]{0,2000})>", re.DOTALL)
_TAG = re.compile(r"<[^<>]{0,200}>")
_ELEMENTS: tuple[tuple[str, Key, re.Pattern[str]], ...] = (
    ("status", "status", re.compile(r"<status>([^<>]{1,100})</status>")),
    ("title", "title", re.compile(r"<title>([^<>]{1,300})</title>")),
    ("date", "date", re.compile(r"<date>([^<>]{1,40})</date>")),  # of the latest revision, which stands first
    ("superseded by", "successor", re.compile(r"<supersededby>(.{1,1000}?)</supersededby>", re.DOTALL)),
    ("supersedes", "predecessor", re.compile(r"<supersedes>(.{1,1000}?)</supersedes>", re.DOTALL)),
)
_ITEM = re.compile(r"<spec>([^<>]{1,100})</spec>")
_ATTRIBUTES: tuple[tuple[str, Key], ...] = (("obsoletes", "predecessor"), ("obsoleted-by", "successor"))


def xml_fields(text: str) -> list[Field]:
    """Fields of a specification's header, in no order; none where the text is no such document."""
    head = _COMMENT.sub(lambda match: re.sub(r"[^\r\n]", " ", match[0]), text[:_HEAD_CHARS])
    found = _XEP.search(head)
    if found:
        return list(_of_elements(head, *found.span("head")))
    found = _RFC.search(head)
    return list(_of_attributes(head, found)) if found else []


def _of_elements(head: str, start: int, end: int) -> Iterator[Field]:
    for name, key, pattern in _ELEMENTS:
        match = pattern.search(head, start, end)
        if match is None:
            continue
        line = head.count("\n", 0, match.start(1)) + 1
        if key == "status" and match[1].strip() == "Draft":
            yield Field(key, name, "Draft Standard", line, "field")  # what the XSF meant by it, and now calls Stable
            continue
        several = _ITEM.findall(match[1]) if key in {"successor", "predecessor"} else []
        for value in several or [_TAG.sub(" ", match[1])]:
            yield Field(key, name, value.strip(), line, "field")


def _of_attributes(head: str, rfc: re.Match[str]) -> Iterator[Field]:
    for name, key in _ATTRIBUTES:
        match = re.compile(rf"\s{name}\s*=\s*[\"']([^\"'<>]{{1,500}})[\"']").search(head, *rfc.span("attributes"))
        if match:
            yield Field(key, name.replace("-", " "), match[1], head.count("\n", 0, match.start(1)) + 1, "field")
    title = re.compile(r"<title\b[^<>]{0,200}>([^<>]{1,300})</title>").search(head, rfc.end())
    if title:
        yield Field("title", "title", title[1].strip(), head.count("\n", 0, title.start(1)) + 1, "field")
