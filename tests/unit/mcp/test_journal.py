"""Log entries reach the clients that asked for them, and nobody else."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import anyio
import pytest

from gnomon.mcp.journal import LEVELS, Journal

_LOG = logging.getLogger("gnomon.mcp")


@pytest.fixture
def journal() -> Iterator[Journal]:
    """A journal that listens."""
    journal = Journal()
    journal.open()
    yield journal
    journal.close()


def _in_loop(body: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        await body()
        await anyio.wait_all_tasks_blocked()

    anyio.run(main)


def _into(entries: list[dict[str, Any]]) -> Callable[[dict[str, Any]], Awaitable[None]]:
    async def send(entry: dict[str, Any]) -> None:
        entries.append(entry)

    return send


def test_entry_carries_level_logger_and_message(journal: Journal) -> None:
    """Also when it is logged by another thread."""
    got: list[dict[str, Any]] = []

    async def body() -> None:
        journal.follow(1, "warning", _into(got))
        await anyio.to_thread.run_sync(lambda: _LOG.warning("words only: %s", "no model"))

    _in_loop(body)
    assert got == [{"level": "warning", "logger": "gnomon.mcp", "data": {"message": "words only: no model"}}]


def test_each_client_gets_its_level_and_above(journal: Journal) -> None:
    """A later wish replaces an earlier one; a client that asked for nothing has no entry at all."""
    quiet: list[dict[str, Any]] = []
    talkative: list[dict[str, Any]] = []

    async def body() -> None:
        journal.follow(1, "debug", _into(quiet))
        journal.follow(1, "error", _into(quiet))
        journal.follow(2, "info", _into(talkative))
        _LOG.debug("detail")
        _LOG.info("told")
        _LOG.error("wrong")

    _in_loop(body)
    assert [entry["level"] for entry in quiet] == ["error"]
    assert [entry["level"] for entry in talkative] == ["info", "error"]


def test_request_gets_what_is_logged_while_it_is_served(journal: Journal) -> None:
    """Before and after, and with no level or an unknown one, nothing is sent."""
    got: list[dict[str, Any]] = []

    async def body() -> None:
        for level in ("info", None, "loud"):
            with journal.during(level, _into(got)):
                _LOG.info("during %s", level)
            _LOG.info("after")

    _in_loop(body)
    assert [entry["data"]["message"] for entry in got] == ["during info"]


def test_client_that_cannot_be_reached_is_left(journal: Journal) -> None:
    """One attempt, and no failure in whoever logs."""
    attempts: list[str] = []

    async def gone(entry: dict[str, Any]) -> None:
        attempts.append(entry["level"])
        raise anyio.ClosedResourceError

    async def body() -> None:
        journal.follow(1, "info", gone)
        _LOG.info("one")
        await anyio.wait_all_tasks_blocked()
        _LOG.info("two")

    _in_loop(body)
    assert attempts == ["info"]


def test_ended_loop_is_left(journal: Journal) -> None:
    """A record after the client's loop has ended goes nowhere and fails nobody."""

    async def body() -> None:
        journal.follow(1, "info", _into([]))

    _in_loop(body)
    _LOG.warning("late")
    assert logging.getLogger("gnomon").level == logging.NOTSET


def test_every_level_of_the_protocol_is_known() -> None:
    """The names are those of the revision's schema, least severe first."""
    from typing import get_args

    import mcp_types as types

    assert tuple(LEVELS) == get_args(types.LoggingLevel)
