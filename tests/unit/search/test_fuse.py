"""Tests of fusion: two lists into one score."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.analyze import analyze_query
from gnomon.search.candidate import Evidence
from gnomon.search.fuse import FOREIGN_SHARE, VECTOR_WEIGHT, fuse_convex, fuse_ranks

_QUERY = analyze_query("how do sessions expire")
_EVIDENCE = st.builds(
    Evidence, bm25=st.floats(0, 50), cosine=st.one_of(st.none(), st.floats(-1, 1)), word_rank=st.just(0)
)


def test_both_arms_are_stretched_and_weighted() -> None:
    """The best of each arm has that arm's whole share."""
    weight = VECTOR_WEIGHT["question"]
    scores = fuse_convex(_QUERY, {1: Evidence(bm25=8.0, cosine=0.2), 2: Evidence(bm25=4.0, cosine=0.6)})
    assert scores == {1: pytest.approx(1 - weight), 2: pytest.approx((1 - weight) / 2 + weight)}


def test_words_decide_where_there_are_no_vectors() -> None:
    """A silent arm takes no share."""
    assert fuse_convex(_QUERY, {1: Evidence(bm25=8.0), 2: Evidence(bm25=4.0)}) == {1: 1.0, 2: 0.5}


def test_vectors_decide_where_no_word_matches() -> None:
    """The other way round."""
    assert fuse_convex(_QUERY, {1: Evidence(cosine=0.1), 2: Evidence(cosine=0.3)}) == {1: 0.0, 2: 1.0}


def test_a_foreign_question_leans_on_its_words() -> None:
    """An English model keeps only a part of its share."""
    evidence = {1: Evidence(bm25=8.0, cosine=0.2), 2: Evidence(bm25=0.0, cosine=0.6)}
    weight = VECTOR_WEIGHT["question"] * FOREIGN_SHARE
    assert fuse_convex(_QUERY, evidence, is_foreign=True)[2] == pytest.approx(weight)


@given(st.dictionaries(st.integers(), _EVIDENCE, max_size=20), st.booleans())
def test_fused_scores_stay_within_bounds(evidence: dict[int, Evidence], foreign: bool) -> None:  # noqa: FBT001 - hypothesis gives it
    """Each candidate has a score in [0, 1], whatever the arms say."""
    scores = fuse_convex(_QUERY, evidence, is_foreign=foreign)
    assert scores.keys() == evidence.keys()
    assert all(-1e-9 <= score <= 1 + 1e-9 for score in scores.values())


def test_reciprocal_ranks_refuse_a_damping_below_one() -> None:
    """Such a value is a mistake."""
    with pytest.raises(ValueError, match="below 1"):
        fuse_ranks([[1]], k=0)
