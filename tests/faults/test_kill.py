"""kill -9 at random points of real index runs; ``tests/faults/nightly.py`` does the same with hundreds of seeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.crashes import crash

pytestmark = [pytest.mark.slow]

SEEDS = 30


@pytest.mark.parametrize("seed", range(SEEDS))
def test_killed_runs_lose_nothing_and_are_mended_by_the_next(seed: int, tmp_path: Path) -> None:
    """After each kill the index opens and says what is so; in the end it equals a fresh one."""
    crash(seed, tmp_path)
