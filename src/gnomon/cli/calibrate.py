"""``gnomon calibrate``: measure the noise of this corpus and suggest thresholds; nothing is changed."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.cli import render
from gnomon.cli.session import open_corpus, read_text
from gnomon.errors import EXIT_DONE, EXIT_NOTHING_FOUND, UsageError

if TYPE_CHECKING:
    from gnomon.measure.calibrate import Calibration, Threshold


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "calibrate",
        help="measure the noise of this corpus and suggest thresholds",
        description="Measures two kinds of noise: how near random passages are to each other, and how near the corpus "
        "comes to questions that have nothing to do with it. The suggested minScore is just above the lower of both; "
        "with own questions, it is what refuses best and costs at most 5 % of their right answers. It suggests "
        "and never overrides.",
    )
    parser.add_argument(
        "questions",
        nargs="?",
        metavar="QUESTIONS",
        help="file of own questions (see gnomon evaluate): precision and recall",
    )
    parser.add_argument("--report", metavar="FILE.html", help="write one self-contained page with the distributions")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measure, print, and write the page where one is asked for."""
    from gnomon.corpus.measuring import ask_without_threshold, calibrate_store, how_to_take_up
    from gnomon.measure.calibrate import thresholds
    from gnomon.measure.questions import read_questions
    from gnomon.measure.report import render_report

    corpus = open_corpus(args)
    found = calibrate_store(corpus.store(), corpus.embedder, corpus.config)
    if found is None:
        told = "nothing to calibrate: fewer than two documents with vectors are indexed"
        print(f"{args.program}: {told}", file=sys.stderr)
        return EXIT_NOTHING_FOUND
    asked = ask_without_threshold(corpus, read_questions(read_text(args.questions))) if args.questions else []
    rows = thresholds(asked) if asked else []
    found = found.with_questions(rows)
    own = [max((hit.cosine or 0.0 for hit in hits), default=0.0) for _, hits in asked]
    if args.report:
        name = ", ".join(folder.name for folder in corpus.folders)
        page = render_report(found, title=name, own_scores=own, thresholds=rows)
        _write(Path(args.report), page)
    if args.json:
        print(render.json_text(_fields(found, rows)))
        return EXIT_DONE
    print(render.safe(found.line()))
    for sentence in found.grounds(rows):
        print(sentence)
    if rows and found.by_questions is None:
        print("No own question is answered rightly at any threshold, so that the noise alone suggests one.")
    for row in rows:
        print(
            f"  threshold {row.at:.2f}  answered {row.answered} of {row.questions}  "
            f"precision {row.told_precision:4s}  recall {row.recall:.2f}"
            f"{'  <- suggested' * (row == found.by_questions)}"
        )
    if way := how_to_take_up(found, corpus.config):
        print(render.safe(way))
    return EXIT_DONE


def _write(path: Path, page: str) -> None:
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as e:
        raise UsageError(f"cannot write the report to {path}: {e}") from e


def _fields(found: Calibration, rows: list[Threshold]) -> dict[str, object]:
    told = {
        **json.loads(found.to_json()),
        "minScoreInUse": found.in_use,
        "minScoreSource": found.source,
        "suggestedBy": "noise" if found.by_questions is None else "questions",
    }
    if rows:
        told["thresholds"] = [
            {"minScore": row.at, "answered": row.answered, "precision": row.precision, "recall": row.recall}
            for row in rows
        ]
    return told
