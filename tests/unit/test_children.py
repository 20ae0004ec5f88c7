"""Processes that work for this one are started as this one was."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gnomon.children import Deadline

_SRC = Path(__file__).resolve().parents[2] / "src"
_CODE = f"""
import sys
sys.path.insert(0, {str(_SRC)!r})
from gnomon import children
children.subprocess.Popen = lambda command, **pipes: print(*command[1:command.index("-c")])
children.start("json.tool")
"""


@pytest.mark.parametrize("flags", [(), ("-E",), ("-s", "-S")])
def test_child_leaves_aside_what_its_parent_does(flags: tuple[str, ...]) -> None:
    """A PYTHONHOME that the parent was told to ignore would keep its children from starting."""
    command = [sys.executable, *flags, "-c", _CODE]
    told = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout.split()
    assert told == ["-P", *flags]


def test_child_takes_no_module_from_the_current_folder(tmp_path: Path) -> None:
    """It may be one that is being indexed."""
    (tmp_path / "json.py").write_text("raise SystemExit(9)", encoding="utf-8")
    code = f"import sys; sys.path.insert(0, {str(_SRC)!r}); from gnomon import children\n"
    code += "with children.start('json.tool') as child: print(child.communicate(b'[1]')[0].decode())"
    command = [sys.executable, "-P", "-c", code]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=True).stdout
    assert told.split() == ["[", "1", "]"]


class _Steps(threading.Event):
    """A clock whose steps end when the test says so, however long they seemed."""

    ends: queue.SimpleQueue[None]
    begun: queue.SimpleQueue[float]

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the test."""
        self.begun.put(timeout or 0)
        self.ends.get()
        return self.is_set()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> type[_Steps]:
    """Of every deadline."""
    _Steps.ends, _Steps.begun = queue.SimpleQueue(), queue.SimpleQueue()
    monkeypatch.setattr("gnomon.children.Event", _Steps)
    return _Steps


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    """A process that waits."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_no_time_passes_while_this_process_stands_still(clock: type[_Steps], child: subprocess.Popen[bytes]) -> None:
    """A step that takes hours by the clock, since this process was stopped, is one step."""
    with Deadline(child, 3.0) as deadline:
        steps = []
        for _ in range(3):
            assert not deadline.passed
            steps.append(clock.begun.get(timeout=60))
            clock.ends.put(None)
        assert child.wait(timeout=60) != 0
    assert deadline.passed
    assert sum(steps) == 3.0
