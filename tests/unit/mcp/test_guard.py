"""A server is ended in time although none of its threads can run."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the process that watches is made by fork")

_SERVER = """
import os, re, sys
from gnomon.mcp.guard import guard
guard(os.dup(0), {seconds})
print("begins", flush=True)
{work}
"""
# Holds Python's lock for ages: no thread of its process runs meanwhile.
_HOLDING = "re.match('(a+)+$', 'a' * 60 + 'b')"
_LONG_SECONDS = 60  # only a test that fails takes so long


def _close_pipe(ours: socket.socket) -> None:
    ours.close()


def _close_half(ours: socket.socket) -> None:
    ours.shutdown(socket.SHUT_WR)


def _begin(work: str, source: int, *, seconds: float = 0.05) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVER.format(work=work, seconds=seconds)],
        stdin=source,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout
    assert process.stdout.readline() == b"begins\n"
    return process


def _finish(process: subprocess.Popen[bytes]) -> bytes:
    """Standard output to its end: nobody else holds it open."""
    try:
        out, _ = process.communicate(timeout=_LONG_SECONDS)
    finally:
        process.kill()
    return out


def test_closed_pipe_ends_what_holds_the_interpreter() -> None:
    """No Python of the server notices; the process beside it does."""
    reading, writing = os.pipe()
    process = _begin(_HOLDING, reading)
    os.close(reading)
    os.close(writing)
    _finish(process)
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("close", [_close_pipe, _close_half])
def test_closed_socket_ends_what_holds_the_interpreter(close: Callable[[socket.socket], None]) -> None:
    """Node.js gives its children sockets, and closes its half."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = _begin(_HOLDING, theirs.fileno())
        theirs.close()
        close(ours)
        _finish(process)
    assert process.returncode == -signal.SIGKILL


def test_server_that_ends_by_itself_is_not_killed() -> None:
    """Its own end is the better one; and nothing holds its output open afterwards."""
    process = _begin("sys.stdin.read()\nprint('ends', flush=True)\nos._exit(3)", subprocess.PIPE, seconds=_LONG_SECONDS)
    assert _finish(process) == b"ends\n"
    assert process.returncode == 3


def test_input_that_is_a_file_is_no_client_that_went() -> None:
    """Its end is for the reader to see."""
    with Path(os.devnull).open("rb") as nothing:
        process = _begin("import threading; threading.Event().wait(0.3)\nos._exit(3)", nothing.fileno())
        _finish(process)
    assert process.returncode == 3
