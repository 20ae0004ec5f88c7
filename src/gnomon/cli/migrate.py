"""``gnomon migrate``: move the index to another kind of store."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from gnomon.cli.render import can_rewrite, safe_line
from gnomon.cli.row import rewrite
from gnomon.cli.session import is_terminal, open_corpus
from gnomon.errors import EXIT_DONE
from gnomon.figures import number, things


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("migrate", help="move the index to another kind of store, without embedding again")
    parser.add_argument("--to", required=True, choices=("sqlite", "lancedb", "postgres"), help="kind of store")
    parser.add_argument(
        "--index", metavar="PLACE", help="folder, s3://BUCKET/PREFIX or postgres:CORPUS; written to `indexPath`"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Copy the index, then let the settings name the copy."""
    from gnomon.cli.progress import telling_of_waiting
    from gnomon.config import environment
    from gnomon.config.settings_file import read_raw, settings_lock, write_raw
    from gnomon.corpus.migration import destination, migrate

    corpus = open_corpus(args)
    config = corpus.config
    before = config["storeBackend"]
    to = destination(config, args.to, args.index)
    on_batch = _progress if is_terminal() else lambda _done, _total: None
    with telling_of_waiting() as listener:
        report = migrate(corpus, to, on_batch=on_batch, listener=listener)
    with settings_lock(config.file):
        raw = {**read_raw(config.file), "storeBackend": to.backend}
        if to.index_path != config["indexPath"]:
            raw["indexPath"] = to.index_path
        write_raw(config.file, raw)
    print(
        f"moved {number(report.documents, 'document')}, {number(report.chunks, 'passage')} and"
        f" {number(report.vectors, 'vector')} from {before} to {to.backend}: {safe_line(str(to.place))}"
    )
    if report.missing:
        print(f"{number(report.missing, 'passage')} without a vector; run: {args.program} index")
    print(
        f"{safe_line(str(config.file))} names it now. The old index is left as it was; delete it when you are content."
    )
    if environment("GNOMON_STORE_BACKEND") or environment("SS_STORE_BACKEND"):
        print("The environment names a store too, and it has the last word: unset GNOMON_STORE_BACKEND.")
    return EXIT_DONE


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty() and can_rewrite():
        rewrite(f"{done:,} of {total:,} {things(total, 'document')}", sys.stderr)
        print(end="" if done < total else "\n", file=sys.stderr)
    elif done >= total:
        print(f"{done:,} of {total:,} {things(total, 'document')}", file=sys.stderr)
