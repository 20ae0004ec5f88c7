"""The sections of a prose document: rows under one chain of headings. Sections that say too little alone are joined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gnomon.chunk.layout import Heading, Layout
from gnomon.chunk.rows import Rows

# A section below this many tokens, its heading included, says too little alone.
TINY_SECTION_TOKENS = 40


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
    done: list[Section] = []
    run = 0  # tokens of the last one in ``done``, where it may still grow
    for section in listed:
        cost = tokens(section)
        before = done[-1] if done else None
        if before and run and run + cost <= target:
            bare = all(rows.blank[before.body : before.end])
            beneath = section.breadcrumb[: len(before.breadcrumb)] == before.breadcrumb
            shared = _shared(before.breadcrumb, section.breadcrumb)
            if bare and beneath:
                done[-1] = Section(before.first, section.body, section.end, section.breadcrumb)
                run = run + cost if cost < TINY_SECTION_TOKENS else 0
                continue
            if cost < TINY_SECTION_TOKENS and (shared or not before.breadcrumb):
                done[-1] = Section(before.first, before.body, section.end, shared)
                run += cost
                continue
        done.append(section)
        run = cost if cost < TINY_SECTION_TOKENS else 0
    return done


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return one[:length]
