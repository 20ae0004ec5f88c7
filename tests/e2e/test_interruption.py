"""A run that is killed or interrupted loses at most the batch in flight."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from tests.e2e.conftest import Program, many_notes, unhurried

pytestmark = [pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(300)]

_FILES = 800


@pytest.fixture
def gnomon(gnomon: Program) -> Program:
    """The program, slow enough to be met in the middle of an index run."""
    return unhurried(gnomon)


@pytest.fixture
def folder(gnomon: Program) -> Path:
    """Many small files, each with a word of its own."""
    return many_notes(gnomon, _FILES)


def _vectors(gnomon: Program) -> int:
    """How many passages have their vector, read beside the running writer."""
    database = gnomon.home / "data" / "gnomon" / "index" / "gnomon.db"
    try:
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=5) as reader:
            (count,) = reader.execute("SELECT count(*) FROM chunks WHERE slot IS NOT NULL").fetchone()
    except sqlite3.Error:
        return 0
    return int(count)


def _run_until(gnomon: Program, share: float) -> subprocess.Popen[str]:
    process = gnomon.start("index", "--quiet")
    deadline = time.monotonic() + 200
    while _vectors(gnomon) < share * _FILES and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)  # polls another process; no other way to see how far it is
    return process


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_killed_run_goes_on_where_it_was(gnomon: Program, folder: Path, share: float) -> None:
    """After kill -9 the index opens, all words are found, and only the rest is embedded."""
    process = _run_until(gnomon, share)
    process.kill()
    process.communicate()
    had = _vectors(gnomon)
    assert json.loads(gnomon("search", "--json", "--words-only", "zebra0007").stdout)[0]["path"] == "n0007.md"
    summary = json.loads(gnomon("index", "--json").stdout)
    assert summary["chunksEmbedded"] == _FILES - had
    assert summary["chunksPending"] == 0


def test_interrupted_run_says_what_is_searchable(gnomon: Program, folder: Path) -> None:
    """Ctrl-C ends the run after the batch in flight, with exit code 130 and a clean index."""
    process = _run_until(gnomon, 0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.startswith("gnomon: interrupted; ")
    assert err.endswith("the next run goes on from there\n")
    status = json.loads(gnomon("status", "--json").stdout)
    assert status["documents"] == _FILES
    assert 0 < status["vectorsMissing"] < _FILES
    missing = f"{status['vectorsMissing']:,} of {_FILES:,} passages have no vector yet"
    told = f"note: {missing}, so meaning is incomplete; run: gnomon index\n"
    assert told in gnomon("search", "zebra0007").stderr


def test_readers_are_not_blocked_by_a_writer(gnomon: Program, folder: Path) -> None:
    """Search answers while an index run is under way."""
    process = _run_until(gnomon, 0.3)
    found = gnomon("search", "--json", "zebra0123")
    process.kill()
    process.communicate()
    assert json.loads(found.stdout)[0]["path"] == "n0123.md"
