"""``gnomon status``: what is indexed, what is not and why."""

from __future__ import annotations

import argparse
from typing import Any

from gnomon.cli import render
from gnomon.cli.session import is_terminal, open_corpus
from gnomon.corpus import CorpusStatus, status_fields
from gnomon.corpus.status import first_step
from gnomon.errors import EXIT_DONE
from gnomon.figures import number

# Passages at which an exact search takes 100 ms on two cores; see docs/decisions/0074-scale.md.
_EXACT_UP_TO = 1_500_000
_LARGE = "            comparing all is slow at this size; an approximate index: gnomon migrate --to lancedb"


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("status", help="what is indexed, what is not and why")
    parser.add_argument(
        "--skipped",
        action="store_true",
        help="name every file that is not indexed, only in part, or left out of answers, with the reason",
    )
    parser.add_argument("--wait", action="store_true", help="wait for the run at work; the exit code says how it ended")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the state of the index."""
    from gnomon.cli.waiting import wait_for_run
    from gnomon.corpus.left_out import all_left_out

    corpus = open_corpus(args)
    code = wait_for_run(corpus.config.index_dir, terminal=is_terminal()) if args.wait else EXIT_DONE
    status = corpus.status()
    listed = args.skipped and status.store is not None
    skipped = list(corpus.skipped()) if listed else []
    partly = list(corpus.partly()) if listed else []
    left_out = list(all_left_out(corpus)) if listed else []
    if args.json:
        rows = [
            {"folder": folder.name, "path": skip.path, "reason": str(skip.reason), "detail": skip.detail}
            for folder, skip in skipped
        ]
        parts = [{"folder": folder.name, "path": path, "missing": missing} for folder, path, missing in partly]
        outside = [{"folder": folder.name, "path": path, "reason": reason} for folder, path, reason in left_out]
        extra = {"skippedFiles": rows, "partlyFiles": parts, "leftOutFiles": outside} if args.skipped else {}
        print(render.json_text(status_fields(status) | extra))
        return code
    for line in _lines(status):
        print(line)
    for folder, skip in skipped:
        detail = f" ({render.safe_line(skip.detail)})" if skip.detail else ""
        print(f"{render.safe_line(folder.name)}\t{render.safe_line(skip.path)}\t{skip.reason}{detail}")
    for folder, path, missing in partly:
        print(f"{render.safe_line(folder.name)}\t{render.safe_line(path)}\tread in part ({render.safe_line(missing)})")
    for folder, path, reason in left_out:
        print(f"{render.safe_line(folder.name)}\t{render.safe_line(path)}\tindexed, but {render.safe_line(reason)}")
    return code


def _lines(status: CorpusStatus) -> list[str]:
    store = status.store
    step = first_step(has_folders=bool(status.folders), missing=status.missing)
    if store is None:
        lines = [f"nothing is indexed yet at {render.safe_line(str(status.index_dir))}; {step}"]
    else:
        per_chunk = store.size_bytes / store.chunks if store.chunks else 0
        holds = ", ".join(
            (
                number(store.documents, "document"),
                number(store.chunks, "passage"),
                number(store.skips, "skipped file"),
            )
        )
        have = "has a vector" if store.chunks == 1 else "have vectors"
        vectors = f"{store.chunks - store.vectors_missing} of {number(store.chunks, 'passage')} {have}"
        lines = [
            f"index       {render.safe_line(str(status.index_dir))}",
            f"model       {status.model}",
            f"holds       {holds}",
            f"vectors     {vectors} ({'exact' if store.exact else 'approximate'} search)",
            *([_LARGE] if store.exact and store.chunks > _EXACT_UP_TO else []),
            f"reuse       {number(store.vectors_cached, 'vector')} kept of texts that are not on disk at present",
            f"size        {render.size(store.size_bytes)} ({per_chunk / 1000:.1f} kB per passage)",
            f"generation  {store.generation}, last run {status.last_run or 'unknown'}",
        ]
    for row in status.folders:
        state = number(row.documents, "document") if row.indexed else "not indexed yet; run: gnomon index"
        lines.append(
            f"folder      {render.safe_line(row.folder.name)}  {render.safe_line(str(row.folder.root))}  {state}"
        )
        lines += [f"            {n} skipped: {reason}" for reason, n in sorted(row.skips.items(), key=lambda r: -r[1])]
        lines += [f"            {row.partly} read in part"] if row.partly else []
    lines += [f"folder      {render.safe_line(str(path))} (missing on disk)" for path in status.missing]
    if store and not status.folders and not status.missing:
        lines.append(f"folder      none; {step}")
    lines += [f"running     {status.running}"] if status.running else []
    return lines
