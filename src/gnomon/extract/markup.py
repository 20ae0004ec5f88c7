"""HTML as a stream of tags and texts with their places, for pages as they are: unclosed, misnested, cut off.

The standard library's parser is quadratic on some broken pages, and tree builders do not say where a node stood in the
source, which is the way back to it. Every scan here runs forward only, so time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

_NAME = re.compile(r"[A-Za-z][^\s/>]*")
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""")
# Their content is no markup; it ends at their own end tag alone.
_RAW = frozenset({"script", "style", "textarea", "title", "xmp", "noembed", "noframes", "iframe", "plaintext"})
_LONGEST_TAG_CHARS = 65_536


class Token(NamedTuple):
    """One tag or one run of text.

    Attributes:
        kind: "start", "end" or "text".
        value: Lower-case tag name without namespace prefix, or the text with entities resolved.
        offset: First character in the source.
        source: The tag as written; "" for text.
    """

    kind: str
    value: str
    offset: int
    source: str = ""

    def attributes(self) -> dict[str, str]:
        """Attributes by lower-case name; of twins the first counts."""
        found: dict[str, str] = {}
        body = self.source[1 + len(self.value) :].rstrip(">").rstrip("/")[:_LONGEST_TAG_CHARS]
        for match in _ATTRIBUTE.finditer(body):
            value = match[2] or ""
            bare = value[1:-1] if value[:1] in {'"', "'"} else value
            found.setdefault(match[1].lower(), unescape(bare))
        return found


class _Scanner:
    """``str.find`` that looks no second time for what is not there."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._absent_from: dict[str, int] = {}

    def find(self, what: str, start: int) -> int:
        if start >= self._absent_from.get(what, len(self.source) + 1):
            return -1
        at = self.source.find(what, start)
        if at < 0:
            self._absent_from[what] = start
        return at

    def find_end_tag(self, name: str, start: int) -> int:
        key = f"</{name}"
        if start >= self._absent_from.get(key, len(self.source) + 1):
            return -1
        match = re.compile(re.escape(key) + r"(?=[\s/>])", re.IGNORECASE).search(self.source, start)
        if match is None:
            self._absent_from[key] = start
            return -1
        return match.start()

    def tag_end(self, start: int) -> int:
        """Position after the ">" that ends a tag; quotes may hold others. -1 where it never ends."""
        at = start
        while True:
            end = self.find(">", at)
            if end < 0:
                return -1
            quotes = [(q, quote) for quote in "\"'" if at <= (q := self.source.find(quote, at, end)) and self._opens(q)]
            if not quotes:
                return end + 1
            opening, quote = min(quotes)
            closing = self.find(quote, opening + 1)
            if closing < 0 or closing - start > 64 * _LONGEST_TAG_CHARS:
                return end + 1  # a lone quote: the tag ends where it seems to
            at = closing + 1

    def _opens(self, quote_at: int) -> bool:
        return self.source[:quote_at].rstrip()[-1:] == "=" if quote_at < 1 else self._before(quote_at) == "="

    def _before(self, at: int) -> str:
        at -= 1
        while at > 0 and self.source[at].isspace():
            at -= 1
        return self.source[at]


def tokens(source: str) -> Iterator[Token]:
    """The tags and texts of a page, in order; comments, declarations and CDATA marks are left out."""
    scan = _Scanner(source)
    at = 0
    while at < len(source):
        opening = scan.find("<", at)
        if opening < 0:
            opening = len(source)
        if opening > at:
            yield Token("text", unescape(source[at:opening]), at)
        if opening == len(source):
            return
        at, found = _markup(scan, opening)
        yield from found


def _markup(scan: _Scanner, start: int) -> tuple[int, list[Token]]:
    """What begins with the "<" at ``start``: where it ends, and its tokens."""
    source = scan.source
    following = source[start + 1 : start + 2]
    if source.startswith("<!--", start):
        return _after(scan.find("-->", start + 4), 3, len(source)), []
    if source.startswith("<![CDATA[", start):
        end = scan.find("]]>", start)
        stop = end if end >= 0 else len(source)
        return _after(end, 3, len(source)), [Token("text", source[start + 9 : stop], start + 9)]
    if following in {"!", "?"}:
        return _after(scan.find(">", start), 1, len(source)), []
    closing = following == "/"
    name = _NAME.match(source, start + 1 + closing)
    end = scan.tag_end(start + 1) if name else -1
    if name is None or end < 0:
        return start + 1, [Token("text", "<", start)]
    # XML puts a prefix before names: <xhtml:p>.
    value = name[0].lower()
    bare = value.rpartition(":")[2]
    if closing:
        return end, [Token("end", bare, start, source[start:end])]
    found = [Token("start", value, start, source[start:end])]
    if value != bare:
        found = [Token("start", bare, start, f"<{bare}{source[start + 1 + len(value) : end]}")]
    if bare not in _RAW or source[start:end].endswith("/>"):
        return end, found
    return _raw(scan, bare, end, found)


def _raw(scan: _Scanner, name: str, start: int, found: list[Token]) -> tuple[int, list[Token]]:
    stop = scan.find_end_tag(name, start)
    stop = stop if stop >= 0 else len(scan.source)
    body = scan.source[start:stop]
    text = unescape(body) if name in {"title", "textarea"} else body
    return stop, [*found, Token("text", text, start), Token("end", name, stop, f"</{name}>")]


def _after(found: int, width: int, length: int) -> int:
    return found + width if found >= 0 else length
