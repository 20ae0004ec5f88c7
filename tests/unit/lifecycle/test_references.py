"""What documents point at, as written."""

from __future__ import annotations

import pytest

from gnomon.lifecycle.dates import iso_date
from gnomon.lifecycle.references import link_definitions, named, references


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[ADR-0007](0007-tokens.md) and [8](<0008 keys.md>)", ("[ADR-0007](0007-tokens.md)", "[8](0008 keys.md)")),
        ("[[Token handling|tokens]], [[Keys#part]]", ("Token handling", "Keys")),
        (":doc:`0025-agent-fleet`", ("0025-agent-fleet",)),
        (":doc:`the fleet <0025-agent-fleet>`", ("0025-agent-fleet",)),
        (":pep:`750`", ("PEP 750",)),
        ("`the new one <new.rst>`_", ("[the new one](new.rst)",)),
        ("see https://example.org/adr/7.", ("https://example.org/adr/7",)),
        ("docs/adr/0010-d1.md", ("docs/adr/0010-d1.md",)),
        ("ADR-0144/0147/0149", ("ADR 0144", "ADR 0147", "ADR 0149")),
        ("ADR 5, 6 and 7", ("ADR 5", "ADR 6", "ADR 7")),
        ("649, 749", ("649", "749")),
        ("#12 on 2026-05-19", ("12",)),
        ("0014-pnpm-workspaces", ("0014-pnpm-workspaces",)),
        ("adr-2026-08-24-login", ("adr-2026-08-24-login",)),
        ("in May 2024", ()),
        ("version 3", ()),
        ("2026-03-01", ()),
        ("[9](9.md), which builds on [3](3.md)", ("[9](9.md)",)),
        ("ADR-033 (partial), ADR-034", ("ADR 034",)),
        ("ADR-033 (extends), ADR-034", ("ADR 034",)),
        ("[unknown label][nowhere]", ("unknown label",)),
        ("[see ADR 9]", ("ADR 9",)),
        ("nothing at all", ()),
    ],
)
def test_first_list_of_references_is_found(text: str, found: tuple[str, ...]) -> None:
    """Links, roles, paths, numbers; dates and other numbers are none."""
    assert references(text) == found


def test_reference_style_links_come_as_inline_links() -> None:
    """By their definitions, the first of a label counting."""
    definitions = link_definitions("text\n\n[adr 9]: 0009.md\n[ADR 9]: other.md\n[gone]: @ref x\n")
    assert references("[ADR 9], [Nine][adr 9] and [gone][gone]", definitions) == (
        "[ADR 9](0009.md)",
        "[Nine](0009.md)",
        "gone",
    )


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('"Token handling" (2024)', "Token handling"),
        ("the new way of doing it. Ask Ann.", "the new way of doing it"),
        ("this was decided by many people over a long time and for a great many reasons", ""),
        ("2024-01-05", ""),
        ("none", ""),
        ("", ""),
    ],
)
def test_short_clause_may_be_a_title(text: str, title: str) -> None:
    """Prose, dates and "none" are no titles."""
    assert named(text) == title


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2024-1-5", "2024-01-05"),
        ("2024/01/05 10:00", "2024-01-05"),
        ("2024年1月5日", "2024-01-05"),
        ("05.01.2024", "2024-01-05"),
        ("13-Jul-2001", "2001-07-13"),
        ("5th of nothing", ""),
        ("January 5th, 2024", "2024-01-05"),
        ("5. März 2024", "2024-03-05"),
        ("32.01.2024", ""),
        ("12/02/26", ""),
    ],
)
def test_date_is_read_as_documents_write_it(text: str, iso: str) -> None:
    """Ambiguous and impossible ones are none."""
    assert iso_date(text) == iso
