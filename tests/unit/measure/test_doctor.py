"""The table of ``gnomon doctor``."""

from __future__ import annotations

from gnomon.lifecycle import resolve
from gnomon.lifecycle.graph import DocumentLife
from gnomon.measure.doctor import HEADER, diagnose, table
from gnomon.values import Status


def _findings(
    *documents: DocumentLife, warnings: tuple[str, ...] = (), only_problems: bool = False
) -> list[tuple[str, ...]]:
    found = diagnose([(each, warnings) for each in documents], resolve(documents), only_problems=only_problems)
    return [tuple(row) for row in table(found)]


def test_superseded_document_is_told_with_its_line_and_successor() -> None:
    """Document, status as read, from which line, successor, problems."""
    old = DocumentLife(1, "/f", "adr/1.md", status=Status.SUPERSEDED, successors=("2.md",), line=5)
    assert len(HEADER) == 5
    assert _findings(old, DocumentLife(2, "/f", "adr/2.md")) == [
        ("adr/1.md", "superseded (hidden)", "line 5", "adr/2.md", "")
    ]


def test_paths_of_several_folders_begin_with_the_folder() -> None:
    """Two notes of one name are two rows that look the same else."""
    lives = [DocumentLife(number, f"/f{number}", "a.md", status=Status.DRAFT, line=1) for number in (1, 2)]
    found = diagnose([(life, ()) for life in lives], resolve(lives))
    assert [row[0] for row in table(found, names={"/f1": "code", "/f2": "notes"})] == ["code/a.md", "notes/a.md"]


def test_dangling_successor_is_a_problem() -> None:
    """It is named as written."""
    row = _findings(DocumentLife(1, "/f", "a.md", status=Status.SUPERSEDED, successors=("gone.md",), line=2))[0]
    assert row[1:4] == ("superseded", "line 2", "gone.md (missing)")
    assert row[4] == "successor 'gone.md' is not among the indexed documents"


def test_status_in_effect_is_told_where_it_differs() -> None:
    """The document says accepted; its successor knows better."""
    old, new = DocumentLife(1, "/f", "a.md", line=2), DocumentLife(2, "/f", "b.md", supersedes=("a.md",))
    assert _findings(old, new)[0][1] == "living, in effect superseded (hidden)"


def test_document_that_only_its_successor_calls_superseded_is_not_at_fault() -> None:
    """The table names who says so; nothing is wrong with either."""
    old = DocumentLife(1, "/f", "adr/1.md", line=5)
    new = DocumentLife(2, "/f", "adr/2.md", supersedes=("1.md",))
    told = ("adr/1.md", "living, in effect superseded (hidden)", "line 5; adr/2.md", "adr/2.md", "")
    assert _findings(old, new)[0] == told
    assert not _findings(old, new, only_problems=True)


def test_living_document_that_says_so_is_listed() -> None:
    """Its status was read from a line; one that says nothing is not listed."""
    silent, told = DocumentLife(1, "/f", "a.md"), DocumentLife(2, "/f", "b.md", line=3)
    assert [row[0] for row in _findings(silent, told)] == ["b.md"]


def test_warnings_of_reading_are_problems() -> None:
    """A document with invalid YAML is listed although it is living."""
    assert _findings(DocumentLife(1, "/f", "a.md"), warnings=("line 7: invalid YAML",))[0][4] == "line 7: invalid YAML"


def test_only_problems_leaves_out_what_is_well() -> None:
    """A superseded document with a living successor is as it should be."""
    old = DocumentLife(1, "/f", "a.md", status=Status.SUPERSEDED, successors=("b.md",))
    assert not _findings(old, DocumentLife(2, "/f", "b.md"), only_problems=True)


def test_status_that_stands_beside_is_told_with_its_file() -> None:
    """One row for the page; the file that describes it has none of its own."""
    page = DocumentLife(1, "/f", "keps/1/README.md")
    told = DocumentLife(2, "/f", "keps/1/kep.yaml", status=Status.WITHDRAWN, line=4)
    assert _findings(page, told) == [("keps/1/README.md", "withdrawn", "kep.yaml line 4", "", "")]
