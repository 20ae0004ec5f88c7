"""A run in the background: one at a time, outlives its terminal, and can be waited for."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Program, many_notes, unhurried

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def gnomon(gnomon: Program) -> Program:
    """The program, slow enough to be met in the middle of an index run."""
    return unhurried(gnomon)


def _log(gnomon: Program) -> Path:
    return gnomon.home / "data" / "gnomon" / "index" / "index.log"


def test_background_run_is_waited_for(gnomon: Program) -> None:
    """The command returns at once; a second one starts nothing; waiting tells how far it is and how it ended."""
    many_notes(gnomon, 300)
    assert "indexing in the background" in gnomon("index", "--background").stdout
    assert "at work already" in gnomon("index", "--background").stdout
    assert "running     " in gnomon("status").stdout
    waited = gnomon("status", "--wait", "--json")
    assert "of 300" in waited.stderr
    status = json.loads(waited.stdout)
    assert (status["documents"], status["vectorsMissing"], status["running"]) == (300, 0, "")
    assert json.loads(_log(gnomon).read_text("utf-8"))["filesProcessed"] == 300


def test_background_run_outlives_its_terminal(gnomon: Program) -> None:
    """A hang-up of the session that started it does not reach it."""
    many_notes(gnomon, 100)
    script = "import os, sys; os.setsid(); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    session = subprocess.Popen(
        [sys.executable, "-c", script, "-m", "gnomon", "index", "--background"],
        cwd=gnomon.home,
        env=gnomon.environment,
        stdout=subprocess.DEVNULL,
    )
    session.wait(60)
    with contextlib.suppress(ProcessLookupError):  # nobody may be left in that session: the run has one of its own
        os.killpg(session.pid, signal.SIGHUP)
    assert json.loads(gnomon("status", "--wait", "--json").stdout)["vectorsMissing"] == 0


def test_background_run_that_cannot_begin_is_told_at_once(gnomon: Program, tmp_path: Path) -> None:
    """With the same words and exit code as in the foreground."""
    told = gnomon("index", "--background", code=2)
    assert "no folder to index" in told.stderr


def test_waiting_says_how_the_run_ended(gnomon: Program) -> None:
    """Interrupted and killed runs have exit codes of their own; no run at all is no failure."""
    assert gnomon("status", "--wait").returncode == 0
    many_notes(gnomon, 400)
    for number, code, word in ((signal.SIGINT, 130, "interrupted"), (signal.SIGKILL, 2, "killed")):
        gnomon("index", "--background", "--force")
        waiting = gnomon.start("status", "--wait")
        assert waiting.stderr
        line = waiting.stderr.readline()
        os.kill(int(line.rpartition("id ")[2].rstrip(")\n")), number)
        _, rest = waiting.communicate(timeout=100)
        assert (waiting.returncode, word in rest) == (code, True)


def test_threads_are_taken_from_the_command_line(gnomon: Program) -> None:
    """One thread embeds the same vectors as many."""
    many_notes(gnomon, 10)
    assert json.loads(gnomon("index", "--threads", "1", "--json").stdout)["chunksEmbedded"] == 10
    gnomon("index", "--threads", "0", code=2)
