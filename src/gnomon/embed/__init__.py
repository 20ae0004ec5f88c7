"""Chunks to vectors: one module per engine, and the registry of models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gnomon.embed.base import Embedder, EmbedderOptions
from gnomon.embed.models import (
    DEFAULT_MODEL,
    MODELS,
    MULTILINGUAL_MODEL,
    UNKNOWN_WINDOW_TOKENS,
    Adapter,
    ModelSpec,
    find_model,
)
from gnomon.errors import UsageError

__all__ = [
    "ADAPTERS",
    "DEFAULT_MODEL",
    "MODELS",
    "MULTILINGUAL_MODEL",
    "Embedder",
    "EmbedderOptions",
    "ModelSpec",
    "find_model",
    "open_embedder",
    "resolve_spec",
]


def _open_onnx(spec: ModelSpec, options: EmbedderOptions) -> Embedder:
    from gnomon.embed.onnx import OnnxEmbedder, packaged_files

    if spec.id != MULTILINGUAL_MODEL:
        return OnnxEmbedder(spec, packaged_files(spec), threads=options.threads)
    from gnomon.embed.e5 import multilingual_files

    if options.model_dir is None:
        raise UsageError(f"model {spec.id} is built on this machine and needs a folder for models")
    return OnnxEmbedder(spec, multilingual_files(options.model_dir), threads=options.threads)


def _open_ollama(spec: ModelSpec, options: EmbedderOptions) -> Embedder:
    from gnomon.embed.ollama import open_ollama

    return open_ollama(spec, options)


def _open_openai(spec: ModelSpec, options: EmbedderOptions) -> Embedder:
    from gnomon.embed.openai import open_openai

    return open_openai(spec, options)


ADAPTERS: dict[Adapter, Callable[[ModelSpec, EmbedderOptions], Embedder]] = {
    "onnx": _open_onnx,
    "ollama": _open_ollama,
    "openai": _open_openai,
}


def open_embedder(options: EmbedderOptions | None = None) -> Embedder:
    """An embedder for the options given, by default the model that comes with the package.

    Nothing is read, loaded or asked of a server until the first call that needs it.

    Raises:
        UsageError: The model is in no row and no API was named.
        ModelError: A server address is not on this machine and ``allow_remote`` is off.
    """
    options = options or EmbedderOptions()
    spec = resolve_spec(options)
    return ADAPTERS[spec.adapter](spec, options)


def resolve_spec(options: EmbedderOptions) -> ModelSpec:
    """The row for the model named, under the name and with the API that the options give it.

    A served model without a row gets one with no prefixes, no thresholds and ``verified`` False.

    Raises:
        UsageError: The model is in no row and no API was named, or the API cannot run it.
    """
    row = find_model(options.model or DEFAULT_MODEL)
    if row is None:
        return _unknown_spec(options)
    api = options.api or row.adapter
    if api == row.adapter:
        return row if api == "onnx" else replace(row, id=options.model)
    if api == "onnx":
        raise UsageError(
            f"model {row.id!r} is not one gnomon runs itself; it needs a server (Ollama or OpenAI-compatible)."
        )
    served = replace(row, id=options.model, adapter=api)
    return replace(served, size_bytes=0, sha256="", file="", tokenizer_file="", tokenizer_sha256="", extra="")


def _unknown_spec(options: EmbedderOptions) -> ModelSpec:
    api = options.api
    if api == "" or api == "onnx":  # noqa: PLR1714 - mypy narrows this form only
        known = ", ".join(sorted(MODELS))
        raise UsageError(
            f"unknown model {options.model!r}. Known models: {known}. "
            'Any other model needs a server: set "embedApi" to "ollama" or "openai".'
        )
    return ModelSpec(id=options.model, adapter=api, dim=0, window_tokens=UNKNOWN_WINDOW_TOKENS, verified=False)
