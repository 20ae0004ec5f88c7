"""Waiting for whatever run is at work on an index, and saying how far it is."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from gnomon.cli.render import can_rewrite, safe
from gnomon.cli.row import TELL_SECONDS, rewrite
from gnomon.errors import EXIT_DONE, EXIT_INTERRUPTED, EXIT_USER
from gnomon.index.activity import Activity, read_activity, run_at_work

_POLL_SECONDS = 0.2


def wait_for_run(index_dir: Path, *, terminal: bool) -> int:
    """Wait until no run is at work, telling on standard error how far it is.

    Returns:
        0 if the run was completed or there was none, 130 if it was interrupted, 2 if it failed or was killed.
    """
    if run_at_work(index_dir) is None:
        return EXIT_DONE
    terminal = terminal and can_rewrite()
    told, last = 0.0, ""
    while (activity := run_at_work(index_dir)) is not None:
        line = f"{activity.line()} (id {activity.pid})"
        if terminal:
            rewrite(line, sys.stderr)
        elif not last or (line != last and time.monotonic() - told >= TELL_SECONDS):
            told, last = time.monotonic(), line
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()
        time.sleep(_POLL_SECONDS)
    if terminal:
        rewrite("", sys.stderr)
    return _told_outcome(read_activity(index_dir))


def _told_outcome(activity: Activity | None) -> int:
    outcome = activity.outcome if activity else "done"
    if outcome == "interrupted":
        sys.stderr.write("the run was interrupted; the next one goes on from there\n")
        return EXIT_INTERRUPTED
    if outcome in ("failed", "killed"):
        reason = f": {safe(activity.message)}" if activity and activity.message else ""
        sys.stderr.write(f"the run {'failed' if outcome == 'failed' else 'was killed'}{reason}\n")
        return EXIT_USER
    return EXIT_DONE
