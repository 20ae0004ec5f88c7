"""Values as people read them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gnomon.cli.render import (
    answer,
    explanation,
    folder_totals,
    notes_answer,
    plain_answer,
    plain_grep_match,
    totals,
)
from gnomon.index.report import FolderReport, IndexReport
from gnomon.search.fields import told_evidence
from gnomon.search.grep import GrepMatch
from gnomon.values import Answer, Folder, Hit, Span

_HIT = Hit(
    rank=1, folder="/f", path="a.md", span=Span(0, 5), start_line=1, end_line=1, text="heron", score=1.0, label="exact"
)  # fmt: skip


def test_totals_of_one_are_singular() -> None:
    """In the line of a folder and in that of the run."""
    folder = FolderReport(Folder("f", Path("/f")), files_processed=1, chunks_written=1, redactions=1)
    assert "1 chunk," in folder_totals(folder) + ","
    assert "1 secret replaced" in folder_totals(folder)
    assert "1 chunk (" in totals(IndexReport(folders=(folder,), chunks_pending=1))
    assert "1 chunk is found by words only" in totals(IndexReport(folders=(folder,), chunks_pending=1))


@pytest.mark.parametrize(
    ("text", "line", "shown"),
    [
        ("is this is it is\nthe gateways\n", 8, "the gateways"),
        ("one\r\n\r\nthe gateways\r\n", 9, "the gateways"),
        ("\n\nnothing of it\nat all", 9, "nothing of it"),
        ("", 7, ""),
    ],
)
def test_place_is_that_of_the_line_shown(text: str, line: int, shown: str) -> None:
    """Whoever follows it finds what was printed; a stop word does not choose the line, and a blank one is none."""
    result = Answer(hits=(replace(_HIT, text=text, start_line=7),))
    words = ["what", "is", "the", "gateway"]
    assert answer(result, words, colour=False) == f" 1. /f/a.md:{line}  [exact]\n    {shown}"
    assert plain_answer(result, words) == f"/f/a.md:{line}\t1.0000\texact\t{shown}"


@pytest.mark.parametrize(("anchor", "where"), [("line 40", "/f/a.md:40"), ("page 3", "/f/a.md:7 (page 3)")])
def test_line_is_that_of_the_source_where_the_text_has_others(anchor: str, where: str) -> None:
    """An editor opens the source of a web page, not the text that is read from it."""
    hit = replace(_HIT, start_line=7, anchor=anchor)
    assert answer(Answer(hits=(hit,)), [], colour=False).startswith(f" 1. {where}  [exact]")
    match = GrepMatch(Folder("f", Path("/f")), "a.md", 7, anchor, "the heron\t", Span(4, 9))
    told = "\t(page 3)" if "page" in anchor else ""
    assert plain_grep_match(match) == f"{where.split(' ', maxsplit=1)[0]}:the heron\t{told}"


def test_label_is_the_one_of_the_json_field() -> None:
    """Only the second predecessor's form keeps its own name for it."""
    result = Answer(hits=(_HIT,))
    assert "[exact]" in answer(result, [], colour=False)
    assert notes_answer(result, [], colour=False).startswith("[exact match]  a.md")
    assert told_evidence(replace(_HIT, label="both", cosine=0.7123)) == "both 0.712"


@pytest.mark.parametrize(
    ("cosine", "vectors_missing", "told"),
    [(0.081, 0, "cosine 0.081"), (None, 3, "no vector yet"), (None, 0, "meaning was not searched")],
)
def test_explanation_of_a_hit_by_words_is_true(cosine: float | None, vectors_missing: int, told: str) -> None:
    """A passage lacks its vector only where the index lacks one."""
    assert f"not among the nearest ({told})" in explanation(
        replace(_HIT, cosine=cosine), vectors_missing=vectors_missing
    )
