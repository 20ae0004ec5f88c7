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
    """First and last line: ``5`` is one line, ``5-`` goes to the end, ``-5`` comes from the beginning."""
    from gnomon.errors import UsageError

    if not text:
        return None, None
    first, dash, last = text.partition("-")
    try:
        start, end = int(first or 1), int(last) if last else None
    except ValueError:
        raise UsageError(f"{text} is no range of lines; write it like 10-20") from None
    if not (first or last):
        raise UsageError(f"{text} is no range of lines; write it like 10-20")
    end = end if dash else start
    if end is not None and end < start:
        raise UsageError(f"{text} ends before it begins")
    return start, end
