"""How documents point at each other in text: links, paths, numbers ("ADR-0007"), titles; found here, resolved later."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from gnomon.lifecycle.spellings import KEPT_FOR_HISTORY, NOTHING, PARTIAL

_MAX_CHARS = 600  # a statement above this is prose
_MAX_TITLE_WORDS = 12

_SUFFIXES = "md|markdown|mdx|mkd|rst|adoc|asciidoc|txt|text|html?|mediawiki|org|docx|odt|pdf"
_REFERENCE = re.compile(
    rf"""
    \[\[(?P<wiki>[^\[\]\n]{{1,200}})\]\]
    | \[(?P<text>[^\[\]\n]{{0,200}})\]
      \([ \t]*(?P<target><[^<>\n]{{1,500}}>|[^()\s<>]{{1,500}}(?:\([^()\s]{{0,100}}\)[^()\s<>]{{0,200}})?)
      [^()\n]{{0,200}}\)
    | \[(?P<label>[^\[\]\n]{{1,200}})\](?:\[(?P<name>[^\[\]\n]{{0,200}})\])?
    | :(?P<role>doc|ref|pep|rfc|adr|term):`(?P<body>[^`\n]{{1,200}})`
    | `(?P<rst_text>[^`<>\n]{{0,200}})<(?P<rst_target>[^<>`\n]{{1,300}})>`_{{0,2}}
    | (?P<url>https?://[^\s<>)\]"'`]{{1,500}})
    | (?P<path>(?<![\w./~-])[\w./~%+@-]{{0,300}}[\w%+@-]\.(?:{_SUFFIXES})(?![\w/])(?:\#[\w-]{{1,100}})?)
    | (?P<slug>(?<![\w./-])(?:[A-Za-z]{{1,12}}-)?\d{{1,6}}(?:[-_][\w.]{{1,80}}){{1,30}})
    | (?<![\w./-])(?P<prefix>[A-Za-z]{{1,12}}(?:-[A-Za-z]\w{{0,8}})?)[ \t_\#.:-]{{0,2}}
      (?P<number>\d{{1,6}})(?![\w%]|\.\d)
      (?P<more>(?:\s*(?:/|,|&|\+|and|und|et|y)\s*\#?\d{{1,6}}(?![\w.%-])){{0,20}})
    """,
    re.VERBOSE,
)
_BARE_NUMBER = re.compile(r"(?<![\w./:-])\#?(?P<number>\d{1,6})(?![\w%/:-]|\.\d)")
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}(?![\w-])|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_BETWEEN = re.compile(
    r"[\s,;&+/]*(?:\([^()]*\)|\b(?:and|und|et|y|e|sowie|plus|then|as well as|および|と|和|及)\b|[\s,;&+/])*"
)
_NOTE = re.compile(r"\s*[\"'`*]*\s*\((?P<note>[^()]{1,200})\)")
_DEFINITION = re.compile(r"^ {0,3}\[(?P<label>[^\]\n]{1,100})\]:[ \t]*<?(?P<target>[^\s>]{1,500})", re.MULTILINE)
_PLACEHOLDER = re.compile(
    r"X{2,}|N{2,}|Y{2,}|#{2,}|\?{2,}|\b0{3,}\b|(?<=[A-Za-z])0{3,}\b|[<{][^<>{}]+[>}]|our-past-effort|path/to|to/be|"
    r"\b(?:xx+|nn+|yy+)\b|\bADR-?[XNY]\b|^\s*\[?(?:link|title|date|adr|number|name|url|path)\]?\s*$|example\.(?:com|md)"
)
# What stands before a number that is no document's: "on 2024", "in May 2024", "version 3", "step 2".
_NO_PREFIX = frozenset(
    {
        *("a", "an", "the", "in", "on", "at", "by", "of", "and", "or", "to", "from", "for", "since", "as"),
        *("until", "with", "is", "was", "no", "than", "then", "see", "über", "im", "am", "seit", "ab", "vom"),
        *("version", "v", "release", "python", "swift", "java", "node", "step", "phase", "point", "points"),
        *("item", "line", "page", "section", "chapter", "table", "figure", "part", "jan", "feb", "mar", "apr"),
        *("may", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "january", "february", "march"),
        *("april", "june", "july", "august", "september", "october", "november", "december", "januar"),
        *("februar", "märz", "mai", "juni", "juli", "oktober", "dezember", "issue", "pull", "pr"),
    }
)
_WORD_PARTIAL = re.compile(
    "|".join(rf"\b{re.escape(each)}\b" if each.isascii() else re.escape(each) for each in PARTIAL), re.IGNORECASE
)
_EXTENDS = re.compile(
    r"\b(?:extend|amend|refin|updat|supplement|build|complement|clarif|erweiter|ergänz)\w*", re.IGNORECASE
)


def references(text: str, definitions: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The first list of references in a text, as written; empty where it points at nothing.

    A list ends where something other than commas, "and" or a note in parentheses follows. A reference whose note
    says that it holds for a part only is left out. Reference-style links come as inline links.

    Args:
        text: What stands behind "superseded by"; longer than a statement is cut.
        definitions: Targets of reference-style links by folded label.
    """
    text = text[:_MAX_CHARS]
    found: list[str] = []
    bare, end = text, -1
    for match in _REFERENCE.finditer(text):
        written = list(_written(match, definitions or {}))
        if not written:
            bare = bare[: match.start()] + " " * len(match[0]) + bare[match.end() :]
            continue
        if end >= 0 and not _BETWEEN.fullmatch(text, end, match.start()):
            break
        end = match.end()
        note = _NOTE.match(text, end)
        if not (note and (is_partial(note["note"]) or _EXTENDS.search(note["note"]))):
            found += written
    if not found and end < 0:
        found = [match["number"] for match in _BARE_NUMBER.finditer(_DATE.sub(" ", bare))][:20]
    return tuple(dict.fromkeys(each for each in found if not is_nothing(each)))


def _written(match: re.Match[str], definitions: Mapping[str, str]) -> Iterator[str]:
    if match["wiki"]:
        yield match["wiki"].split("|")[0].split("#")[0].strip()
    elif match["target"]:
        yield f"[{match['text'].strip('`* ')}]({match['target'].strip('<>')})"
    elif match["label"]:
        yield from _labelled(match, definitions)
    elif match["role"]:
        target = re.search(r"<([^<>]+)>", match["body"])
        body = (target[1] if target else match["body"]).strip()
        yield f"{match['role'].upper()} {body}" if body.isdigit() else body
    elif match["rst_target"]:
        yield f"[{match['rst_text'].strip()}]({match['rst_target']})"
    elif match["prefix"]:
        yield from _numbered(match)
    else:
        written = match[0].rstrip(".,;:")
        if not _DATE.fullmatch(written):
            yield written


def _labelled(match: re.Match[str], definitions: Mapping[str, str]) -> Iterator[str]:
    label = match["label"].strip("`* ")
    target = definitions.get((match["name"] or match["label"]).strip("`* ").casefold())
    if target and not target.startswith("@"):
        yield f"[{label}]({target})"
    else:
        inner = references(label)
        yield from inner or ([label] if match["name"] else [])


def _numbered(match: re.Match[str]) -> Iterator[str]:
    prefix = match["prefix"]
    if prefix.casefold() in _NO_PREFIX:
        return
    yield f"{prefix} {match['number']}"
    for number in re.findall(r"\d+", match["more"] or ""):
        yield f"{prefix} {number}"


def named(text: str) -> str:
    """The title a text seems to be, or "": its first clause, where that is short enough for a title."""
    title = re.split(r"\n|[.;!?](?:\s|$)|\s[—–-]\s|[()（）。]", text.strip().strip("\"'`*_:→- "), maxsplit=1)[0]
    title = title.strip().strip("\"'`*_„“”«»")
    is_title = title and len(title.split()) <= _MAX_TITLE_WORDS and re.search(r"[^\W\d]", title)
    return title if is_title and not is_nothing(title) and not _DATE.fullmatch(title) else ""


def link_definitions(text: str) -> dict[str, str]:
    """Targets of reference-style links by folded label; the first definition counts."""
    table: dict[str, str] = {}
    for match in _DEFINITION.finditer(text):
        table.setdefault(match["label"].strip("`* ").casefold(), match["target"])
    return table


def is_nothing(text: str) -> bool:
    """Whether a value says that there is none ("N/A", "[[]]") or is a template's own text ("ADR-XXXX")."""
    bare = text.strip().strip("\"'`*_. ").casefold()
    return bare in NOTHING or text.strip().casefold() in NOTHING or is_placeholder(text)


def is_placeholder(text: str) -> bool:
    """Whether a value is a template's own text ("ADR-XXXX", "<number>", "our-past-effort.md")."""
    return bool(_PLACEHOLDER.search(text))


def is_partial(text: str) -> bool:
    """Whether a statement holds for a part of its document only."""
    if not _WORD_PARTIAL.search(text):
        return False
    return not any(each in text.casefold() for each in KEPT_FOR_HISTORY)
