"""``gnomon cat PATH``: the text of one file, as search sees it."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from gnomon.cli.paths import typed_path
from gnomon.cli.render import safe
from gnomon.cli.session import is_terminal, open_corpus
from gnomon.errors import EXIT_DONE


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("cat", help="the text of one indexed file, as search sees it")
    parser.add_argument(
        "path", metavar="PATH", help="as a search returned it, relative to the working directory or to a folder"
    )
    parser.add_argument("--lines", default="", metavar="A-B", help="only these lines, counted from 1")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print lines of one document."""
    start, end = _range(args.lines)
    corpus = open_corpus(args)
    passage = corpus.cat(typed_path(corpus.folders, args.path), start_line=start, end_line=end)
    if passage.extracted:
        print("note: text made from a document that has no lines of its own", file=sys.stderr)
    text = passage.text
    # A terminal obeys escapes; a pipe gets the text as it is.
    sys.stdout.write(safe(text.replace("\r\n", "\n")) if is_terminal() else text)
    return EXIT_DONE


def _range(text: str) -> tuple[int | None, int | None]:
    from gnomon.errors import UsageError

    if not text:
        return None, None
    first, _, last = text.partition("-")
    try:
        return int(first), int(last or first)
    except ValueError:
        raise UsageError(f"{text} is no range of lines; write it like 10-20") from None
