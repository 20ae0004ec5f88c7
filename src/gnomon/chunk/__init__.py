"""Text to chunks: code by syntax tree, prose by headings, data by keys. One module per kind of document."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from gnomon.chunk.base import ChunkLimits, TokenCounter
from gnomon.values import Chunk, Extracted

__all__ = ["CHUNKER_VERSION", "ChunkLimits", "TokenCounter", "chunk"]

# Part of the index fingerprint: an index cut by another version is refused.
CHUNKER_VERSION = "3"

# Kind to the function that cuts it; imported with the first document of the kind.
_CHUNKERS = {
    "code": ("gnomon.chunk.code", "chunk_code"),
    "data": ("gnomon.chunk.data", "chunk_data"),
    "prose": ("gnomon.chunk.prose", "chunk_prose"),
}


def chunk(
    document: Extracted, *, path: str, tokens: TokenCounter, limits: ChunkLimits, body_start: int = 0
) -> list[Chunk]:
    """Cut one document into chunks.

    The spans together cover every non-blank character from ``body_start`` on; no chunk, with its context line, is above
    ``limits.hard_tokens``; the same document gives the same chunks.

    Args:
        document: The text and what it is.
        path: Relative path, named in no chunk: a renamed file keeps its vectors.
        tokens: The embedding model's tokenizer.
        limits: How large chunks are.
        body_start: First character after front matter; what is before it is in no chunk.
    """
    del path
    module, name = _CHUNKERS[document.kind]
    cut = cast("Callable[..., list[Chunk]]", getattr(import_module(module), name))
    return cut(document, tokens=tokens, limits=limits, body_start=body_start)
