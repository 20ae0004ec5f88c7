"""What the adapters of embedding servers share: prefixes, batches, checks of the answer, texts a server chokes on."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from gnomon.embed.models import ModelSpec
from gnomon.embed.server import RequestRefusedError
from gnomon.embed.text import encodable, estimated_token_starts
from gnomon.errors import ModelError
from gnomon.figures import number

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A person waits for a query; loading a model of a gigabyte from disk fits in.
QUERY_TIMEOUT_S = 30.0

# Answers that can come from one text: too long, or a vector of NaN, which some servers turn into a 500.
_TEXT_FAULTS = frozenset({400, 413, 422, 500})
_SHORTENINGS = 4


class BadVectorsError(ModelError):
    """The server's numbers are no embedding: not finite, or all zero."""


class EmbeddingApi(Protocol):
    """What differs between servers."""

    def embed(self, texts: Sequence[str], *, timeout_s: float, retry: bool) -> list[list[float]]:
        """One row of numbers per text, in order, as the server gave them.

        Raises:
            RequestRefusedError: The server answered with an error that may be due to a text.
            ModelError: It does not answer, lacks the model, or its answer has another form.
        """
        ...

    def model_digest(self) -> str:
        """Names the weights the server runs; "" where its API does not tell.

        Raises:
            ModelError: The server does not answer or lacks the model.
        """
        ...


class ServedEmbedder:
    """Embeds through a server. Nothing is sent before the first call; safe to share between threads."""

    def __init__(self, spec: ModelSpec, api: EmbeddingApi, *, batch_size: int, timeout_s: float) -> None:
        self._spec = spec
        self._api = api
        self._batch_size = max(batch_size, 1)
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._dim = 0  # as the server answered; 0 before
        self._digest: str | None = None

    @property
    def spec(self) -> ModelSpec:
        """See ``Embedder.spec``; ``dim`` is the server's as soon as it has answered once."""
        return replace(self._spec, dim=self._dim) if self._dim else self._spec

    @property
    def fingerprint(self) -> str:
        """See ``Embedder.fingerprint``."""
        if self._digest is None:
            self._digest = self._api.model_digest()
        spec = self._spec
        shape = (self._digest, spec.query_prefix, spec.passage_prefix, spec.window_tokens)
        return f"{spec.adapter}:{spec.id}@{hashlib.sha256(repr(shape).encode()).hexdigest()[:16]}"

    def begin_loading(self) -> None:
        """See ``Embedder.begin_loading``; the server loads when it is asked."""

    def token_starts(self, text: str) -> Sequence[int]:
        """See ``chunk.base.TokenCounter``; an estimate on the safe side, as servers do not lend their tokenizer."""
        return estimated_token_starts(text)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See ``Embedder.embed_passages``."""
        prefixed = [self._spec.passage_prefix + encodable(text) for text in texts]
        batches = [prefixed[at : at + self._batch_size] for at in range(0, len(prefixed), self._batch_size)]
        if not batches:
            return np.empty((0, self.spec.dim), np.float32)
        return np.concatenate([self._embed(batch, self._timeout_s) for batch in batches])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """See ``Embedder.embed_query``."""
        timeout_s = min(self._timeout_s, QUERY_TIMEOUT_S)
        vector: NDArray[np.float32] = self._embed([self._spec.query_prefix + encodable(text)], timeout_s)[0]
        return vector

    def close(self) -> None:
        """See ``Embedder.close``; there is nothing to give back."""

    def _embed(self, texts: list[str], timeout_s: float, *, retry: bool = True) -> NDArray[np.float32]:
        """Embed a batch; if the server refuses it, find the text at fault by halving and embed its beginning."""
        try:
            return self._checked(self._api.embed(texts, timeout_s=timeout_s, retry=retry), len(texts))
        except RequestRefusedError as error:
            if error.status not in _TEXT_FAULTS:
                raise
        except BadVectorsError:
            pass
        if len(texts) == 1:
            return self._embed_beginning(texts[0], timeout_s)
        half = len(texts) // 2
        parts = (texts[:half], texts[half:])
        return np.concatenate([self._embed(part, timeout_s, retry=False) for part in parts])

    def _embed_beginning(self, text: str, timeout_s: float) -> NDArray[np.float32]:
        failure: ModelError = BadVectorsError("no text")
        for _ in range(_SHORTENINGS):
            text = text[: len(text) // 2]
            if not text:
                break
            try:
                return self._checked(self._api.embed([text], timeout_s=timeout_s, retry=False), 1)
            except (RequestRefusedError, BadVectorsError) as error:
                failure = error
        raise ModelError(f"model {self._spec.id} cannot embed a text, even shortened: {failure}") from failure

    def _checked(self, rows: list[list[float]], expected: int) -> NDArray[np.float32]:
        """Rows scaled to unit length.

        Raises:
            BadVectorsError: A row is not finite or all zero.
            ModelError: The number of rows or their length is not what it has to be.
        """
        name = self._spec.id
        if len(rows) != expected:
            given = f"{number(len(rows), 'vector')} for {number(expected, 'text')}"
            raise ModelError(f"model {name}: the server gave {given}")
        try:
            vectors = np.array(rows, np.float64)
        except (TypeError, ValueError) as error:
            raise ModelError(f"model {name}: the server's vectors are not equally long lists of numbers") from error
        if vectors.ndim != 2 or vectors.shape[1] == 0:
            raise ModelError(f"model {name}: the server's vectors are not equally long lists of numbers")
        with self._lock:
            self._dim = self._dim or vectors.shape[1]
        if vectors.shape[1] != self._dim:
            raise ModelError(f"model {name}: the server gave {vectors.shape[1]} dimensions, before {self._dim}")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise BadVectorsError(f"model {name}: the server gave a vector that is not finite or all zero")
        unit: NDArray[np.float32] = (vectors / lengths).astype(np.float32)
        return unit
