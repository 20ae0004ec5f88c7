"""An embedder that first looks whether somebody on this machine has embedded a text already."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from gnomon.embed.base import Embedder
from gnomon.embed.models import ModelSpec
from gnomon.store.base import text_key

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class VectorSource(Protocol):
    """Vectors by content, of the same model."""

    def vectors_of(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float16]]:
        """Those that are known, by ``text_key``."""
        ...


class ReusingEmbedder:
    """Embeds only what the source does not have; see ``Embedder``.

    Attributes:
        reused: Passages taken from the source so far.
    """

    def __init__(self, embedder: Embedder, source: VectorSource) -> None:
        self._embedder = embedder
        self._source = source
        self._lock = threading.Lock()
        self.reused = 0

    @property
    def spec(self) -> ModelSpec:
        """See ``Embedder.spec``."""
        return self._embedder.spec

    @property
    def fingerprint(self) -> str:
        """See ``Embedder.fingerprint``."""
        return self._embedder.fingerprint

    def begin_loading(self) -> None:
        """See ``Embedder.begin_loading``."""
        self._embedder.begin_loading()

    def token_starts(self, text: str) -> Sequence[int]:
        """See ``chunk.base.TokenCounter``."""
        return self._embedder.token_starts(text)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See ``Embedder.embed_passages``."""
        keys = [text_key(text) for text in texts]
        known = self._source.vectors_of(keys)
        if not known:
            return self._embedder.embed_passages(texts)
        import numpy as np

        missing = [position for position, key in enumerate(keys) if key not in known]
        vectors = np.empty((len(texts), self.spec.dim), np.float32)
        for position, key in enumerate(keys):
            if key in known:
                vectors[position] = known[key]
        if missing:
            vectors[missing] = self._embedder.embed_passages([texts[position] for position in missing])
        with self._lock:
            self.reused += len(texts) - len(missing)
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """See ``Embedder.embed_query``."""
        return self._embedder.embed_query(text)

    def close(self) -> None:
        """See ``Embedder.close``."""
        self._embedder.close()
