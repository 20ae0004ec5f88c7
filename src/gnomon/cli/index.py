"""``gnomon index``: bring the index in step with the disk."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Event
from typing import Any

from gnomon.cli import render
from gnomon.cli.arguments import MOST_FILES, count
from gnomon.cli.session import is_terminal, open_corpus
from gnomon.cli.shell import end_at_once
from gnomon.errors import EXIT_DONE, EXIT_INTERRUPTED, UsageError
from gnomon.index.report import IndexReport
from gnomon.values import Folder

# Of 19; others get three times the share of a run that somebody looks at, and nine times that of one in the background.
_NICENESS = 5
_BACKGROUND_NICENESS = 10


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "index",
        help="bring the index in step with the disk",
        description="Where standard output is no terminal, the last line is a summary as JSON.",
    )
    parser.add_argument(
        "path",
        nargs="?",
        metavar="PATH",
        help="only this folder, by path or as `list` shows it; one that is new is added",
    )
    parser.add_argument("--force", action="store_true", help="read every file again, and replace an unusable index")
    parser.add_argument("--max-files", type=count(MOST_FILES), metavar="N", help="stop after N newly indexed files")
    parser.add_argument("--concurrency", type=count(256), metavar="N", help="files read at the same time")
    parser.add_argument(
        "--threads",
        type=count(256),
        metavar="N",
        help="threads that embed and, of many files, processes that read; one per core if not given",
    )
    parser.add_argument("--shard", metavar="I/N", help="only this share of files and texts; others run the rest")
    parser.add_argument(
        "--ray", type=count(1_000), metavar="N", help="in N shares on a Ray cluster, then the rest here"
    )
    parser.add_argument("--background", action="store_true", help="run on when the terminal is closed")
    parser.add_argument("--background-run", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--verbose", "-v", action="store_true", help="name every file on standard error")
    parser.add_argument("--quiet", "-q", action="store_true", help="print nothing but errors")
    parser.add_argument("--json", action="store_true", help="print the summary alone, as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Index the folders and print what happened."""
    from gnomon.cli.progress import IndexProgress
    from gnomon.index.run import IndexOptions
    from gnomon.index.shard import Shard

    corpus = open_corpus(args)
    folders = None
    if args.path:
        corpus, folder = _folder_of(args, corpus)
        folders = [folder]
    if args.ray:
        _on_cluster(args, corpus, folders)
    if args.background:
        return _in_background(args, corpus, folders)
    if args.threads:
        corpus.config = replace(corpus.config, values={**corpus.config.values, "threads": args.threads})
    _be_polite(_BACKGROUND_NICENESS if args.background_run else _NICENESS)
    options = IndexOptions(
        args.force,
        args.max_files,
        args.concurrency or corpus.config["concurrency"],
        shard=Shard.parsed(args.shard) if args.shard else None,
    )
    progress = IndexProgress(is_terminal(), verbose=args.verbose)
    listener = None if args.quiet or args.json else progress
    with _stop_on_interrupt() as stop:
        report = corpus.index(folders, options=options, listener=listener, stop=stop.is_set)
    progress.finish()
    _print(report, args)
    return EXIT_INTERRUPTED if report.interrupted else EXIT_DONE


def _be_polite(niceness: int) -> None:
    """Let everything else on the machine go first: with idle cores the run is as fast, else nobody waits for it."""
    if hasattr(os, "nice"):
        os.nice(niceness)


def _in_background(args: argparse.Namespace, corpus: Any, folders: list[Folder] | None) -> int:
    from gnomon.cli.background import start_in_background

    return start_in_background(
        _passed_on(args, folders), index_dir=corpus.config.index_dir, settings=corpus.config.file
    )


def _on_cluster(args: argparse.Namespace, corpus: Any, folders: list[Folder] | None) -> None:
    from gnomon.cli.cluster import run_shares

    refused = [
        f"--{name.replace('_', '-')}" for name in ("force", "shard", "max_files", "background") if getattr(args, name)
    ]
    if refused:
        raise UsageError(f"{refused[0]} does not go with --ray")
    arguments = [*_passed_on(args, folders), "--config", str(corpus.config.file)]

    def tell(share: str) -> None:
        if not args.quiet:
            print(f"share {share} is done", file=sys.stderr)

    run_shares(args.ray, arguments, on_done=tell)


def _passed_on(args: argparse.Namespace, folders: list[Folder] | None) -> list[str]:
    """Arguments for the same run in another process."""
    arguments = [str(folder.root) for folder in folders or []]
    arguments += ["--force"] if args.force else []
    for name in ("max_files", "concurrency", "threads"):
        value = getattr(args, name)
        arguments += [f"--{name.replace('_', '-')}", str(value)] if value else []
    return arguments


def _folder_of(args: argparse.Namespace, corpus: Any) -> tuple[Any, Folder]:
    from gnomon.cli.folders import add_folders
    from gnomon.config import real_folder
    from gnomon.config.paths import expanded
    from gnomon.corpus.places import is_meant

    named = next((folder for folder in corpus.folders if is_meant(folder, args.path)), None)
    if named and not expanded(args.path).exists():
        return corpus, named
    root = real_folder(args.path)
    known = {folder.root: folder for folder in corpus.folders}
    if root not in known:
        told = add_folders(corpus.config, [root])
        if not (args.quiet or args.json):
            print("\n".join(told))
        corpus = open_corpus(args)
        known = {folder.root: folder for folder in corpus.folders}
    return corpus, known[root]


def _print(report: IndexReport, args: argparse.Namespace) -> None:
    if report.interrupted:
        told = "interrupted; all that was counted so far is searchable, and the next run goes on from there"
        print(f"{args.program}: {told}", file=sys.stderr)
    if args.quiet:
        return
    if not args.json:
        for notice in report.notices:
            print(render.safe(notice))
        print(render.totals(report))
    if args.json or not is_terminal():
        from gnomon.index.summary import summary

        print(render.json_text(summary(report), indent=None))


@contextmanager
def _stop_on_interrupt() -> Iterator[Event]:
    """Ctrl-C ends the run after the batch in flight; a second one ends the process."""
    stop = Event()

    def on_signal(_number: int, _frame: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, end_at_once)

    before = signal.signal(signal.SIGINT, on_signal)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
