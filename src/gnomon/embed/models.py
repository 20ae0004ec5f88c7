"""Facts about models: one row each. Adding a model that runs in an existing adapter is adding a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Adapter = Literal["onnx", "ollama", "openai"]


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One embedding model.

    Attributes:
        id: Name in the config (``modelName`` / ``embedModel``).
        adapter: Which module runs it.
        dim: Length of a vector; 0 where only the server knows.
        window_tokens: Longest input including special tokens.
        special_tokens: How many of the window the model's own markers and the passage prefix take.
        query_prefix: Put before a query.
        passage_prefix: Put before a passage.
        min_score: Default cosine threshold of the grounded policy; 0 where nobody measured one.
        relative_cutoff: Default share of the best score below which the grounded policy drops hits; 0 as above.
            Measured on docs-uv, scifact and xquad (docs/decisions/0022); bge-m3's are the second predecessor's.
        licence: SPDX id.
        size_bytes: Of the model file; 0 for served models.
        sha256: Of the model file; "" for served models.
        file: Name of the model file; "" for served models.
        tokenizer_file: Name of the tokenizer's file; "" for served models.
        tokenizer_sha256: Of the tokenizer's file; "" for served models.
        extra: Install extra that brings it, "" for the default install.
        verified: Prefixes and thresholds come from measurement or the publisher.
        english_only: Trained on English; for other languages the words arm is believed more.
    """

    id: str
    adapter: Adapter
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
    file: str = ""
    tokenizer_file: str = ""
    tokenizer_sha256: str = ""
    extra: str = ""
    verified: bool = True
    english_only: bool = False


DEFAULT_MODEL = "all-MiniLM-L6-v2"
MULTILINGUAL_MODEL = "multilingual-e5-small"

_SEARCH_PROMPT = "Represent this sentence for searching relevant passages: "

_ROWS = (
    ModelSpec(
        id=DEFAULT_MODEL,
        adapter="onnx",
        dim=384,
        window_tokens=256,
        # Best cosine of a corpus for questions about something else: p99 0.31-0.32; for its own: p5 0.36-0.38.
        min_score=0.32,
        # The passage that answers has 0.76-0.77 of the best cosine or more in 95 % of cases, 0.86-0.91 in 90 %.
        relative_cutoff=0.80,
        licence="Apache-2.0",
        size_bytes=23_540_360,
        sha256="71637f39889fabaa098facd0251a912ba9d5364ca1bb6078d61b67cda4a70430",
        file="minilm-l6-v2-int8.onnx",
        tokenizer_file="minilm-l6-v2-vocabulary.txt",
        tokenizer_sha256="07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
        english_only=True,
    ),
    ModelSpec(
        id=MULTILINGUAL_MODEL,
        adapter="onnx",
        dim=384,
        window_tokens=512,
        special_tokens=4,
        query_prefix="query: ",
        passage_prefix="passage: ",
        # All its cosines are high: unrelated best p50 0.77-0.81, p99 0.83; own questions p5 0.83-0.84 in one language,
        # 0.78 across two. No number separates both, so this one leaves languages in and calibration to the corpus.
        min_score=0.80,
        relative_cutoff=0.97,
        licence="MIT",
        size_bytes=119_506_867,
        sha256="4125ee68ff99c3eb086859841f366d7b24f9d2c8573c8bfac2e5b2a8a002505d",
        file="e5-small-int8.onnx",
        tokenizer_file="e5-small.spm",
        tokenizer_sha256="0395179e4f21fd6a6e290f28374f2a9afcf90e5f757abd8360ad59fea66c812d",
        extra="multilingual",
    ),
    ModelSpec(
        id="bge-m3",
        adapter="ollama",
        dim=1024,
        window_tokens=8192,
        min_score=0.55,
        relative_cutoff=0.88,
        licence="MIT",
    ),
    ModelSpec(
        id="nomic-embed-text",
        adapter="ollama",
        dim=768,
        window_tokens=2048,  # what Ollama serves; the model itself reads 8192
        special_tokens=7,
        query_prefix="search_query: ",
        passage_prefix="search_document: ",
        licence="Apache-2.0",
        english_only=True,
    ),
    ModelSpec(
        id="mxbai-embed-large",
        adapter="ollama",
        dim=1024,
        window_tokens=512,
        query_prefix=_SEARCH_PROMPT,
        licence="Apache-2.0",
        english_only=True,
    ),
    ModelSpec(
        id="snowflake-arctic-embed",
        adapter="ollama",
        dim=0,  # 384 to 1024 by size
        window_tokens=512,
        query_prefix=_SEARCH_PROMPT,
        licence="Apache-2.0",
        english_only=True,
    ),
    ModelSpec(
        id="snowflake-arctic-embed2",
        adapter="ollama",
        dim=1024,
        window_tokens=8192,
        query_prefix="query: ",
        licence="Apache-2.0",
    ),
    ModelSpec(
        id="qwen3-embedding",
        adapter="ollama",
        dim=0,  # 1024 to 4096 by size
        window_tokens=32_768,
        special_tokens=1,
        query_prefix=("Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"),
        licence="Apache-2.0",
    ),
    ModelSpec(
        id="embeddinggemma",
        adapter="ollama",
        dim=768,
        window_tokens=2048,
        special_tokens=9,
        query_prefix="task: search result | query: ",
        passage_prefix="title: none | text: ",
        licence="LicenseRef-Gemma",
    ),
)

MODELS: dict[str, ModelSpec] = {row.id: row for row in _ROWS}

ALIASES: dict[str, str] = {
    "Xenova/all-MiniLM-L6-v2": DEFAULT_MODEL,
    "sentence-transformers/all-MiniLM-L6-v2": DEFAULT_MODEL,
    "intfloat/multilingual-e5-small": MULTILINGUAL_MODEL,
    "Xenova/multilingual-e5-small": MULTILINGUAL_MODEL,
    "BAAI/bge-m3": "bge-m3",
    "nomic-ai/nomic-embed-text-v1.5": "nomic-embed-text",
    "mixedbread-ai/mxbai-embed-large-v1": "mxbai-embed-large",
    "Snowflake/snowflake-arctic-embed-l-v2.0": "snowflake-arctic-embed2",
    "google/embeddinggemma-300m": "embeddinggemma",
}

# A served model nobody described: every known embedding model reads at least this much.
UNKNOWN_WINDOW_TOKENS = 512


def find_model(name: str) -> ModelSpec | None:
    """The row of a model by id or alias, or None; case and an Ollama tag (``bge-m3:latest``) do not matter.

    >>> find_model("Xenova/all-MiniLM-L6-v2").id
    'all-MiniLM-L6-v2'
    >>> find_model("BGE-M3:567m").id
    'bge-m3'
    """
    names = {key.lower(): key for key in MODELS} | {alias.lower(): key for alias, key in ALIASES.items()}
    wanted = name.strip().lower()
    found = names.get(wanted) or names.get(wanted.partition(":")[0])
    return MODELS[found] if found else None
