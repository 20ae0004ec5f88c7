"""The sections of a prose document: rows under one chain of headings. Sections that say too little alone are joined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gnomon.chunk.layout import Heading, Layout
from gnomon.chunk.rows import Rows

# A section below a fifth of the target (40 of 200 tokens), its heading included, says too little alone.
_TINY_SHARE = 5


@dataclass(frozen=True, slots=True)
class Section:
    """One section.

    Attributes:
        first: Its first row; the heading, where it has one.
        body: First row after its heading.
        end: Row after its last.
        breadcrumb: Headings above it and its own, outermost first.
    """

    first: int
    body: int
    end: int
    breadcrumb: tuple[str, ...]


def sections(rows: Rows, found: Layout, first: int) -> list[Section]:
    """Sections in order; together they are the rows from ``first`` on."""
    listed: list[Section] = []
    begin = body = first
    above: list[Heading] = []
    for heading in found.headings:
        if heading.first > begin or above:
            listed.append(Section(begin, body, heading.first, _titles(above)))
        begin, body = heading.first, heading.last + 1
        above = [*(outer for outer in above if outer.level < heading.level), heading]
    listed.append(Section(begin, body, len(rows), _titles(above)))
    return listed


def _titles(headings: list[Heading]) -> tuple[str, ...]:
    return tuple(heading.title for heading in headings if heading.title)


def joined(listed: list[Section], rows: Rows, tokens: Callable[[Section], int], target: int) -> list[Section]:
    """The sections with headings that have no text of their own, and runs of tiny sections, put together.

    Args:
        listed: As ``sections`` gives them.
        rows: The document.
        tokens: Cost of a section.
        target: A joined section has at most this many tokens.
    """
    tiny = target // _TINY_SHARE
    done: list[Section] = []
    grown = 0  # tokens of the last one in ``done``
    grows = False  # whether it may still grow
    for section in listed:
        cost = tokens(section)
        merged = _merged(done[-1], section, rows) if grows else None
        whole = merged and merged.breadcrumb == section.breadcrumb  # nothing of the section's own place is lost
        if merged and (whole or (cost < tiny and grown + cost <= target)):
            done[-1] = merged
            grown += cost
        else:
            done.append(section)
            grown = cost
        grows = cost < tiny or _is_bare(section, rows)
    return done


def _is_bare(section: Section, rows: Rows) -> bool:
    return all(rows.blank[section.body : section.end])


def _merged(before: Section, section: Section, rows: Rows) -> Section | None:
    """Two sections as one: under the second's headings where the first has no text, else under what they share."""
    beneath = section.breadcrumb[: len(before.breadcrumb)] == before.breadcrumb
    if beneath and (not before.breadcrumb or _is_bare(before, rows)):
        return Section(before.first, section.body, section.end, section.breadcrumb)
    shared = _shared(before.breadcrumb, section.breadcrumb)
    return Section(before.first, before.body, section.end, shared) if shared else None


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return one[:length]
