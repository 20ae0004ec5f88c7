"""``gnomon related PATH[:LINE]``: passages of other files that are near in meaning to one of this file."""

from __future__ import annotations

import argparse
from typing import Any

from gnomon.cli.arguments import count
from gnomon.cli.paths import typed_path
from gnomon.cli.search import add_filters, options_of, tell
from gnomon.cli.session import open_corpus
from gnomon.errors import EXIT_DONE, EXIT_NOTHING_FOUND

# No file has more lines; Python reads no number of thousands of digits.
_MOST_DIGITS = 12


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "related",
        help="find passages of other files that are near in meaning to one",
        description="Prints the passages of other files that are nearest to the one at a line, best first, one of each "
        "file. A line of no passage means the next one. The text of a web page has other lines than its source: there, "
        "LINE is the startLine that --json tells. Exit code 1: nothing came back.",
    )
    parser.add_argument(
        "place", metavar="PATH[:LINE]", help="an indexed file and a line of it, as a search prints them (default: 1)"
    )
    parser.add_argument("-k", type=count(), metavar="N", help="hits at most (default: defaultTopK of the settings)")
    parser.add_argument("--json", action="store_true", help="print a JSON array of hits with all their fields")
    add_filters(parser)
    # What a search has beyond that judges hits by a question.
    parser.set_defaults(run=run, ranking="", per_file=None, min_score=None, min_confidence=None, explain=False)


def run(args: argparse.Namespace) -> int:
    """Find and print."""
    from gnomon.corpus.changes import tell_changes

    corpus = open_corpus(args)
    corpus.embedder.begin_loading()
    try:
        path, line = _place(args.place)
        changes = tell_changes(corpus)
        result = corpus.find_related(typed_path(corpus.folders, path), line, options_of(args, corpus))
    finally:
        corpus.close_reader()
    tell(result, (), args, changes)
    return EXIT_DONE if result.hits else EXIT_NOTHING_FOUND


def _place(text: str) -> tuple[str, int]:
    """A path and a line; of a name that ends like a line, the line must be there too.

    >>> _place("a.md:12"), _place("a.md"), _place("a:1:2")
    (('a.md', 12), ('a.md', 1), ('a:1', 2))
    >>> _place("a.md:" + "9" * 5000)[1]
    1
    """
    path, _, line = text.rpartition(":")
    is_line = line.isascii() and line.isdigit() and len(line) <= _MOST_DIGITS
    return (path, int(line)) if path and is_line else (text, 1)
