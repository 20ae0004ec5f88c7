"""Processes behind the hook: detached from the agent, and heard to the end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gnomon.project import background


@pytest.fixture
def config_file(root: Path) -> Path:
    """A settings file, whose folder the processes run in."""
    file = root / ".rag" / "config.json"
    file.parent.mkdir()
    return file


def test_worker_keeps_nothing_of_the_agents_process(config_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No pipe the agent would wait for, no process group it would end, no module from the project's folder."""
    started: list[tuple[list[str], dict[str, Any]]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **how: started.append((command, how)))
    background.start_worker(config_file)
    [(command, how)] = started
    assert command == [sys.executable, "-P", "-m", "gnomon", "hook", "--worker", "--config", str(config_file)]
    assert {how[stream] for stream in ("stdin", "stdout", "stderr")} == {subprocess.DEVNULL}
    assert how["start_new_session"] is (sys.platform != "win32")


def test_run_gives_its_exit_code_and_the_end_of_what_it_said(
    config_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both streams count, and a flood of output takes no memory."""
    program = "import sys; print('x' * 100_000); print('at last', sys.argv[1:], file=sys.stderr); sys.exit(2)"
    monkeypatch.setattr(background, "_GNOMON", (sys.executable, "-c", program))
    outcome = background.run_index(config_file)
    assert outcome.code == 2
    assert f"at last ['index', '--config', {str(config_file)!r}, '--quiet']" in outcome.output
    assert len(outcome.output) <= 4096
