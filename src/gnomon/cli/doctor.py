"""``gnomon doctor``: what documents say of their own life, and what is wrong with it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from gnomon.cli import render
from gnomon.cli.session import open_corpus
from gnomon.errors import EXIT_DONE
from gnomon.figures import number


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "doctor",
        help="what documents say of their own life, and what is wrong with it",
        description="A table of the indexed documents that have anything said of their life: status as read, the line "
        "or the document it was read from, what holds instead, and problems (missing successors, circles, invalid "
        "front matter).",
    )
    parser.add_argument("folder", nargs="*", metavar="FOLDER", help="only these folders, by name or path")
    parser.add_argument("--problems", action="store_true", help="only documents with which something is wrong")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the table."""
    from gnomon.corpus.measuring import diagnose_corpus
    from gnomon.measure.doctor import HEADER, table

    corpus = open_corpus(args)
    findings = diagnose_corpus(corpus, folders=corpus.named_folders(args.folder), only_problems=args.problems)
    if args.json:
        print(render.json_text([asdict(finding) for finding in findings]))
        return EXIT_DONE
    if not findings:
        print("no document says anything of its life" if not args.problems else "nothing is wrong")
        return EXIT_DONE
    names = {str(folder.root): folder.name for folder in corpus.folders}
    for line in _aligned([HEADER, *table(findings, names=names if len(names) > 1 else None)]):
        print(line)
    hidden = sum(finding.hidden for finding in findings)
    wrong = sum(bool(finding.problems) for finding in findings)
    print(f"{number(len(findings), 'document')}, {hidden} hidden, {wrong} with problems")
    return EXIT_DONE


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    cells = [[render.safe_line(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]) - 1)]
    return [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in cells
    ]
