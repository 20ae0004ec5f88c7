"""What documents say of their life, how that was read, and what is wrong with it: one row each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gnomon.lifecycle.graph import DocumentLife, LifeGraph
from gnomon.values import Status

HEADER = ("document", "status", "read from", "successor", "problems")


@dataclass(frozen=True, slots=True)
class Finding:
    """One document that says something of its life, or has something wrong with what it says.

    Attributes:
        folder: Root of its folder.
        path: Relative to the folder.
        read: Status as the document has it.
        status: Status in effect, over the whole corpus.
        line: 1-based line the status was read from, 0 where none.
        successor: Paths of what holds now, or as written where that is missing; "" where none is named.
        hidden: Left out of answers by default.
        problems: One sentence each.
    """

    folder: str
    path: str
    read: Status
    status: Status
    line: int
    successor: str
    hidden: bool
    problems: tuple[str, ...]


def diagnose(
    documents: Iterable[tuple[DocumentLife, Sequence[str]]], graph: LifeGraph, *, only_problems: bool = False
) -> list[Finding]:
    """Findings by folder and path.

    Args:
        documents: Each with the warnings of its reading.
        graph: The fates of all of them.
        only_problems: Leave out documents with which nothing is wrong.
    """
    findings = []
    for document, warnings in documents:
        fate = graph.fate(document.id)
        problems = (*fate.problems, *warnings)
        if not problems and (only_problems or not (document.line or fate.status is not Status.LIVING)):
            continue
        findings.append(
            Finding(
                folder=document.folder,
                path=document.path,
                read=document.status,
                status=fate.status,
                line=document.line,
                successor=graph.successor(document.id),
                hidden=fate.hidden,
                problems=problems,
            )
        )
    return sorted(findings, key=lambda each: (each.folder, each.path))


def table(findings: Iterable[Finding]) -> list[tuple[str, str, str, str, str]]:
    """Cells of each finding under ``HEADER``."""
    return [
        (
            each.path,
            _status(each),
            f"line {each.line}" if each.line else "",
            each.successor,
            "; ".join(each.problems),
        )
        for each in findings
    ]


def _status(finding: Finding) -> str:
    told = str(finding.status) if finding.status is finding.read else f"{finding.read}, in effect {finding.status}"
    return f"{told} (hidden)" if finding.hidden else told
