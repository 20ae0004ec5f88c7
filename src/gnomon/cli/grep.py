"""``gnomon grep PATTERN``: lines by a pattern, in the files that the indexer would index."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gnomon.cli import render
from gnomon.cli.arguments import count
from gnomon.cli.session import is_terminal, open_corpus
from gnomon.config import working_dir
from gnomon.corpus.globs import placed_glob
from gnomon.errors import EXIT_DONE, EXIT_NOTHING_FOUND
from gnomon.figures import number

if TYPE_CHECKING:
    from gnomon.search.grep import GrepResult


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("grep", help="find lines by a pattern in the files that are searched")
    parser.add_argument("pattern", metavar="PATTERN", help="RE2 regular expression")
    parser.words = "pattern"
    parser.add_argument("--folder", default="", metavar="NAME", help="only this folder")
    parser.add_argument("--path", metavar="GLOB", help="only paths like src/**/*.py")
    parser.add_argument("--case-sensitive", action="store_true", help="tell a from A")
    parser.add_argument(
        "-i", "--ignore-case", action="store_false", dest="case_sensitive", help="take a for A (the default)"
    )
    parser.add_argument(
        "--max-results", type=count(), default=50, metavar="N", help="lines at most (default: %(default)s)"
    )
    parser.add_argument("--verbose", "-v", action="store_true", help="count the files that could not be read")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Search and print a line per match."""
    corpus = open_corpus(args)
    result = corpus.grep(
        args.pattern,
        folder=args.folder,
        file_glob=placed_glob(corpus.folders, args.path, here=working_dir()) if args.path else args.path,
        case_sensitive=args.case_sensitive,
        max_results=args.max_results,
    )
    if args.json:
        from gnomon.search.fields import grep_fields

        print(render.json_text(grep_fields(result)))
    else:
        style = render.Style(colour=render.colour_wanted())
        for match in result.matches:
            print(render.grep_match(match, style) if is_terminal() else render.plain_grep_match(match))
        for remark in _remarks(result, args):
            print(render.safe_line(remark), file=sys.stderr)
    return EXIT_DONE if result.matches else EXIT_NOTHING_FOUND


def _remarks(result: GrepResult, args: argparse.Namespace) -> Iterator[str]:
    """What the lines do not say; files without text are listed by ``status``, so they matter where nothing matched."""
    if result.truncated:
        yield f"cut at {number(args.max_results, 'line')}; more with --max-results"
    unread = f"{number(result.files_unread, 'file')} could not be read; see: {args.program} status --skipped"
    if result.matches:
        if result.files_unread and args.verbose:
            yield unread
    elif args.path and not result.files_searched and not result.files_unread:
        yield f"no file matches {args.path} (globs are relative to the folder, like src/**/*.py)"
    else:
        yield "no match" + (f" ({unread})" if result.files_unread else "")
