"""An embedder that is a pure function of its text: a bag of words hashed to signed axes.

Texts that share words are close, texts that share none are near 0, and the same text is the same vector on every
machine; so tests can tell which passage must win by reading it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gnomon.embed.models import ModelSpec
from gnomon.errors import ModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WORD = re.compile(r"\w+|[^\w\s]")

FAKE_SPEC = ModelSpec(
    id="fake-bag-of-words",
    adapter="onnx",
    dim=64,
    window_tokens=256,
    min_score=0.3,
    relative_cutoff=0.8,
)


class FakeEmbedder:
    """A real adapter without a model.

    Args:
        spec: Row to go by; another ``dim``, prefix or window gives another fingerprint.
        failure: Raised as ``ModelError`` by every call that embeds; "" works.

    Attributes:
        passages_embedded: Every passage asked for, in order, so that tests can count what was embedded anew.
        questions_asked: Every question asked for, in order, also those that failed.
        closed: ``close`` was called after the last call that embedded.
    """

    def __init__(self, spec: ModelSpec = FAKE_SPEC, *, failure: str = "") -> None:
        self._spec = spec
        self.failure = failure
        self.passages_embedded: list[str] = []
        self.questions_asked: list[str] = []
        self.closed = False

    @property
    def spec(self) -> ModelSpec:
        """See ``Embedder.spec``."""
        return self._spec

    @property
    def fingerprint(self) -> str:
        """See ``Embedder.fingerprint``."""
        spec = self._spec
        shape = (spec.dim, spec.query_prefix, spec.passage_prefix, spec.window_tokens)
        return f"{spec.id}@{hashlib.sha256(repr(shape).encode()).hexdigest()[:16]}"

    def begin_loading(self) -> None:
        """Nothing to load."""

    def token_starts(self, text: str) -> Sequence[int]:
        """One token per word and per punctuation mark."""
        return [match.start() for match in _WORD.finditer(text)]

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See ``Embedder.embed_passages``."""
        self._fail_if_asked()
        self.passages_embedded.extend(texts)
        rows = [self._vector(text) for text in texts]
        return np.array(rows, np.float32).reshape(len(rows), self._spec.dim)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """See ``Embedder.embed_query``."""
        self.questions_asked.append(text)
        self._fail_if_asked()
        return self._vector(text)

    def close(self) -> None:
        """See ``Embedder.close``."""
        self.closed = True

    def _fail_if_asked(self) -> None:
        if self.failure:
            raise ModelError(self.failure)
        self.closed = False

    def _vector(self, text: str) -> NDArray[np.float32]:
        words = [match.group().lower() for match in _WORD.finditer(text)]
        words = words[: self._spec.window_tokens - self._spec.special_tokens]
        vector = np.zeros(self._spec.dim, np.float32)
        for word in words or [""]:
            digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
            for byte, sign in zip(digest[:4], digest[4:], strict=True):
                vector[byte % self._spec.dim] += 1.0 if sign & 1 else -1.0
        length = float(np.linalg.norm(vector))
        if length == 0.0:  # the words cancelled out: still a unit vector, still the same one each time
            vector[0] = length = 1.0
        unit: NDArray[np.float32] = (vector / np.float32(length)).astype(np.float32)
        return unit
