"""Facts about models: one row each. Adding a model that runs in an existing adapter is adding a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One embedding model.

    Attributes:
        id: Name in the config (``modelName`` / ``embedModel``).
        adapter: Which module runs it.
        dim: Length of a vector; 0 where only the server knows.
        window_tokens: Longest input including special tokens.
        special_tokens: How many of the window the model's own markers take.
        query_prefix: Put before a query.
        passage_prefix: Put before a passage.
        min_score: Default cosine threshold of the grounded policy.
        relative_cutoff: Default share of the best score below which the grounded policy drops hits.
        licence: SPDX id.
        size_bytes: Of the model file; 0 for served models.
        sha256: Of the model file; "" for served models.
        extra: Install extra that brings it, "" for the default install.
        verified: Prefixes and thresholds come from measurement or the publisher.
    """

    id: str
    adapter: Literal["onnx", "ollama", "openai"]
    dim: int
    window_tokens: int
    special_tokens: int = 2
    query_prefix: str = ""
    passage_prefix: str = ""
    min_score: float = 0.0
    relative_cutoff: float = 0.0
    licence: str = ""
    size_bytes: int = 0
    sha256: str = ""
    extra: str = ""
    verified: bool = True
