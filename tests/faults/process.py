"""The program in a process of its own that starts in milliseconds, so that hundreds can be killed.

A server process imports the program once; each run is a fork of it: another process, with its own locks and
connections, that ends or is killed like any other.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path

# What a run needs, so that the server process has it ready.
import gnomon.chunk.code
import gnomon.chunk.markdown
import gnomon.cli.index
import gnomon.cli.progress
import gnomon.cli.status
import gnomon.corpus.parts
import gnomon.discover
import gnomon.embed.ollama
import gnomon.extract.extractor
import gnomon.index.run
import gnomon.lifecycle
import gnomon.store.opening
import gnomon.store.sqlite
import gnomon.store.vectors
import gnomon.store.writing  # noqa: F401
from gnomon.cli.shell import run_command_line

PATIENCE_SECONDS = 240  # a run is polite: a busy machine gives it little

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload([__name__])


def _main(arguments: list[str], output: str, data_home: str) -> None:
    os.environ["XDG_DATA_HOME"] = data_home
    handle = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    raise SystemExit(run_command_line(arguments, program="gnomon"))


def start(*arguments: str, output: Path, data_home: Path) -> BaseProcess:
    """Start the program; the caller ends it.

    Args:
        *arguments: As typed.
        output: File that gets standard output and error.
        data_home: The program's own place for data.
    """
    process: BaseProcess = _FORKS.Process(
        target=_main, args=(list(arguments), str(output), str(data_home)), daemon=True
    )
    process.start()
    return process


def until(true: Callable[[], object]) -> None:
    """Wait for what another process does."""
    for _ in range(3000):
        if true():
            return
        time.sleep(0.01)  # no other way to see how far it is
    raise AssertionError("it never came so far")


def finish(process: BaseProcess) -> int:
    """Exit code of a process, waited for; that of a killed one is negative."""
    process.join(PATIENCE_SECONDS)
    code = process.exitcode
    assert code is not None, "the program hangs"
    return code
