"""``gnomon hook``: Claude Code calls it after an edit; the index follows in the background."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from gnomon.config import find_config, load_values
from gnomon.errors import EXIT_DONE, EXIT_NOTHING_FOUND, ConfigError, UsageError


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "hook",
        help="re-index after an agent's edit (called by the agent)",
        description="Reads Claude Code's PostToolUse message on standard input and returns at once. "
        "Set up with: gnomon scaffold DIR --hook",
    )
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Note the edit, start the background run where none is at it, and say once when runs fail.

    What goes wrong here must not stop the agent: exit code 2 would, so it is never returned for a message.
    """
    file = find_config(args.config)
    if args.worker:
        return _work(file)
    if sys.stdin.isatty():
        raise UsageError(
            "this command is called by Claude Code after an edit; set it up with: gnomon scaffold . --hook"
        )
    try:
        warning = _note_edit(file, sys.stdin.buffer.read())
    except OSError as e:
        print(f"gnomon hook: cannot note the edit in {file.parent}: {e.strerror or e}", file=sys.stderr)
        return EXIT_NOTHING_FOUND
    if warning:
        log = file.parent / "hook.log"
        message = f"gnomon: the search index could not be brought up to date: {warning} (details in {log})"
        print(json.dumps({"systemMessage": message}))
    return EXIT_DONE


def _note_edit(file: Path, message: bytes) -> str | None:
    from gnomon.project.hook import concerns, edited_path, on_edit
    from gnomon.project.hook_state import HookState

    if not file.is_file():  # the project was set up once and is no more; saying so at every edit helps nobody
        return None
    state = HookState(file.parent)
    try:
        payload = json.loads(message)
    except (ValueError, RecursionError):
        payload = None
    path = edited_path(payload) if isinstance(payload, dict) else None
    try:
        concerned = path is not None and concerns(file, load_values(file), path)
    except ConfigError as e:
        state.mark()
        state.fail(str(e))
        return state.take_warning()
    return on_edit(state, concerned=concerned, start_worker=lambda: _start_worker(file))


def _start_worker(file: Path) -> None:
    from gnomon.project.background import start_worker

    start_worker(file)


def _work(file: Path) -> int:
    from gnomon.project.background import run_index
    from gnomon.project.hook import Clock, work
    from gnomon.project.hook_state import HookState

    if hasattr(os, "nice"):
        os.nice(10)  # the agent's own work goes first
    work(HookState(file.parent), lambda: run_index(file), Clock())
    return EXIT_DONE
