"""What values make of what the system gives."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import cast

import pytest

from gnomon.values import size_and_times


@pytest.mark.parametrize(("then", "held"), [(5, 5), (-5, -5), (10**20, 2**63 - 1), (-(10**20), 1 - 2**63)])
def test_times_fit_into_what_stores_hold(then: int, held: int) -> None:
    """Whatever file system a file is on: some reach further than 64 bits of nanoseconds."""
    status = SimpleNamespace(st_size=3, st_mtime_ns=then, st_ctime_ns=then)
    assert size_and_times(cast("os.stat_result", status)) == (3, held, held)
