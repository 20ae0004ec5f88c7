"""The grounded policy, part B2 of what the predecessors do, on hand-made lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.search.exact import rare_words
from gnomon.search.grounded import Judged, Limits, fit, judge, path_factor
from gnomon.search.refusal import refusal_by_score

_LIMITS = Limits(k=5, min_score=0.55, relative_cutoff=0.88)


def paths(chunk: int) -> str:
    """Every chunk is of its own document."""
    return f"docs/{chunk}.md"


def wanted(hits: list[Judged], k: int) -> list[Judged]:
    """As many as are wanted."""
    return fit([hit for hit in hits if hit.label != "exact"], [hit for hit in hits if hit.label == "exact"], k)


def told(
    semantic: list[tuple[int, float]], exact: list[tuple[int, float]], limits: Limits = _LIMITS
) -> list[tuple[int, str]]:
    """(chunk, label) of the hits."""
    return [(hit.id, hit.label) for hit in wanted(judge([semantic], exact, limits=limits, path_of=paths), limits.k)]


def test_b2_semantic_hits_below_the_threshold_are_dropped() -> None:
    """The threshold is absolute."""
    assert told([(1, 0.58), (2, 0.55), (3, 0.549)], []) == [(1, "semantic"), (2, "semantic")]


def test_b2_semantic_hits_below_a_share_of_the_best_are_dropped() -> None:
    """A cutoff of 0.88 of 0.80 is 0.704."""
    assert told([(1, 0.80), (2, 0.705), (3, 0.703)], []) == [(1, "semantic"), (2, "semantic")]


def test_b2_nothing_left_is_a_refusal_with_both_figures() -> None:
    """The words of the predecessor."""
    assert told([(1, 0.41)], []) == []
    assert refusal_by_score(0.41, 0.55) == "No relevant results (best score 0.41, threshold 0.55)"


def test_b2_refusal_without_any_score_names_none() -> None:
    """Nothing is searched, or no vector is there yet."""
    assert refusal_by_score(None, 0.55) == "No relevant results"


def test_b2_labels_say_which_track_vouches() -> None:
    """Semantic, both, exact."""
    assert told([(1, 0.7), (2, 0.69)], [(2, 9.0), (3, 8.0)]) == [(1, "semantic"), (2, "both"), (3, "exact")]


def test_b2_exact_only_hits_are_at_most_two() -> None:
    """Also where there is no semantic hit."""
    assert told([], [(1, 9.0), (2, 8.0), (3, 7.0)]) == [(1, "exact"), (2, "exact")]


def test_b2_exact_only_hits_come_after_the_semantic_ones() -> None:
    """Whatever their word score."""
    assert told([(1, 0.56)], [(2, 99.0)])[-1] == (2, "exact")


def test_b2_exact_only_hits_take_the_last_places_of_k() -> None:
    """Five wanted, five semantic, two exact: three and two."""
    semantic = [(chunk, 0.7) for chunk in range(1, 7)]
    got = told(semantic, [(8, 3.0), (9, 2.0), (10, 1.0)])
    assert [label for _, label in got] == ["semantic"] * 3 + ["exact"] * 2


def test_b2_only_place_goes_to_the_semantic_hit() -> None:
    """One wanted."""
    assert told([(1, 0.6)], [(2, 9.0)], Limits(1, 0.55, 0.88)) == [(1, "semantic")]


def test_b2_exact_hit_below_the_threshold_stays_exact() -> None:
    """Its cosine is evidence, it does not make it semantic."""
    hit = judge([[(1, 0.3)]], [(1, 4.0)], limits=_LIMITS, path_of=paths)[0]
    assert (hit.label, hit.cosine) == ("exact", 0.3)


def test_b2_path_boosts_order() -> None:
    """A boosted path overtakes a slightly better score."""
    limits = Limits(5, 0.55, 0.88, (("docs/2", 1.15),))
    assert told([(1, 0.70), (2, 0.65)], [], limits) == [(2, "semantic"), (1, "semantic")]


def test_b2_path_boosts_never_override_the_thresholds() -> None:
    """A boosted 0.54 is still below 0.55, and a boost is no reason to cut others off."""
    limits = Limits(5, 0.55, 0.88, (("docs/2", 3.0),))
    assert told([(1, 0.70), (3, 0.62), (2, 0.54)], [], limits) == [(1, "semantic"), (3, "semantic")]


def test_b2_path_boosts_never_change_the_score_shown() -> None:
    """The cosine stays what it is."""
    limits = Limits(5, 0.55, 0.88, (("docs/", 1.15),))
    assert judge([[(1, 0.70)]], [], limits=limits, path_of=paths)[0].cosine == 0.70


def test_path_fragments_ignore_case() -> None:
    """As excludes do."""
    assert path_factor("Reference/auth.md", (("reference/", 1.15), ("auth", 2.0), ("", 9.0))) == pytest.approx(2.3)


@pytest.mark.parametrize(
    ("frequency", "chunks", "rare"),
    [
        (5, 100, True),
        (6, 100, False),
        (10, 1000, True),
        (11, 1000, False),
        (5, 8, False),
        (4, 8, True),
        (0, 100, False),
    ],
)
def test_b2_rare_is_at_most_five_or_one_percent_and_no_more_than_half(
    frequency: int, chunks: int, rare: object
) -> None:
    """max(5, lexicalMaxDocFreq x chunks), and no more than half of all chunks."""
    assert bool(rare_words({"w": frequency}, chunks=chunks, max_doc_freq=0.01)) is rare


_SCORES = st.lists(st.floats(-1, 1), max_size=12)


@given(_SCORES, st.sets(st.integers(0, 20), max_size=8), st.integers(1, 8))
def test_hits_keep_the_rules_whatever_the_lists(cosines: list[float], exact: set[int], k: int) -> None:
    """At most k hits, no chunk twice, exact-only ones last and at most two, no semantic one below a threshold.

    A larger k leaves none of them out and changes no order.
    """
    semantic = sorted(enumerate(cosines), key=lambda each: -each[1])
    passed = judge([semantic], [(chunk, 1.0) for chunk in sorted(exact)], limits=Limits(k, 0.55, 0.88), path_of=paths)
    hits = wanted(passed, k)
    more = wanted(passed, k + 1)
    assert hits == [hit for hit in more if hit in hits]
    assert bool(hits) is bool(more)
    labels = [hit.label for hit in hits]
    assert len({hit.id for hit in hits}) == len(hits) <= k
    assert labels == sorted(labels, key=lambda label: label == "exact")
    assert labels.count("exact") <= 2
    assert all(hit.cosine is not None and hit.cosine >= 0.55 for hit in hits if hit.label != "exact")
