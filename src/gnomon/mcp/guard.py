"""A process beside the server that ends it in time, whatever holds up its threads.

One piece of C, such as a regular expression, may hold Python's lock for minutes; meanwhile no thread of the server
learns that the client is gone, and no timer of it fires. Only another process can end it then.
"""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress

_SECONDS = 1.5  # after the server's own grace time, before the two seconds that clients give
_MOST_FILES = 4096


def guard(source: int, seconds: float = _SECONDS) -> None:
    """Start to watch; call it while this process has one thread.

    The other process costs 9 MB of memory (Linux) and no time. It ends with this one. Without ``fork`` (Windows) there
    is none, and what holds Python's lock is waited for.

    Args:
        source: File descriptor of the pipe, socket or terminal that the client closes.
        seconds: That this process gets to end by itself after that.
    """
    if not hasattr(os, "fork"):
        return
    server = os.getpid()
    ours, _held = os.pipe()
    try:
        child = os.fork()
    except OSError:  # no more processes: the server serves all the same
        child = server
    if child:
        os.close(ours)  # and `_held` stays open for as long as this process lives
        return
    with suppress(BaseException):
        _watch(server, source, ours, seconds)
    os._exit(0)


def _watch(server: int, source: int, life: int, seconds: float) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # sent to the whole group: the server heeds them
    _close_all_but(source, life)
    hung_up = select.POLLHUP | select.POLLERR | select.POLLNVAL
    both = select.poll()
    # A socket of which the client has shut its half is no hang-up but on request.
    both.register(source, getattr(select, "POLLRDHUP", 0))
    both.register(life, 0)
    events = dict(both.poll())
    both.unregister(source)
    if events.get(source, 0) & select.POLLNVAL:  # a kind of file that cannot be watched here
        both.poll()
    elif life not in events and not any(event & hung_up for _, event in both.poll(seconds * 1000)):
        _end(server)


def _end(server: int) -> None:
    if os.getppid() == server:  # else it has ended, and the number may be another's
        os.kill(server, signal.SIGKILL)


def _close_all_but(*kept: int) -> None:
    """The client must see its pipes closed as soon as the server has ended."""
    first = 0
    for number in sorted(kept):
        os.closerange(first, number)
        first = number + 1
    os.closerange(first, _MOST_FILES)
