"""Text to ``Lifecycle``: what the fields of one document amount to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from gnomon.lifecycle.dates import iso_date, looks_like_date
from gnomon.lifecycle.fields import Field, fold_key
from gnomon.lifecycle.frontmatter import read_front_matter, read_whole_yaml
from gnomon.lifecycle.head import head_fields
from gnomon.lifecycle.references import is_nothing, is_partial, is_placeholder, link_definitions, named, references
from gnomon.lifecycle.spellings import DATE_ORDER, FALSE, FLAGS, TRUE
from gnomon.lifecycle.statements import Statement, plain, read_banner, read_comment, read_status
from gnomon.lifecycle.xml_head import xml_fields
from gnomon.lines import lines
from gnomon.values import Lifecycle, Status

_TEMPLATE_NAME = re.compile(
    r"(?:^|[-_.\s\d])(?:template|vorlage|boilerplate)(?:[-_.\s]|$)|テンプレート|模板", re.IGNORECASE
)
_COMMENT = re.compile(r"\s#[#\s]*(?P<comment>\S.*)$")
_MAX_FIELDS = 500  # of front matter that is read
_MAX_HEAD_CHARS = 100_000  # in which front matter ends
_MAX_VALUE_CHARS = 2_000  # of one field; patterns over links and paths are quadratic in it
_TEMPLATE_FOLDERS = frozenset({"template", "templates", "_templates", "vorlagen", "テンプレート", "模板"})


def read(text: str, *, path: str) -> Lifecycle:
    """Read one prose document; see ``gnomon.lifecycle.read_lifecycle``."""
    front = read_front_matter(text)
    body_start = front.body_start if text[front.body_start :].strip() else 0
    told_first = _with_comments(front.fields[:_MAX_FIELDS], text)
    fields = [_bounded(each) for each in (*told_first, *head_fields(text, front.body_start))]
    definitions = link_definitions(text) if any("][" in each.value or "[" in each.value for each in fields) else {}
    date, warnings = _date(fields)
    title = next((plain(each.value).strip() for each in fields if each.key == "title" and each.value), "")
    common = {
        "date": date,
        "expires": next((iso for each in fields if each.key == "expires" and (iso := iso_date(each.value))), ""),
        "title": title[:300],
        "body_start": body_start,
        "warnings": front.warnings + warnings,
    }
    if _is_template(path, title):
        return Lifecycle(**common)  # type: ignore[arg-type]
    told, line = _told(fields, definitions)
    successors = tuple(dict.fromkeys([*told.successors, *_successors(fields, definitions)]))
    line = line or next((each.line for each in fields if each.key == "successor" and successors), 0)
    return Lifecycle(
        status=told.status or Status.LIVING,
        successors=successors,
        supersedes=tuple(dict.fromkeys(_predecessors(fields, definitions))),
        line=line,
        **common,  # type: ignore[arg-type]
    )


def read_described(text: str, *, path: str) -> Lifecycle:
    """Read a document that is all header, or whose header is in XML; its text stays as it is."""
    fields: Sequence[Field] = xml_fields(text)
    if not path.lower().endswith((".xml", ".xep")):
        fields = read_whole_yaml(text)
        if not {"status", "title"} <= {each.name for each in fields}:
            return Lifecycle()
    fields = [_bounded(each) for each in _with_comments(fields, text)]
    told, line = _told(fields, {})
    successors = tuple(dict.fromkeys([*told.successors, *_successors(fields, {})]))
    if not _is_template(path, ""):
        return Lifecycle(
            status=told.status or Status.LIVING,
            date=_date(fields)[0],
            successors=successors,
            supersedes=tuple(dict.fromkeys(_predecessors(fields, {}))),
            title=next((each.value for each in fields if each.key == "title"), "")[:300],
            line=line or next((each.line for each in fields if each.key == "successor" and successors), 0),
        )
    return Lifecycle()


def _with_comments(fields: Sequence[Field], text: str) -> list[Field]:
    """The same, with what stands behind a status on its line."""
    judged = {each.line for each in fields if each.key in ("status", "flag") or each.name in FLAGS}
    rows = enumerate(lines(text[:_MAX_HEAD_CHARS]), start=1) if judged else ()
    behind = {at: _COMMENT.search(row[:_MAX_VALUE_CHARS]) for at, row in rows if at in judged}
    return [replace(each, comment=found["comment"]) if (found := behind.get(each.line)) else each for each in fields]


def _bounded(field: Field) -> Field:
    return field if len(field.value) <= _MAX_VALUE_CHARS else replace(field, value=field.value[:_MAX_VALUE_CHARS])


def _is_template(path: str, title: str) -> bool:
    place = PurePosixPath(path)
    in_folder = any(part.casefold() in _TEMPLATE_FOLDERS for part in place.parts[:-1])
    return in_folder or bool(_TEMPLATE_NAME.search(place.stem)) or fold_key(title) in {"template", "adr template"}


# -- status -----------------------------------------------------------------------------------------------------------


def _told(fields: Iterable[Field], definitions: Mapping[str, str]) -> tuple[Statement, int]:
    """The statement that counts, and its line.

    One that names a successor counts before all; then front matter, status lines, the status section, banners.
    """
    told = [(statement, line) for statement, line in _statements(fields, definitions) if statement.status is not None]
    for statement, line in told:
        if statement.status is Status.SUPERSEDED and statement.successors:
            return statement, line
    if not told:
        return Statement(), 0
    first, line = told[0]
    if first.status is Status.LIVING and not first.partial:
        # "accepted" in one place and "superseded" in another: nobody writes the second by mistake
        return next((each for each in told if each[0].status is Status.SUPERSEDED), (first, line))
    return first, line


def _statements(fields: Iterable[Field], definitions: Mapping[str, str]) -> Iterator[tuple[Statement, int]]:
    banners = []
    for each in fields:
        if each.source == "banner":
            banners.append(each)
        elif each.key == "status":
            yield _by_comment(read_status(each.value, definitions), each, definitions), each.line
        elif each.key == "flag" or each.name in FLAGS:
            yield _by_comment(_flag(each), each, definitions), each.line
    for each in banners:
        yield read_banner(each.value, definitions), each.line


def _by_comment(told: Statement, field: Field, definitions: Mapping[str, str]) -> Statement:
    """A statement with the successors that only the comment behind it names: "replaced  # by the new plan"."""
    if told.status is not Status.SUPERSEDED or told.successors or not field.comment:
        return told
    return replace(told, successors=read_comment(field.comment, definitions))


def _flag(field: Field) -> Statement:
    """Read "archived: true"; a date ("superseded: 2019-12-19 by …") says yes as well."""
    value = field.value.strip().casefold()
    if value in FALSE or is_nothing(value) or field.name not in FLAGS:
        return Statement()
    if value in TRUE or looks_like_date(value):
        return Statement(FLAGS[field.name])
    return Statement()


# -- successors -------------------------------------------------------------------------------------------------------


def _successors(fields: Iterable[Field], definitions: Mapping[str, str]) -> Iterator[str]:
    for each in fields:
        if each.key == "successor" and not is_partial(each.value):
            yield from _pointers(each, definitions)


def _predecessors(fields: Iterable[Field], definitions: Mapping[str, str]) -> Iterator[str]:
    for each in fields:
        if each.key == "predecessor" and not is_partial(re.sub(r"\([^()]*\)", "", each.value)):
            yield from _pointers(each, definitions)


def _pointers(field: Field, definitions: Mapping[str, str]) -> Iterator[str]:
    value = plain(field.value).strip()
    if is_nothing(value) or value.casefold() in TRUE or is_placeholder(value):
        return
    found = references(value, definitions)
    if found:
        yield from found
    elif field.source == "front matter" and not looks_like_date(value):
        yield named(value) or value[:200]


# -- date -------------------------------------------------------------------------------------------------------------


def _date(fields: Iterable[Field]) -> tuple[str, tuple[str, ...]]:
    dated = [each for each in fields if each.key == "date"]
    dated.sort(key=lambda each: DATE_ORDER.index(each.name) if each.name in DATE_ORDER else len(DATE_ORDER))
    warnings = tuple(
        f"line {each.line}: {each.value.strip()[:40]!r} is no date"
        for each in dated
        if looks_like_date(each.value) and not iso_date(each.value)
    )
    return next((iso for each in dated if (iso := iso_date(each.value))), ""), warnings
