"""``gnomon optimize``: tidy the index and give back space."""

from __future__ import annotations

import argparse
from typing import Any

from gnomon.cli.progress import telling_of_waiting
from gnomon.cli.render import size
from gnomon.cli.session import open_corpus
from gnomon.errors import EXIT_DONE


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("optimize", help="tidy the index and give back space")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Tidy, and say what it brought."""
    corpus = open_corpus(args)
    before = corpus.store().status().size_bytes
    with telling_of_waiting() as listener:
        corpus.optimize(listener=listener)
    print(f"index {size(before)} before, {size(corpus.store().status().size_bytes)} now")
    return EXIT_DONE
