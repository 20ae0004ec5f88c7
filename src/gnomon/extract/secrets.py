"""Secrets out of text: each is replaced inside its line by what kind it was, before anything is stored.

Lines keep their numbers. What is recognised: credentials by their shape (``secret_rules``), private keys in PEM
blocks, and values assigned to names such as ``password`` that look like values and not like code, placeholders or
prose.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

from gnomon.extract.secret_assignments import ASSIGNED_NAMES, assigned_secrets
from gnomon.extract.secret_judgement import Finding, entropy, is_login, is_placeholder
from gnomon.extract.secret_rules import SHAPES, Rule, compiled
from gnomon.values import Anchor, Extracted, Kind


@dataclass(frozen=True, slots=True)
class _Edit:
    """A range of characters and what stands there afterwards."""

    start: int
    end: int
    replacement: str


def redact(text: str, *, allowed: Collection[str] = (), kind: Kind = "prose") -> tuple[str, int]:
    """Replace the secrets of a text.

    Args:
        text: Any text.
        allowed: Secrets that are kept as they are.
        kind: Of the document it is from: what a bare word after "password:" is depends on it.

    Returns:
        The text with as many lines as before, and the number of secrets replaced.
    """
    edits = _edits(text, allowed, kind)
    return _apply(text, edits), len(edits)


def redact_document(document: Extracted, *, allowed: Collection[str] = ()) -> tuple[Extracted, int]:
    """Replace the secrets of a document's text and title; anchors move with the text.

    Args:
        document: As extracted.
        allowed: Secrets that are kept as they are.

    Returns:
        The document, and the number of secrets replaced.
    """
    edits = _edits(document.text, allowed, document.kind)
    title, in_title = redact(document.title, allowed=allowed)
    if not edits and not in_title:
        return document, 0
    text = _apply(document.text, edits)
    anchors = tuple(_moved(document.anchors, edits))
    return replace(document, text=text, title=title, anchors=anchors), len(edits) + in_title


def _apply(text: str, edits: list[_Edit]) -> str:
    pieces: list[str] = []
    at = 0
    for edit in edits:
        pieces += (text[at : edit.start], edit.replacement)
        at = edit.end
    return "".join((*pieces, text[at:])) if edits else text


def _moved(anchors: tuple[Anchor, ...], edits: list[_Edit]) -> Iterator[Anchor]:
    shift = 0
    rest = iter(edits)
    edit = next(rest, None)
    for anchor in anchors:
        while edit is not None and edit.end <= anchor.offset:
            shift += len(edit.replacement) - (edit.end - edit.start)
            edit = next(rest, None)
        inside = edit is not None and edit.start < anchor.offset
        yield Anchor((edit.start if inside and edit else anchor.offset) + shift, anchor.label)


def _edits(text: str, allowed: Collection[str], kind: Kind) -> list[_Edit]:
    """Where to change the text, in order, not overlapping."""
    if not text:
        return []
    data = text.encode("utf-8", "surrogatepass")
    edits: list[_Edit] = []
    chars = at = 0
    for finding in _findings(data, kind):
        start = chars + len(data[at : finding.start].decode("utf-8", "surrogatepass"))
        secret = data[finding.start : finding.end].decode("utf-8", "surrogatepass")
        chars, at = start + len(secret), finding.end
        if secret not in allowed:
            # A key that runs over lines leaves its line ends behind.
            line_ends = "".join(re.findall(r"[\r\n]+", secret))
            edits.append(_Edit(start, start + len(secret), f"[redacted {finding.name}]{line_ends}"))
    return edits


class _Found:
    """Findings in order of their place; the earlier found keeps its place against what overlaps it."""

    def __init__(self) -> None:
        self.ordered: list[Finding] = []

    def add(self, finding: Finding) -> None:
        at = bisect_left(self.ordered, finding)
        before = self.ordered[at - 1].end if at else 0
        after = self.ordered[at].start if at < len(self.ordered) else finding.end
        if before <= finding.start and finding.end <= after:
            insort(self.ordered, finding)


def _findings(data: bytes, kind: Kind) -> list[Finding]:
    found = _Found()
    rules = _rules()
    if rules.anything.search(data) is None:
        return []
    present = set(rules.keywords.findall(data.lower()))
    if _BEGIN_KEYWORDS & present:
        for finding in _private_keys(data):
            found.add(finding)
    asked = {number for keyword in present for number in rules.by_keyword[keyword]}
    if rules.any_unnamed.search(data) is not None:
        asked |= rules.unnamed
    for rule, pattern in (rules.shapes[number] for number in sorted(asked)):
        for match in pattern.finditer(data):
            start, end = match.span(1)
            value = data[start:end]
            if is_placeholder(value) or entropy(value) < rule.least_entropy or (rule.is_login and not is_login(value)):
                continue
            found.add(Finding(start, end, rule.name))
    for finding in assigned_secrets(data, kind):
        found.add(finding)
    return found.ordered


class _Rules(NamedTuple):
    """The table, compiled; rules are meant by their number in it.

    Attributes:
        anything: One pattern of what every rule and every form of an assignment has in it; six of ten small files of
            code have nothing of it, and one pass tells.
        keywords: One pattern of all keywords.
        by_keyword: Rules that a keyword asks for; none for the marks of private keys.
        unnamed: Rules without a keyword.
        any_unnamed: One pattern of all of them, which few texts match.
        shapes: Every rule with its pattern.
    """

    anything: Any
    keywords: Any
    by_keyword: dict[bytes, list[int]]
    unnamed: set[int]
    any_unnamed: Any
    shapes: list[tuple[Rule, Any]]


@cache
def _rules() -> _Rules:
    by_keyword: dict[bytes, list[int]] = {word: [] for word in _BEGIN_KEYWORDS}
    for number, rule in enumerate(SHAPES):
        for word in rule.keyword_bytes:
            by_keyword.setdefault(word, []).append(number)
    # One pass at 1 GB/s finds the keywords; most rules have none in most texts. Of two at one place the longer counts.
    keywords = "|".join(re.escape(word.decode()) for word in sorted(by_keyword, key=len, reverse=True))
    unnamed = "|".join(f"(?:{rule.pattern})" for rule in SHAPES if not rule.keyword_bytes)
    return _Rules(
        compiled(f"{unnamed}|(?i:{keywords}|{ASSIGNED_NAMES})"),
        compiled(keywords),
        by_keyword,
        {number for number, rule in enumerate(SHAPES) if not rule.keyword_bytes},
        compiled(unnamed),
        [(rule, compiled(rule.pattern)) for rule in SHAPES],
    )


# -- private keys ----------------------------------------------------------------------------------------------------
_BEGIN = re.compile(
    rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d:|Private-Lines: \d+"
)
_BEGIN_KEYWORDS = {b"-----begin", b"private-lines:"}
_END = re.compile(rb"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: \w+")
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_BASE64_RUN = re.compile(rb"[A-Za-z0-9+/=]{16,}")
_BETWEEN_RUNS = re.compile(
    rb"(?:\\+[nrt]|[\s\"'+,>|#*]|(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset): [^\r\n\\]*)+"
)


def _private_keys(data: bytes) -> Iterator[Finding]:
    """PEM and PuTTY blocks whose body is a key; code and prose that only name the markers are left alone."""
    begins = list(_BEGIN.finditer(data))
    ends = iter(_END.finditer(data))
    end = next(ends, None)
    for number, begin in enumerate(begins):
        # A body ends at the next mark of either kind, so bodies never overlap and time is linear.
        limit = begins[number + 1].start() if number + 1 < len(begins) else len(data)
        while end is not None and end.start() < begin.end():
            end = next(ends, None)
        closed = end is not None and end.start() < limit
        stop = end.start() if closed and end else _end_of_base64(data, begin.end(), limit)
        runs = sum(len(run) for run in _BASE64_RUN.findall(data, begin.end(), stop))
        if runs >= 32 and runs >= 0.8 * len(_BETWEEN_RUNS.sub(b"", data[begin.end() : stop])):
            yield Finding(begin.start(), end.end() if closed and end else stop, "private-key")


def _end_of_base64(data: bytes, start: int, limit: int) -> int:
    """End of the lines of base64 that follow; a key may be cut off."""
    end = start
    for line in _LINE.finditer(data, start, limit):
        bare = _BETWEEN_RUNS.sub(b"", line[0])
        if bare and not _BASE64_RUN.fullmatch(bare):
            break
        end = line.end()
    return start + len(data[start:end].rstrip())
