"""Calibration and the state of documents' lives, over the corpus of a configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.config import Config
from gnomon.config.paths import real
from gnomon.values import Hit

if TYPE_CHECKING:
    from gnomon.corpus import Corpus
    from gnomon.embed.base import Embedder
    from gnomon.embed.models import ModelSpec
    from gnomon.measure.calibrate import Calibration
    from gnomon.measure.doctor import Finding
    from gnomon.measure.questions import Question
    from gnomon.store.base import Store

# Hits of a question that precision and recall look at.
_ASKED = 5


def threshold_in_use(config: Config, spec: ModelSpec) -> tuple[float, str]:
    """The cosine threshold of the grounded policy, and where it comes from."""
    from gnomon.search.grounded import FALLBACK_MIN_SCORE

    if config["minScore"] is not None:
        return config["minScore"], "the settings"
    if spec.min_score:
        return spec.min_score, "the model registry"
    return FALLBACK_MIN_SCORE, "a default that nobody verified for this model"


def unverified_line(spec: ModelSpec) -> str:
    """What to say of a model that nobody described; "" of the others."""
    if spec.verified:
        return ""
    return f"Model {spec.id} is not in the registry: its prefixes and thresholds (none) are unverified."


def calibration_line(store: Store, embedder: Embedder, config: Config) -> str:
    """What to say at the end of an index run that measured: one after which the corpus or the model is another.

    Returns:
        "" where nothing was measured anew, or there is nothing to compare.

    Raises:
        ModelError: The model does not answer.
        StoreError: The figures cannot be kept.
    """
    from gnomon.measure.calibrate import META_KEY, is_due

    if not is_due(store.get_meta(META_KEY), model=embedder.spec.id, chunks=store.status().chunks):
        return ""
    found = calibrate_store(store, embedder, config)
    if found is None:
        return ""
    store.set_meta(META_KEY, found.to_json())
    return " ".join(filter(None, (found.line(), found.basis(), how_to_take_up(found, config))))


def how_to_take_up(found: Calibration, config: Config) -> str:
    """What to do with a suggested threshold; "" where it is in use already, or nobody could.

    Settings in the folder for temporary files are those of a trial, gone before anybody can follow.
    """
    import tempfile

    scratch = real(Path(tempfile.gettempdir()))
    if found.suggested == found.in_use or real(config.file).is_relative_to(scratch):
        return ""
    way = f'To take it up, set "minScore": {found.suggested:.2f} in {config.file}.'
    if found.by_questions is None and found.suggested > found.in_use:
        return f"It rests on noise alone; what it costs in right answers, `gnomon calibrate QUESTIONS` tells. {way}"
    return way


def calibrate_store(store: Store, embedder: Embedder, config: Config) -> Calibration | None:
    """Measure the noise of what is indexed; None where there is nothing to compare."""
    from gnomon.measure.calibrate import calibrate

    in_use, source = threshold_in_use(config, embedder.spec)
    return calibrate(store, embedder, in_use=in_use, source=source)


def ask_without_threshold(corpus: Corpus, questions: Sequence[Question]) -> list[tuple[Question, Sequence[Hit]]]:
    """Each question with its best hits by meaning, whatever their score."""
    options = replace(
        corpus.search_options(ranking="grounded"), k=_ASKED, min_score=-1.0, relative_cutoff=-1.0, min_confidence=None
    )
    return [(each, corpus.search(each.text, options).hits) for each in questions]


def diagnose_corpus(corpus: Corpus, *, folders: Sequence[str] = (), only_problems: bool = False) -> list[Finding]:
    """What the indexed documents say of their life, by folder and path.

    Args:
        corpus: Indexed.
        folders: Roots to tell of; empty tells of all.
        only_problems: Leave out documents with which nothing is wrong.

    Raises:
        StoreError: Nothing is indexed yet, or the index cannot be read.
    """
    from gnomon.lifecycle import resolve
    from gnomon.lifecycle.graph import DocumentLife
    from gnomon.measure.doctor import diagnose
    from gnomon.values import Status

    documents = [(DocumentLife.of(each.id, each.document), each.document) for each in corpus.store().documents()]
    known = {str(status) for status in Status}
    graph = resolve(
        [life for life, _ in documents],
        hidden_statuses=[Status(each) for each in corpus.config["hiddenStatuses"] if each in known],
        today=datetime.now(UTC).date().isoformat(),
    )
    told = [
        (life, warnings_of_life(document.warnings))
        for life, document in documents
        if not folders or life.folder in folders
    ]
    return diagnose(told, graph, only_problems=only_problems)


def warnings_of_life(warnings: Sequence[str]) -> tuple[str, ...]:
    """Those warnings of a document that name a line of its head; those of extraction name none."""
    return tuple(each for each in warnings if each.startswith("line "))
