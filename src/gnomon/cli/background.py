"""A run in a process of its own that outlives the terminal."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from gnomon.cli.render import safe
from gnomon.errors import EXIT_DONE, StoreError
from gnomon.index.activity import read_activity, run_at_work

LOG = "index.log"

_POLL_SECONDS = 0.2
# Importing and loading the model come before a run says that it is at work.
_START_SECONDS = 20.0


def start_in_background(arguments: Sequence[str], *, index_dir: Path, settings: Path) -> int:
    """Start ``gnomon index`` detached; its log is replaced by each run and holds a summary or what went wrong.

    Args:
        arguments: Of ``index``, without those that say where it runs and what it prints.
        index_dir: Of the index.
        settings: The settings file that governs this call.

    Returns:
        An exit code: a run that cannot begin is told here and now.

    Raises:
        StoreError: The folder of the index cannot be written.
    """
    if (at_work := run_at_work(index_dir)) is not None:
        print(f"a run is at work already (id {at_work.pid}; {at_work.line()}); wait for it with: gnomon status --wait")
        return EXIT_DONE
    log = index_dir / LOG
    command = [sys.executable, "-m", "gnomon", "index", *arguments, "--json", "--background-run"]
    try:
        index_dir.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as output:
            process = subprocess.Popen(  # noqa: S603 - this program
                [*command, "--config", str(settings)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # no signal of the terminal reaches it
                creationflags=getattr(subprocess, "DETACHED_PROCESS", 0),
            )
    except OSError as e:
        raise StoreError(f"cannot start a run with its log in {index_dir}: {e.strerror or e}") from e
    if not _begins(process, index_dir):
        sys.stderr.write(safe(log.read_text("utf-8", "replace")))
        return process.returncode or EXIT_DONE
    print(f"indexing in the background (id {process.pid}), with its log in {log}; wait for it: gnomon status --wait")
    process.returncode = EXIT_DONE  # it is not ours to wait for: says so to Popen, which would warn of it
    return EXIT_DONE


def _begins(process: subprocess.Popen[bytes], index_dir: Path) -> bool:
    """Whether the run says that it is at work, or takes its time, before its process ends with an error."""
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        activity = read_activity(index_dir)
        if activity and activity.pid == process.pid:
            return True
        if process.poll() is not None:
            return process.returncode == EXIT_DONE
        time.sleep(_POLL_SECONDS)
    return True
