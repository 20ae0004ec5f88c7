"""``gnomon why PATH``: the rule that keeps a file in or out."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from gnomon.cli.paths import typed_path
from gnomon.cli.render import safe_line
from gnomon.cli.session import open_corpus
from gnomon.errors import EXIT_DONE, EXIT_NOTHING_FOUND, GnomonError, OutsideError
from gnomon.figures import number

if TYPE_CHECKING:
    from gnomon.corpus import Corpus
    from gnomon.discover import Verdict
    from gnomon.store.base import ManifestRow


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "why",
        help="the rule that keeps a file in or out",
        description="Of a document also what it says of its own life. Exit code 1: one of the paths is out. "
        "2: one cannot be answered for.",
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="file or folder, indexed or not")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print a line per path; exit code 1 where one of them is kept out, 2 where one cannot be answered for."""
    corpus = open_corpus(args)
    code = EXIT_DONE
    for path in args.paths:
        try:
            included, line = _answer(corpus, path)
        except GnomonError as e:
            print(f"{args.program}: {safe_line(str(e))}", file=sys.stderr)
            code = max(code, e.exit_code)
            continue
        print(f"{safe_line(path)}: {line}")
        code = code if included else max(code, EXIT_NOTHING_FOUND)
    return code


def _answer(corpus: Corpus, path: str) -> tuple[bool, str]:
    from gnomon.corpus.left_out import told_life, why_left_out
    from gnomon.corpus.verdicts import count_below

    place = typed_path(corpus.folders, path)
    try:
        verdict, row = corpus.why(place)
    except OutsideError as e:
        return False, f"out; {safe_line(e.reason)}"
    rule = ": ".join(part for part in (verdict.reason, verdict.rule) if part)
    known = _below(count_below(corpus, place)) if verdict.included else ""
    known = known or _known(row, verdict)
    answers = (told_life(corpus, place), why_left_out(corpus, place)) if verdict.included else ()
    told = filter(None, ("in" if verdict.included else "out", rule, known, *answers))
    return verdict.included, "; ".join(map(safe_line, told))


def _below(counts: tuple[int, int] | None) -> str:
    if counts is None:
        return ""
    whole = " (a folder that is out as a whole counts as one)" if counts[1] else ""
    return f"{number(counts[0], 'file')} in, {counts[1]} out{whole}"


def _known(row: ManifestRow | None, verdict: Verdict) -> str:
    """What the index holds, where that is not what the verdict says already."""
    if row and row.skip:
        if (row.skip.reason, row.skip.detail) == (verdict.reason, verdict.rule):
            return ""
        return f"skipped at the last run: {row.skip.reason}" + (f" ({row.skip.detail})" if row.skip.detail else "")
    if row:
        until = "" if verdict.included else " until the next run"
        return f"{number(row.chunk_count, 'passage')} in the index{until}"
    return "not in the index yet" if verdict.included else ""
