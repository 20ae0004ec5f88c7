"""``gnomon search QUERY``: find passages by meaning and by words."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gnomon.cli import render
from gnomon.cli.arguments import between, count
from gnomon.cli.paths import typed_path
from gnomon.cli.session import is_terminal, open_corpus
from gnomon.config import working_dir
from gnomon.errors import EXIT_DONE, EXIT_NOTHING_FOUND
from gnomon.values import Answer

# What searches is imported in ``run``, while the model loads.
if TYPE_CHECKING:
    from gnomon.corpus import Corpus
    from gnomon.search import SearchOptions
    from gnomon.search.misses import Miss


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "search",
        help="find passages by meaning and by words",
        description="Prints the nearest passages, best first. The hybrid policy returns what is nearest, however far "
        "it is; --min-confidence, --min-score or --ranking grounded refuse instead. Exit code 1: nothing came back.",
    )
    parser.add_argument("query", nargs="+", metavar="QUERY", help='plain text; "a phrase" and -word work as expected')
    parser.words, parser.exclusions = "query", True
    parser.add_argument("-k", type=count(), metavar="N", help="hits at most (default: defaultTopK of the settings)")
    parser.add_argument("--json", action="store_true", help="print a JSON array of hits with all their fields")
    add_filters(parser)
    parser.add_argument("--ranking", choices=["hybrid", "grounded"], help="policy (default: by the settings)")
    parser.add_argument(
        "--per-file", type=count(), metavar="N", help="passages of one file at most (default: perFile of the settings)"
    )
    parser.add_argument("--min-score", type=between(-1, 1), metavar="X", help="refuse hits whose cosine is below X")
    parser.add_argument(
        "--min-confidence", type=between(0, 1), metavar="P", help="refuse hits whose confidence is below P"
    )
    parser.add_argument("--words-only", action="store_true", help="do not load the model")
    parser.add_argument("--explain", action="store_true", help="say why each hit is where it is")
    parser.add_argument("--show-misses", metavar="PATH", help="tell why this file did not come back")
    parser.set_defaults(run=run)


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Add the filters that every search takes."""
    parser.add_argument("--folder", action="append", default=[], metavar="NAME", help="only this folder (repeatable)")
    parser.add_argument(
        "--path", action="append", default=[], metavar="GLOB", help="only paths like src/**/*.py (repeatable)"
    )
    parser.add_argument("--lang", action="append", default=[], metavar="NAME", help="only this language (repeatable)")
    parser.add_argument(
        "--kind", action="append", default=[], choices=["code", "prose", "data"], help="only this kind (repeatable)"
    )
    parser.add_argument(
        "--since",
        default="",
        metavar="DATE",
        help="only documents of this date (YYYY-MM-DD) or later: the date they name, else that of the file",
    )
    parser.add_argument(
        "--exclude", action="append", default=[], metavar="A,B", help="leave out paths that hold one of these"
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="superseded and archived documents too, marked, and what the settings' excludes leave out",
    )
    parser.add_argument("--as-of", default="", metavar="DATE", help="search what was valid on that day (YYYY-MM-DD)")


def run(args: argparse.Namespace) -> int:
    """Search and print."""
    corpus = open_corpus(args)
    if not args.words_only:
        corpus.embedder.begin_loading()
    try:
        return _search(corpus, args)
    finally:
        corpus.close_reader()  # the process ends without Python's own end, which would do it


def _search(corpus: Corpus, args: argparse.Namespace) -> int:
    from gnomon.corpus.changes import tell_changes

    query = " ".join(args.query)
    options = options_of(args, corpus)
    if args.show_misses:
        return _show_miss(corpus.why_not(query, typed_path(corpus.folders, args.show_misses), options), args)
    changes = tell_changes(corpus)  # before the search, which waits for the model
    result = corpus.search(query, options, use_model=not args.words_only)
    tell(result, query.split(), args, changes)
    return EXIT_DONE if result.hits else EXIT_NOTHING_FOUND


def options_of(args: argparse.Namespace, corpus: Corpus) -> SearchOptions:
    """The settings' options with what was typed on top.

    Raises:
        UsageError: A folder name or a date makes no sense.
    """
    from gnomon.corpus.asking import Asked, options_for
    from gnomon.corpus.globs import placed_glob

    asked = Asked(
        ranking=args.ranking or ("grounded" if args.program == "docs-rag" else ""),
        k=args.k,
        per_file=args.per_file,
        folders=tuple(args.folder),
        paths=tuple(placed_glob(corpus.folders, glob, here=working_dir()) for glob in args.path),
        exclude=_split(args.exclude),
        languages=_split(args.lang),
        kinds=tuple(args.kind),
        since=args.since,
        as_of=args.as_of,
        search_all=args.all,
        min_score=args.min_score,
        min_confidence=args.min_confidence,
        explain=args.explain,
    )
    return options_for(corpus, asked)


def tell(result: Answer, words: Sequence[str], args: argparse.Namespace, changes: str) -> None:
    """Print an answer in the form that was asked for, and what is to be noted on standard error.

    Args:
        result: To be printed.
        words: Highlighted.
        args: Of a command with ``json``, ``ranking`` and ``explain``.
        changes: Noted behind the answer's own notices; "" is nothing.
    """
    from gnomon.search.fields import hit_fields

    for notice in (*result.notices, *filter(None, [changes])):
        print(f"note: {render.safe(notice)}", file=sys.stderr)
    if args.json:
        print(render.json_text([hit_fields(hit, explain=args.explain) for hit in result.hits]))
        if result.refusal:
            print(render.safe(result.refusal), file=sys.stderr)
        return
    if args.program == "docs-rag" or (args.ranking == "grounded" and is_terminal()):
        print(render.notes_answer(result, words, colour=is_terminal() and render.colour_wanted()))
    elif is_terminal():
        print(render.answer(result, words, colour=render.colour_wanted()))
    else:
        print(render.plain_answer(result, words))
    if args.explain:
        for hit in result.hits:
            print(render.explanation(hit, vectors_missing=result.vectors_missing))


def _show_miss(miss: Miss, args: argparse.Namespace) -> int:
    from dataclasses import asdict

    if args.json:
        print(render.json_text(asdict(miss)))
        return EXIT_DONE
    print(f"{render.safe_line(miss.path)}: {'it is in the answer' if miss.returned else 'not in the answer'}")
    for reason in miss.reasons:
        print(f"  {render.safe(reason)}")
    if miss.words:
        print(f"  words of the question in its best passage: {', '.join(map(render.safe_line, miss.words))}")
    if miss.cosine is not None:
        print(f"  cosine of its best passage: {miss.cosine:.3f}")
    return EXIT_DONE


def _split(values: list[str]) -> tuple[str, ...]:
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())
