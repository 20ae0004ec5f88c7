"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Examples may take any time: a busy machine is no failure. Where CI is set they are the same in every run, so that a
# gate says something of the change; elsewhere each run looks at new ones.
settings.register_profile(
    "gnomon", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.load_profile("gnomon")

_SHARED_EVAL = Path(__file__).resolve().parents[2] / "shared" / "eval"


@pytest.fixture
def shared_eval() -> Path:
    """Evaluation data that lives beside the repository; the test skips plainly where it is absent."""
    if not _SHARED_EVAL.is_dir():
        pytest.skip(f"evaluation data is not present at {_SHARED_EVAL}")
    return _SHARED_EVAL


@pytest.fixture(autouse=True)
def _own_places(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test writes to the user's own places, nor finds there what another test left."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
