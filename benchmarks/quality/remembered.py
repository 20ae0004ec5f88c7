"""An embedder that keeps every vector in one file, so that an index rebuilt for a new chunker embeds what is new."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray  # noqa: TC002 - a script gains nothing from deferring it

from gnomon.embed.base import Embedder
from gnomon.store.base import text_key


class RememberedEmbedder:
    """Embeds each text once per model file, over all runs of the benchmark."""

    def __init__(self, embedder: Embedder, file: Path) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self._database = sqlite3.connect(file, check_same_thread=False, isolation_level=None, timeout=60)
        self._database.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB)")
        self._queries: dict[str, NDArray[np.float32]] = {}

    def __getattr__(self, name: str) -> object:
        return getattr(self._embedder, name)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        if text not in self._queries:
            self._queries[text] = self._embedder.embed_query(text)
        return self._queries[text]

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        keys = [text_key(self._embedder.spec.sha256 + text) for text in texts]
        known = {key: vector for key in set(keys) if (vector := self._find(key)) is not None}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        for (key, _), vector in zip(new.items(), self._embedder.embed_passages(list(new.values())), strict=True):
            known[key] = vector
            with self._lock:
                row = (key, vector.astype(np.float16).tobytes())
                self._database.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", row)
        return np.array([known[key] for key in keys], np.float32).reshape(len(keys), -1)

    def _find(self, key: bytes) -> NDArray[np.float32] | None:
        with self._lock:
            row = self._database.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        vector = np.frombuffer(row[0], np.float16).astype(np.float32)
        return vector / np.linalg.norm(vector)
