"""How far a hit is believed, and the words of a refusal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.embed.models import MODELS, ModelSpec
from gnomon.search import SearchOptions, search
from gnomon.search.refusal import META_KEY, NoiseFloor, confidence, noise_floor, word_coverage
from gnomon.values import Ranking
from tests.fakes.embedder import FAKE_SPEC, FakeEmbedder
from tests.fakes.store import FakeStore

AddFile = Callable[..., int]
_NOISE = NoiseFloor(0.0, 0.3)
_FAKE_CALIBRATION = json.dumps({"model": FAKE_SPEC.id, "noiseTypical": 0.0, "noiseCeiling": 0.3})


def test_rare_words_of_the_question_count_more() -> None:
    """A passage with the rare word covers more than one with the common word."""
    frequencies = {"kafka": 2, "service": 80}
    rare, common = (word_coverage(frequencies, {word}, frequencies, chunks=100) for word in frequencies)
    assert rare > 5 * common


def test_word_that_the_corpus_does_not_know_lowers_the_coverage() -> None:
    """Nothing can hold it."""
    known = word_coverage(["token"], {"token"}, {"token": 3}, chunks=100)
    assert known == 1.0
    assert word_coverage(["token", "kafka"], {"token"}, {"token": 3}, chunks=100) < 0.5


def test_question_without_words_covers_nothing() -> None:
    """Nothing is divided by zero."""
    assert word_coverage([], {"a"}, {}, chunks=0) == 0.0


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1))
def test_more_evidence_is_never_less_confidence(one: float, other: float, less: float, more: float) -> None:
    """It rises with the cosine and with the coverage, and is a probability."""
    low, high = sorted((one, other))
    few, many = sorted((less, more))
    assert 0 <= confidence(low, few, _NOISE) <= confidence(high, many, _NOISE) <= 1


def test_noise_of_the_corpus_counts_where_it_was_calibrated_with_this_model(store: FakeStore) -> None:
    """Figures of another model are of no use."""
    store.set_meta(META_KEY, _FAKE_CALIBRATION)
    assert noise_floor(store, FAKE_SPEC) == NoiseFloor(0.0, 0.3)
    assert noise_floor(store, ModelSpec(id="other", adapter="ollama", dim=3, window_tokens=9)) is None


@pytest.mark.parametrize("kept", ["", "no json", "[]", '{"model": "all-MiniLM-L6-v2"}'])
def test_default_model_has_figures_of_its_own(store: FakeStore, kept: str) -> None:
    """They serve until the corpus is calibrated, and where what is kept cannot be read."""
    store.set_meta(META_KEY, kept)
    assert noise_floor(store, MODELS["all-MiniLM-L6-v2"]) is not None


@pytest.mark.parametrize("ranking", ["hybrid", "grounded"])
def test_hits_carry_their_confidence(store: FakeStore, embedder: FakeEmbedder, add: AddFile, ranking: Ranking) -> None:
    """The passage that holds all words is believed more."""
    store.set_meta(META_KEY, _FAKE_CALIBRATION)
    add("a.md", "rotate the signing key of webhooks")
    add("b.md", "the colour of the signing pen")
    answer = search(
        "rotate signing key", store=store, embedder=embedder, options=SearchOptions(ranking=ranking, min_score=0.0)
    )
    confidences = {hit.path: hit.confidence or 0.0 for hit in answer.hits}
    assert confidences["a.md"] > 0.5 > confidences.get("b.md", 0.0)


@pytest.mark.parametrize("ranking", ["hybrid", "grounded"])
def test_hits_below_the_confidence_asked_for_are_refused(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile, ranking: Ranking
) -> None:
    """The refusal names the best evidence and the threshold, also after fusion."""
    store.set_meta(META_KEY, _FAKE_CALIBRATION)
    add("a.md", "how keys of gates are cut")
    answer = search(
        "keys zebra xylophone quartz",
        store=store,
        embedder=embedder,
        options=SearchOptions(ranking=ranking, min_confidence=0.6, min_score=-1.0),
    )
    assert not answer.hits
    assert answer.refusal.startswith("No relevant results (best confidence 0.")
    assert "threshold 0.60; best score" in answer.refusal
    assert answer.refusal.endswith(" in /corpus/a.md:1)")


@pytest.mark.parametrize("ranking", ["hybrid", "grounded"])
@pytest.mark.parametrize(("query", "told"), [("keys zebra xylophone quartz", True), ("keys of gates", False)])
def test_answer_of_weak_hits_says_so(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile, query: str, told: object, ranking: Ranking
) -> None:
    """What is returned is nearest, or above the threshold; whoever reads it is told how little that may be."""
    store.set_meta(META_KEY, _FAKE_CALIBRATION)
    add("a.md", "how keys of gates are cut")
    answer = search(query, store=store, embedder=embedder, options=SearchOptions(ranking=ranking, min_score=0.0))
    assert [hit.path for hit in answer.hits] == ["a.md"]
    assert any("Probably not answered here: best confidence 0." in notice for notice in answer.notices) is told


@pytest.mark.parametrize("ranking", ["hybrid", "grounded"])
def test_refusal_tells_a_score_just_below_the_threshold_from_it(
    store: FakeStore, embedder: FakeEmbedder, add: AddFile, ranking: Ranking
) -> None:
    """By as many digits as that takes."""
    add("a.md", "how keys of gates are cut")
    unlimited = SearchOptions(ranking=ranking, min_score=-1.0)
    (hit,) = search("gates are cut", store=store, embedder=embedder, options=unlimited).hits
    assert hit.cosine is not None
    options = SearchOptions(ranking=ranking, min_score=hit.cosine + 1e-4, lexical_max_doc_freq=0.0)
    refusal = search("gates are cut", store=store, embedder=embedder, options=options).refusal
    best, threshold = re.findall(r"\d\.\d+", refusal)
    assert float(best) < float(threshold)


def test_words_alone_are_not_judged(store: FakeStore, add: AddFile) -> None:
    """Without a vector there is no confidence and no refusal by it."""
    add("a.md", "rotate the key", vectors=False)
    answer = search("key", store=store, embedder=None, options=SearchOptions(min_confidence=0.9))
    assert [hit.confidence for hit in answer.hits] == [None]


def test_model_without_figures_judges_nothing(store: FakeStore, embedder: FakeEmbedder, add: AddFile) -> None:
    """An uncalibrated corpus of an unmeasured model is searched as before, and says so where a threshold is asked."""
    add("a.md", "rotate the key")
    answer = search("key", store=store, embedder=embedder, options=SearchOptions(min_confidence=0.9))
    assert answer.hits[0].confidence is None
    assert answer.notices[-1].startswith(
        "Confidence is not known for model fake-bag-of-words: gnomon index measures it"
    )
