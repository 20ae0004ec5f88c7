"""Noise of a corpus and what follows, part B5 of what the predecessors do."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.analyze import chunk_words
from gnomon.config import load_config
from gnomon.corpus.measuring import calibration_line, how_to_take_up
from gnomon.measure.calibrate import Calibration, Threshold, calibrate, is_due, percentile, suggest, thresholds
from gnomon.measure.questions import Expected, Question
from gnomon.measure.report import render_report
from gnomon.store.base import DocumentWrite
from gnomon.values import Chunk, Document, Hit, Span
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.store import FakeStore

_SUBJECTS = ("queue", "printer", "parcel", "scanner", "depot", "tour", "label", "ramp")


def _calibration(**changes: object) -> Calibration:
    given_: dict[str, object] = {
        "model": "bge-m3",
        "chunks": 900,
        "pairs": tuple(0.421 * n / 494 for n in range(500)),
        "unrelated": (0.38, 0.40, 0.41),
        "gibberish": (0.30,),
        "typical": 0.2,
        "in_use": 0.55,
        "source": "the model registry",
    }
    return Calibration(**{**given_, **changes})  # type: ignore[arg-type]


@pytest.fixture
def corpus() -> FakeStore:
    """Thirty short documents with vectors."""
    store, embedder = FakeStore(), FakeEmbedder()
    writes = []
    for number in range(30):
        text = f"The {_SUBJECTS[number % 8]} of gate {number} needs care when it rains. Call team {number % 5} then."
        chunk = Chunk(0, Span(0, len(text)), 1, 1, text)
        document = Document("/c", f"{number}.md", 1, 1, 1, "", "prose", "markdown")
        writes.append(DocumentWrite(document, [chunk], [chunk_words(chunk, document.path, "")]))
    store.write(writes)
    pending = store.pending(limit=1000)
    store.put_vectors([key for key, _ in pending], embedder.embed_passages([text for _, text in pending]))
    return store


def test_b5_sentence_is_that_of_the_predecessor() -> None:
    """Word for word; agents and people read it."""
    assert _calibration().line() == (
        "Calibration: background noise p99 = 0.421 over 500 random pairs -> suggested minScore 0.45 "
        "(in use: 0.55, from the model registry)."
    )


@pytest.fixture
def settings_that_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A settings file outside the folder for temporary files, where that of a test usually is."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    return tmp_path / "config.json"


def test_b5_sentence_comes_with_what_was_measured(corpus: FakeStore, settings_that_stay: Path) -> None:
    """After a run that changed nothing there is nothing to tell."""
    embedder, config = FakeEmbedder(), load_config(settings_that_stay)
    told = calibration_line(corpus, embedder, config)
    assert told.startswith("Calibration: background noise p99 = ")
    assert ", up to the next twentieth. " in told  # the figure above may be far from the one that was taken
    assert told.endswith(f" in {config.file}.")  # where the suggestion is taken up
    assert calibration_line(corpus, embedder, config) == ""


def test_threshold_that_is_in_use_already_needs_nothing_done(settings_that_stay: Path) -> None:
    """Of another one it is told where it is written."""
    config = load_config(settings_that_stay)
    assert how_to_take_up(_calibration(in_use=0.45), config) == ""
    told = how_to_take_up(_calibration(), config)
    assert told == f'To take it up, set "minScore": 0.45 in {settings_that_stay}.'


def test_settings_of_a_trial_are_not_to_be_changed(settings_that_stay: Path) -> None:
    """They are gone when `dev.py try` is over, so that nobody could."""
    trial = settings_that_stay.parent / "tmp" / "config.json"
    assert how_to_take_up(_calibration(), load_config(trial)) == ""


def test_higher_threshold_by_noise_alone_comes_with_what_it_may_cost(settings_that_stay: Path) -> None:
    """Nobody has asked a question yet; own ones have told."""
    config = load_config(settings_that_stay)
    assert how_to_take_up(_calibration(in_use=0.32), config).startswith("It rests on noise alone; what it costs ")
    asked = _calibration(in_use=0.32).with_questions(_rows(*[(20, 20)] * 10))
    assert how_to_take_up(asked, config).startswith("To take it up")


@pytest.mark.parametrize(
    ("pairs", "unrelated", "said"),
    [
        (
            (0.9,) * 100,
            (0.43,) * 40,
            "best hit. The noise suggests 0.50: these 0.43 and 0.05 to spare, up to the next twentieth.",
        ),
        ((0.41,) * 100, (0.60,) * 40, "suggests 0.45: the 0.41 of random pairs, up to the next twentieth."),
    ],
)
def test_suggestion_by_noise_says_how_it_follows(pairs: object, unrelated: object, said: str) -> None:
    """From which of the two kinds of noise, and that nothing is known of its cost."""
    how, cost = _calibration(pairs=pairs, unrelated=unrelated, gibberish=()).grounds()
    assert how.endswith(said)
    assert cost.startswith("It rests on noise alone")


def test_right_answers_that_a_suggestion_loses_are_told() -> None:
    """Also those that the noise alone would lose."""
    rows = _rows(*[(20, 40)] * 6, (19, 20), *[(11, 11)] * 4, questions=40)
    found = _calibration().with_questions(rows)
    assert found.suggested == 0.30
    assert found.grounds(rows)[1:] == [
        "The suggested 0.30 loses 1 of the 20 right answers of these questions.",
        "By noise alone it would be 0.45, which loses 9 of the 20 right answers.",
    ]


def test_suggestion_that_loses_nothing_says_so() -> None:
    """All answers are far above the noise."""
    rows = _rows(*[(20, 20)] * 12)
    assert _calibration().with_questions(rows).grounds(rows)[1:] == [
        "The suggested 0.45 loses none of the 20 right answers of these questions."
    ]


def test_b5_calibration_pairs_five_hundred_at_random(corpus: FakeStore) -> None:
    """Over a corpus that has as many."""
    found = calibrate(corpus, FakeEmbedder(), in_use=0.3, source="the settings")
    assert found
    assert len(found.pairs) == 500
    assert len(found.unrelated) == 40
    assert found.line().endswith("(in use: 0.30, from the settings).")


def test_b5_calibration_overrides_nothing(corpus: FakeStore) -> None:
    """It only returns; the store is as it was."""
    before = (corpus.generation, corpus.get_meta("calibration"))
    calibrate(corpus, FakeEmbedder(), in_use=0.3, source="the settings")
    assert (corpus.generation, corpus.get_meta("calibration")) == before


def test_same_corpus_gives_the_same_figures(corpus: FakeStore) -> None:
    """What is drawn depends on the seed only."""
    runs = [calibrate(corpus, FakeEmbedder(), in_use=0.3, source="x") for _ in range(2)]
    assert runs[0] == runs[1]


def test_corpus_of_one_document_has_no_noise() -> None:
    """Nothing can be paired."""
    assert calibrate(FakeStore(), FakeEmbedder(), in_use=0.3, source="x") is None


def test_corpus_about_one_subject_is_measured_by_unrelated_questions() -> None:
    """Its random pairs are related themselves; a threshold above them would refuse everything."""
    assert _calibration(pairs=(0.7,) * 100, unrelated=(0.25,) * 40, gibberish=(0.1,) * 10).suggested == 0.30


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_suggestion_is_a_twentieth_within_reason(noise: float, ceiling: float) -> None:
    """From 0.05 to 0.95, whatever was measured."""
    suggested = suggest(noise, ceiling)
    assert 0.05 <= suggested <= 0.95
    assert round(suggested * 20, 6) == round(suggested * 20)


def test_what_is_kept_carries_the_noise_for_the_search() -> None:
    """The keys that search reads."""
    kept = json.loads(_calibration().to_json())
    assert kept["model"] == "bge-m3"
    assert kept["noiseTypical"] == 0.2
    assert kept["noiseCeiling"] == pytest.approx(0.4085)


@pytest.mark.parametrize(
    ("model", "chunks", "due"),
    [("bge-m3", 900, False), ("bge-m3", 980, False), ("bge-m3", 1000, True), ("other", 900, True)],
)
def test_calibration_is_due_after_a_change_of_model_or_size(model: str, chunks: int, due: object) -> None:
    """A tenth more or fewer passages, or another model."""
    assert is_due(_calibration().to_json(), model=model, chunks=chunks) is due


@pytest.mark.parametrize("kept", ["", "{", "[]", '{"version": 0}'])
def test_calibration_is_due_where_none_is_kept(kept: str) -> None:
    """Also where what is kept cannot be read."""
    assert is_due(kept, model="m", chunks=1)


def _hit(path: str, cosine: float | None) -> Hit:
    return Hit(1, "/c", path, Span(0, 1), 1, 1, "x", 0.0, "semantic", cosine=cosine)


def test_thresholds_tell_precision_and_recall_of_own_questions() -> None:
    """Two questions: one is answered rightly at 0.5, one wrongly at 0.4."""
    asked = [
        (Question("a", (Expected("a.md"),)), [_hit("a.md", 0.5), _hit("b.md", 0.45)]),
        (Question("c", (Expected("c.md"),)), [_hit("d.md", 0.4), _hit("e.md", None)]),
    ]
    by_threshold = {row.at: (row.answered, row.precision, row.recall) for row in thresholds(asked)}
    assert by_threshold[0.4] == (2, 0.5, 0.5)
    assert by_threshold[0.5] == (1, 1.0, 0.5)
    assert by_threshold[0.55] == (0, None, 0.0)  # of nothing there is no share


def test_no_precision_is_told_where_nothing_is_answered() -> None:
    """Neither as a number nor as an empty cell."""
    assert (Threshold(0.9, 0, 0, 8).told_precision, Threshold(0.4, 4, 3, 8).told_precision) == ("-", "0.75")


def _rows(*right_of_answered: tuple[int, int], questions: int = 20) -> list[Threshold]:
    """One threshold per twentieth from 0 on; none of the questions passes those that are not given."""
    given_ = [*right_of_answered, *[(0, 0)] * (20 - len(right_of_answered))]
    return [Threshold(round(n * 0.05, 2), answered, right, questions) for n, (right, answered) in enumerate(given_)]


def test_own_questions_suggest_what_costs_them_at_most_a_twentieth() -> None:
    """The noise said 0.45, where a third of the right answers was gone."""
    rows = _rows(*[(18, 20)] * 5, (18, 19), (17, 18), (16, 17), (14, 14), (12, 12))
    found = _calibration().with_questions(rows)
    assert found.suggested == 0.25
    assert "over 500 random pairs; by 20 own questions -> suggested minScore 0.25 (in use: 0.55, from " in found.line()


def test_own_questions_that_are_all_far_above_suggest_what_is_above_the_noise() -> None:
    """A higher threshold gains nothing for them, and may cost others."""
    assert _calibration().with_questions(_rows(*[(20, 20)] * 16)).suggested == 0.45
    assert _calibration().with_questions(_rows(*[(20, 20)] * 6)).suggested == 0.25


def test_own_questions_without_a_right_answer_suggest_nothing() -> None:
    """The noise alone is left."""
    found = _calibration().with_questions(_rows(*[(0, 20)] * 6))
    assert found == _calibration()
    assert _calibration().with_questions([]).suggested == 0.45


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30), st.floats(0, 100))
def test_percentile_lies_within_the_values(values: list[float], percent: float) -> None:
    """Between the least and the greatest, up to rounding."""
    ascending = sorted(values)
    assert ascending[0] - 1e-9 <= percentile(ascending, percent) <= ascending[-1] + 1e-9


class _Loads(HTMLParser):
    """Collects everything a browser would load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Scripts, and attributes that name an address."""
        names = {name for name, _ in attrs}
        if tag in {"script", "link", "img", "iframe"} or names & {"src", "href", "onclick", "onload"}:
            self.loads.append(tag)


def test_report_loads_nothing_and_escapes_names() -> None:
    """One page, readable without a network, whatever the corpus is called."""
    page = render_report(
        _calibration(source="<b>x</b>"),
        title="<script>alert(1)</script>",
        own_scores=(0.5, 2.0, -1.0),
        thresholds=thresholds([]),
    )
    parser = _Loads()
    parser.feed(page)
    assert not parser.loads
    assert not re.search(r"https?://|@import|url\(", page)
    assert "&lt;script&gt;" in page
    assert "&lt;b&gt;x" in page


def test_report_draws_both_thresholds_in_each_distribution() -> None:
    """Three distributions, and a fourth with own questions."""
    page = render_report(_calibration(), title="c", own_scores=(0.5,))
    assert page.count("<svg") == page.count('class="use"') == page.count('class="hint"') == 4
