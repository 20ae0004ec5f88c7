"""Lines of ``gnomon status``."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.cli.status import _lines
from gnomon.corpus import CorpusStatus
from gnomon.store.base import Fingerprint, StoreStatus

FINGERPRINT = Fingerprint(1, "model", 384, "1", "1", "1")


@pytest.mark.parametrize(
    ("chunks", "exact", "told"), [(1_500_000, True, False), (1_500_001, True, True), (9_000_000, False, False)]
)
def test_way_to_an_approximate_index_is_told_where_exact_search_is_slow(chunks: int, exact: bool, told: bool) -> None:  # noqa: FBT001
    """Not below the size that was measured, nor where there is one already."""
    store = StoreStatus(1, 0, chunks, 0, 0, 10**9, exact, 1, FINGERPRINT)
    lines = _lines(CorpusStatus(Path("/index"), "model", store, (), (), "", ""))
    assert any("migrate --to lancedb" in line for line in lines) == told
    assert any(f"({'exact' if exact else 'approximate'} search)" in line for line in lines)
