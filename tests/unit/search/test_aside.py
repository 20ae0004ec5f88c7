"""Work done beside other work gives its result, or its error, to who asks."""

from __future__ import annotations

import threading

import pytest

from gnomon.search.aside import Aside


def test_the_call_runs_while_the_caller_goes_on() -> None:
    """The caller lets the call end, which a call in the caller's own thread would wait for in vain."""
    goes_on = threading.Event()
    aside = Aside(lambda: goes_on.wait(10))
    goes_on.set()
    assert aside.result() is True


def test_an_error_reaches_who_asks_for_the_result() -> None:
    """It is the same error."""
    error = ValueError("of the call")

    def fail() -> None:
        raise error

    with pytest.raises(ValueError, match="of the call") as caught:
        Aside(fail).result()
    assert caught.value is error
