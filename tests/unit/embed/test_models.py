"""The registry of models: rows, names, and what is made of a model nobody described."""

from __future__ import annotations

import pytest

from gnomon.embed import DEFAULT_MODEL, MODELS, EmbedderOptions, ModelSpec, find_model, resolve_spec
from gnomon.embed.models import ALIASES
from gnomon.errors import UsageError


@pytest.mark.parametrize(
    "name", ["", "all-MiniLM-L6-v2", "Xenova/all-MiniLM-L6-v2", "sentence-transformers/all-minilm-l6-v2"]
)
def test_predecessors_names_mean_the_default_model(name: str) -> None:
    """Settings of the predecessors keep working, whatever the case."""
    assert resolve_spec(EmbedderOptions(name)) is MODELS[DEFAULT_MODEL]


def test_every_alias_leads_to_a_row() -> None:
    """No alias points nowhere."""
    assert set(ALIASES.values()) <= set(MODELS)


@pytest.mark.parametrize("row", MODELS.values(), ids=lambda row: row.id)
def test_row_is_complete_for_its_adapter(row: ModelSpec) -> None:
    """Local models name their files and digests; served ones have none; thresholds are shares."""
    spec = row
    local = (spec.file, spec.sha256, spec.tokenizer_file, spec.tokenizer_sha256)
    assert all(local) if spec.adapter == "onnx" else not any(local)
    assert 0 <= spec.min_score < 1
    assert 0 <= spec.relative_cutoff < 1
    assert spec.special_tokens < spec.window_tokens
    assert spec.licence


def test_ollama_tag_keeps_the_facts_and_the_full_name() -> None:
    """``bge-m3:567m`` is asked for under that name, with bge-m3's thresholds."""
    spec = resolve_spec(EmbedderOptions("bge-m3:567m"))
    assert (spec.id, spec.adapter, spec.min_score, spec.relative_cutoff) == ("bge-m3:567m", "ollama", 0.55, 0.88)
    assert spec.verified


def test_nomic_gets_its_task_prefixes() -> None:
    """The first thing people get wrong with this model comes from the row."""
    spec = find_model("nomic-embed-text")
    assert spec is not None
    assert (spec.query_prefix, spec.passage_prefix) == ("search_query: ", "search_document: ")


def test_known_model_may_run_on_another_server() -> None:
    """The prefixes belong to the model, not to who serves it."""
    spec = resolve_spec(EmbedderOptions("nomic-embed-text", api="openai"))
    assert (spec.adapter, spec.query_prefix) == ("openai", "search_query: ")


def test_served_copy_of_the_default_model_names_no_local_file() -> None:
    """A server's copy has its own digest, so ours does not describe it."""
    spec = resolve_spec(EmbedderOptions(DEFAULT_MODEL, api="ollama"))
    assert (spec.adapter, spec.file, spec.sha256) == ("ollama", "", "")


def test_unknown_served_model_works_and_is_named_unverified() -> None:
    """No prefixes, no thresholds, and it says so."""
    spec = resolve_spec(EmbedderOptions("my-own-model", api="ollama"))
    assert (spec.verified, spec.query_prefix, spec.passage_prefix, spec.min_score) == (False, "", "", 0.0)


def test_unknown_model_without_api_is_refused_with_the_known_ones() -> None:
    """The message lists what there is and the key that makes anything else work."""
    with pytest.raises(UsageError, match=r"'gpt-17'.*bge-m3.*embedApi"):
        resolve_spec(EmbedderOptions("gpt-17"))


def test_served_model_cannot_be_run_locally() -> None:
    """A row without a file does not pretend to have one."""
    with pytest.raises(UsageError, match="needs a server"):
        resolve_spec(EmbedderOptions("bge-m3", api="onnx"))
