"""What documents say of their life, how that was read, and what is wrong with it: one row each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

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
        source: Path of the file that line is in where it is another one, which describes this; else "".
        claimant: Path of the successor by whose word alone it is superseded; "" where it says so itself.
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
    source: str = ""
    claimant: str = ""


def diagnose(
    documents: Iterable[tuple[DocumentLife, Sequence[str]]], graph: LifeGraph, *, only_problems: bool = False
) -> list[Finding]:
    """Findings by folder and path.

    Args:
        documents: Each with the warnings of its reading.
        graph: The fates of all of them.
        only_problems: Leave out documents with which nothing is wrong.
    """
    documents = list(documents)
    describing = {graph.describes[life.id]: (life, warned) for life, warned in documents if life.id in graph.describes}
    findings = []
    for document, warnings in documents:
        told, warned = describing.get(document.id, (document, ()))
        fate = graph.fate(document.id)
        problems = (*fate.problems, *warnings, *warned)
        is_plain = fate.status is Status.LIVING and not told.line
        if document.id in graph.describes or (not problems and (only_problems or is_plain)):
            continue
        findings.append(
            Finding(
                folder=document.folder,
                path=document.path,
                read=told.status,
                status=fate.status,
                line=told.line,
                successor=graph.successor(document.id),
                hidden=fate.hidden,
                problems=problems,
                source="" if told is document else told.path,
                claimant=fate.claimant,
            )
        )
    return sorted(findings, key=lambda each: (each.folder, each.path))


def table(
    findings: Iterable[Finding], *, names: Mapping[str, str] | None = None
) -> list[tuple[str, str, str, str, str]]:
    """Cells of each finding under ``HEADER``.

    Args:
        findings: In the order of the rows.
        names: What stands before a path, by the root of its folder; None where all lie in one.
    """
    return [
        (
            f"{names.get(each.folder, each.folder)}/{each.path}" if names else each.path,
            _status(each),
            _read_from(each),
            each.successor,
            "; ".join(each.problems),
        )
        for each in findings
    ]


def _read_from(finding: Finding) -> str:
    own = f"{PurePosixPath(finding.source).name} line {finding.line}".strip() if finding.line else ""
    return "; ".join(filter(None, (own, finding.claimant)))


def _status(finding: Finding) -> str:
    told = str(finding.status) if finding.status is finding.read else f"{finding.read}, in effect {finding.status}"
    return f"{told} (hidden)" if finding.hidden else told
