"""Fixtures shared by all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

_SHARED_EVAL = Path(__file__).resolve().parents[2] / "shared" / "eval"


@pytest.fixture
def shared_eval() -> Path:
    """Evaluation data that lives beside the repository; the test skips plainly where it is absent."""
    if not _SHARED_EVAL.is_dir():
        pytest.skip(f"evaluation data is not present at {_SHARED_EVAL}")
    return _SHARED_EVAL
