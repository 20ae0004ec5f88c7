"""Exact search: a regular expression over the lines of texts, in time linear in their length.

Which texts, and how they are read, is the caller's choice: plain files and extracted documents are searched alike.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from gnomon.discover.globs import matches_in
from gnomon.errors import DocumentError, UsageError
from gnomon.values import Anchor, Extracted, Folder, Span

MAX_LINE_CHARS = 300  # of a line that is returned; longer ones are cut around the match
MAX_PATTERN_CHARS = 10_000
_CUT = "…"
_LINE_ENDS = re.compile(rb"\r\n?")
# What Python's and Perl's engines know and a linear-time engine cannot do, to name it instead of echoing its parser.
_UNSUPPORTED = (
    (re.compile(r"\(\?<?[=!]"), "look-ahead and look-behind"),
    (re.compile(r"\\[1-9]|\(\?P=|\\k[<{']"), "back-references"),
    (re.compile(r"\(\?>|[*+?}]\+"), "atomic groups and possessive repeats"),
    (re.compile(r"\(\?\(|\(\?R\)|\(\?[0-9]|\(\?&"), "conditions and recursion"),
)
_ESCAPED = re.compile(r"\\\\|\[(?:\\.|[^\]\\])+\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class GrepText:
    """One text to be searched.

    Attributes:
        folder: Where it lies.
        path: Relative to the folder.
        extract: Gives the text when its turn comes; a ``DocumentError`` leaves it out and counts it as unread.
    """

    folder: Folder
    path: str
    extract: Callable[[], Extracted]


@dataclass(frozen=True, slots=True)
class GrepMatch:
    """One line that matches; a line counts once.

    Attributes:
        folder: Where it lies.
        path: Relative to the folder.
        line: 1-based, in the extracted text, as an editor counts; where there is an anchor, lines mean nothing to
            the reader of the original.
        anchor: "page 12" and the like, or "".
        text: The line without its end; cut around the match where it is long, "…" standing for what is missing.
        match: Where the first match stands in ``text``.
    """

    folder: Folder
    path: str
    line: int
    anchor: str
    text: str
    match: Span


@dataclass(frozen=True, slots=True)
class GrepResult:
    """What a search found.

    Attributes:
        matches: In the order of the texts, lines in order.
        truncated: There are more.
        files_searched: Texts looked at, wholly or up to the cut.
        files_unread: Texts that could not be had.
    """

    matches: tuple[GrepMatch, ...]
    truncated: bool
    files_searched: int
    files_unread: int = 0


def grep(
    pattern: str,
    *,
    files: Iterable[GrepText],
    case_sensitive: bool = False,
    max_results: int = 50,
    file_glob: str | None = None,
) -> GrepResult:
    r"""Search texts line by line.

    Args:
        pattern: RE2 syntax. ``^`` and ``$`` are the borders of a line; nothing matches across lines.
        files: In the order results are wanted; taken one by one, no further than needed.
        case_sensitive: By default letters match in either case.
        max_results: Lines returned at most, >= 1.
        file_glob: Only paths that ``matches_in`` admits.

    Raises:
        UsageError: The pattern is empty, malformed or needs what a linear-time engine cannot do; or ``max_results``
            is below 1.
    """
    if max_results < 1:
        raise UsageError(f"maxResults must be 1 or more, not {max_results}")
    expression = _compile(pattern, case_sensitive=case_sensitive)
    matches: list[GrepMatch] = []
    searched = unread = 0
    for file in files:
        if file_glob is not None and not matches_in(str(file.folder.root), file.path, file_glob):
            continue
        try:
            extracted = file.extract()
        except DocumentError:
            unread += 1
            continue
        searched += 1
        for match in _matching_lines(expression, file, extracted):
            if len(matches) == max_results:
                return GrepResult(tuple(matches), truncated=True, files_searched=searched, files_unread=unread)
            matches.append(match)
    return GrepResult(tuple(matches), truncated=False, files_searched=searched, files_unread=unread)


def _compile(pattern: str, *, case_sensitive: bool) -> Any:
    import re2

    if not pattern:
        raise UsageError("the pattern is empty")
    if len(pattern) > MAX_PATTERN_CHARS:
        raise UsageError(f"the pattern has more than {MAX_PATTERN_CHARS:,} characters")
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = case_sensitive
    options.never_nl = True  # a class such as [^x] would reach over the end of its line
    options.never_capture = True
    try:
        return re2.compile(b"(?m)" + pattern.encode("utf-8"), options)  # type: ignore[no-untyped-call]
    except UnicodeEncodeError as e:
        raise UsageError("the pattern holds half of a surrogate pair, which no text holds") from e
    except re2.error as e:
        raise UsageError(f"pattern {pattern!r} cannot be used: {_reason(pattern, e)}") from e


def _reason(pattern: str, error: Exception) -> str:
    bare = _ESCAPED.sub("", pattern)
    for feature, name in _UNSUPPORTED:
        if feature.search(bare):
            return f"{name} are not supported, as they can take for ever"
    said = error.args[0] if error.args else error
    return (said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)).replace("(?m)", "", 1)


def _matching_lines(expression: Any, file: GrepText, extracted: Extracted) -> Iterator[GrepMatch]:
    # Bytes: the engine works on them, and would encode the whole text anew for each match.
    data = extracted.text.encode("utf-8", "replace")
    if b"\r" in data:
        data = _LINE_ENDS.sub(b"\n", data)
    places = _Places(extracted)
    line, counted, at = 1, 0, 0
    while at <= len(data) and (found := expression.search(data, at)) is not None:
        start = data.rfind(b"\n", 0, found.start()) + 1
        if start == len(data) and start:
            return  # behind the last line end there is no line
        end = data.find(b"\n", found.start())
        end = len(data) if end < 0 else end
        line += data.count(b"\n", counted, start)
        counted = start
        text, match = _cut(data[start:end], found.start() - start, found.end() - start)
        yield GrepMatch(file.folder, file.path, line, places.anchor(line), text, match)
        at = end + 1


def _cut(line: bytes, start: int, end: int) -> tuple[str, Span]:
    """The line as text, with at most ``MAX_LINE_CHARS`` of it around the match, which is what is kept first."""
    window = 4 * MAX_LINE_CHARS  # bytes of a character at most
    before = line[max(0, start - window) : start].decode("utf-8", "ignore")
    matched = line[start : min(end, start + window)].decode("utf-8", "ignore")[:MAX_LINE_CHARS]
    after = line[end : end + window].decode("utf-8", "ignore")
    spare = MAX_LINE_CHARS - len(matched)
    left = min(len(before), max(spare // 3, spare - len(after)))
    right = min(len(after), spare - left)
    whole_left = left == len(before) and start <= window
    whole_right = right == len(after) and end + window >= len(line) and len(matched) == _char_count(line[start:end])
    head = ("" if whole_left else _CUT) + (before[len(before) - left :])
    text = head + matched + after[:right] + ("" if whole_right else _CUT)
    return text, Span(len(head), len(head) + len(matched))


def _char_count(data: bytes) -> int:
    return sum(byte & 0xC0 != 0x80 for byte in data[: 4 * MAX_LINE_CHARS + 1])


class _Places:
    """Anchors by line of the text; an anchor inside a line counts from that line on."""

    def __init__(self, extracted: Extracted) -> None:
        self._anchors: tuple[Anchor, ...] = extracted.anchors
        self._lines: list[int] = []
        if self._anchors:
            from gnomon.lines import LineIndex

            index = LineIndex(extracted.text)
            last = max(len(extracted.text), 0)
            self._lines = [index.line_at(min(anchor.offset, last)) for anchor in self._anchors]

    def anchor(self, line: int) -> str:
        position = bisect_right(self._lines, line)
        return self._anchors[position - 1].label if position else ""
