"""``gnomon why PATH``: the rule that keeps a file in or out."""

from __future__ import annotations

import argparse
from typing import Any

from gnomon.cli.render import number, safe_line
from gnomon.cli.session import open_corpus
from gnomon.errors import EXIT_DONE, EXIT_NOTHING_FOUND


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("why", help="the rule that keeps a file in or out")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="file in one of the folders, indexed or not")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print a line per path; exit code 1 where one of them is kept out."""
    corpus = open_corpus(args)
    code = EXIT_DONE
    for path in args.paths:
        verdict, row = corpus.why(path)
        known = "not in the index yet"
        if row and row.skip:
            known = f"skipped at the last run: {row.skip.reason}" + (f" ({row.skip.detail})" if row.skip.detail else "")
        elif row:
            known = f"{number(row.chunk_count, 'passage')} in the index"
        word = "in" if verdict.included else "out"
        rule = ": ".join(part for part in (verdict.reason, verdict.rule) if part)
        print(f"{safe_line(path)}: {word}; {safe_line(rule)}; {safe_line(known)}")
        code = code if verdict.included else EXIT_NOTHING_FOUND
    return code
