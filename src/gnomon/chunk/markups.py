"""The layout of the other markups people write prose in, and which language is read how."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from gnomon.chunk import markdown
from gnomon.chunk.layout import MAX_TITLE_CHARS, Draft, Layout
from gnomon.chunk.rows import Rows

# In a notebook the code is what the document is about; elsewhere it illustrates prose that says the same.
EMBEDS_CODE = frozenset({"jupyter"})
Reader = Callable[[Rows, int], Layout]

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1+[ \t]*$")
_SHORT_ADORNMENT_CHARS = 4
# No heading is longer; the expressions below are not linear in the line.
_MAX_HEADING_CHARS = 500
_TIMING = re.compile(r"\s*(?:\d{1,3}:)?\d{1,2}:\d{2}[,.]\d{1,3}\s*(?:-->|,)\s*(?:\d{1,3}:)?\d{1,2}:\d{2}[,.]\d{1,3}")
_RST_CODE = re.compile(
    r"\s*\.\.(?: (?:code-block|code|sourcecode|parsed-literal|highlight|prompt)::|\s*$| (?![\w-]+::|_|\[|\|)\S)"
)


def read_layout(rows: Rows, language: str, first: int = 0) -> Layout:
    """The layout of a document; rows before ``first`` (front matter) are not looked at."""
    return _READERS.get(language, _plain)(rows, first)


def _restructured(rows: Rows, first: int) -> Layout:
    """reStructuredText: adorned titles, whose levels are the order in which the adornments first appear."""
    found = Draft([False] * len(rows))
    _mark_literals(rows, first, found.code)
    _read_adorned(rows, first, found, strict=False)
    return found.layout()


def _plain(rows: Rows, first: int) -> Layout:
    """Plain text: a title with an underline of about its own length."""
    found = Draft([False] * len(rows))
    _read_adorned(rows, first, found, strict=True)
    return found.layout()


def _subtitles(rows: Rows, _first: int) -> Layout:
    """Subtitles: when a line is shown, and its number, are for the player and not for the embedder."""
    found = Draft([False] * len(rows))
    for row, line in enumerate(rows.lines):
        if _TIMING.match(line):
            found.code[row] = True
            if row and rows.lines[row - 1].strip().isdigit():
                found.code[row - 1] = True
    return found.layout()


def _read_adorned(rows: Rows, first: int, found: Draft, *, strict: bool) -> None:
    styles: dict[tuple[str, bool], int] = {}
    free = first  # rows before it belong to a heading already
    for row in range(first + 1, len(rows)):
        line = rows.lines[row]
        if found.code[row] or not line or line[0].isalnum() or line[0] == " " or not _ADORNMENT.match(line):
            continue
        title = rows.lines[row - 1]
        over = row - 2 >= free and rows.lines[row - 2].rstrip() == line.rstrip()
        if not _is_title(rows, row, free, over=over) or (strict and abs(len(title.strip()) - len(line.rstrip())) > 2):
            continue
        level = styles.setdefault((line[0], over), len(styles) + 1)
        found.heading(row - 2 if over else row - 1, row, level, title)
        free = row + 1


def _is_title(rows: Rows, underline: int, free: int, *, over: bool) -> bool:
    """Whether the row above an adornment is a title: alone between blank rows, not indented, not too long for it."""
    title = rows.lines[underline - 1]
    if underline - 1 < free or rows.blank[underline - 1] or _ADORNMENT.match(title) or len(title) > MAX_TITLE_CHARS:
        return False
    if not over and (title[0].isspace() or (underline - 2 >= free and not rows.blank[underline - 2])):
        return False
    width = len(rows.lines[underline].rstrip())
    return width >= min(len(title.strip()), _SHORT_ADORNMENT_CHARS)


def _mark_literals(rows: Rows, first: int, code: list[bool]) -> None:
    """Code directives, comments and what is indented under a paragraph that ends in ``::``."""
    margin = -1  # indentation of the row that opened a literal block
    for row in range(first, len(rows)):
        if rows.blank[row]:
            continue
        line = rows.lines[row]
        indent = len(line) - len(line.lstrip())
        if margin >= 0 and indent > margin:
            code[row] = True
            continue
        directive = _RST_CODE.match(line)
        opens = line.rstrip().endswith("::") and not line.lstrip().startswith("..")
        margin = indent if directive or opens else -1
        code[row] = bool(directive)


def _delimited(heading: re.Pattern[str], opening: re.Pattern[str] | None, closing: Callable[[str], str]) -> Reader:
    """A reader of headings that stand on one line, outside blocks that a delimiter opens and closes."""

    def read(rows: Rows, first: int) -> Layout:
        found = Draft([False] * len(rows))
        closer = ""
        for row in range(first, len(rows)):
            line = rows.lines[row]
            if closer:
                found.code[row] = True
                if line.strip().lower() == closer:
                    closer = ""
            elif opening and opening.match(line):
                found.code[row] = True
                closer = closing(line.strip().lower())
            elif len(line) <= _MAX_HEADING_CHARS and (match := heading.match(line)):
                found.heading(row, row, _level(match[1]), match[2])
        return found.layout()

    return read


_LATEX_LEVELS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_NAMED_LEVELS = {"sh": 1, "ss": 2, **{name: level for level, name in enumerate(_LATEX_LEVELS, 1)}}


def _level(mark: str) -> int:
    """Level of a heading by its mark: ``==``, ``h2.``, ``section``, ``SH``."""
    known = _NAMED_LEVELS.get(mark.lower())
    if known:
        return known
    return int(mark[1]) if mark[0] == "h" and mark[1:2].isdigit() else len(mark)


_MARKDOWN: Reader = markdown.read
# Extracted text has its headings as "# "; a line of dashes in it is a line of dashes.
_EXTRACTED: Reader = partial(markdown.read, setext=False)

_READERS: dict[str, Reader] = {
    "markdown": _MARKDOWN,
    "rst": _restructured,
    "asciidoc": _delimited(
        re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)$"),
        re.compile(r"(?:-{4,}|\.{4,}|/{4,}|\+{4,}|```.*)[ \t]*$"),
        lambda line: line[:3] if line.startswith("```") else line,
    ),
    "org": _delimited(
        re.compile(
            r"(\*{1,9})[ \t]+(?:(?:TODO|DONE|NEXT|WAITING)[ \t]+)?(?:\[#[A-Z]\][ \t]+)?"
            r"(\S.*?)(?:[ \t]+:[\w@:]+:)?[ \t]*$"
        ),
        re.compile(r"[ \t]*#\+begin_(?:src|example|comment|export)\b", re.IGNORECASE),
        lambda line: line.split()[0].replace("begin", "end"),
    ),
    "latex": _delimited(
        re.compile(
            r"\s*\\(part|chapter|section|subsection|subsubsection|paragraph|subparagraph)\*?(?:\[[^\]]{0,200}\])?\{([^{}]{1,200})"
        ),
        re.compile(r"\s*\\begin\{(?:verbatim|lstlisting|minted|comment)\*?\}"),
        lambda line: f"\\end{{{line.partition('{')[2].partition('}')[0]}}}",
    ),
    "mediawiki": _delimited(re.compile(r"(={1,6})[ \t]*([^=\s].*?)[ \t]*\1[ \t]*$"), None, str),
    "typst": _delimited(re.compile(r"[ \t]*(={1,6})[ \t]+(\S.*)$"), re.compile(r"\s*```"), lambda _line: "```"),
    "textile": _delimited(re.compile(r"(h[1-6])(?:\([^)]{0,80}\))?\.[ \t]+(\S.*)$"), None, str),
    "man": _delimited(re.compile(r"\.(S[HS]|s[hs]|S[hs])[ \t]+\"?([^\"\r\n]+)"), None, str),
    "jupyter": _MARKDOWN,
    "srt": _subtitles,
    "vtt": _subtitles,
    **dict.fromkeys(
        ("html", "docx", "doc", "odt", "odp", "pptx", "ppt", "pdf", "epub", "rtf", "email", "mbox", "msg"), _EXTRACTED
    ),
}
