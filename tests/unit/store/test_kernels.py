"""Arithmetic on int8 vectors."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.store import kernels
from gnomon.store.kernels import dots, nth_highest, numpy_dots, quantize


@pytest.mark.parametrize("rows", [0, 1, 255, 1_300])
def test_simsimd_and_numpy_agree(rows: int) -> None:
    """The fallback finds the same, bit by bit."""
    rng = np.random.default_rng(rows)
    codes = rng.integers(-127, 128, (rows, 384), dtype=np.int8)
    query = rng.integers(-127, 128, 384, dtype=np.int8)
    expected = codes.astype(np.int64) @ query.astype(np.int64)
    assert dots(codes, query).tolist() == expected.tolist()
    assert numpy_dots(codes, query).tolist() == expected.tolist()


def test_numpy_serves_where_simsimd_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An import that fails costs speed, not the search."""
    monkeypatch.setitem(sys.modules, "simsimd", None)
    kernels._kernel.cache_clear()
    try:
        assert kernels._kernel() is numpy_dots
    finally:
        kernels._kernel.cache_clear()


@given(st.integers(0, 2**32), st.sampled_from([1e-6, 1.0, 1e4]))
def test_quantized_rows_are_close(seed: int, magnitude: float) -> None:
    """Off by half a step at most, whatever the magnitude."""
    rows = (np.random.default_rng(seed).normal(size=(5, 16)) * magnitude).astype(np.float32)
    codes, scales = quantize(rows)
    assert np.all(np.abs(codes * scales[:, None] - rows) <= 0.5001 * scales[:, None])


def test_zeros_stay_zeros() -> None:
    """No division by nothing."""
    codes, scales = quantize(np.zeros((2, 8), np.float32))
    assert not codes.any()
    assert scales.tolist() == [0, 0]
    assert quantize(np.empty((0, 8), np.float32))[0].shape == (0, 8)


@given(st.integers(0, 2**32), st.integers(1, 700), st.integers(0, 6_000), st.sampled_from([2, 1_000, 10**6]))
def test_nth_highest_is_that_of_a_full_sort(seed: int, n: int, more: int, values: int) -> None:
    """Few or many scores, ties and what may not come back among them."""
    scores = np.random.default_rng(seed).integers(0, values, n + more).astype(np.float32)
    scores[scores == 0] = -np.inf
    assert nth_highest(scores, n) == np.sort(scores)[-n]
