"""What every embedder promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from gnomon.embed.models import ModelSpec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into unit vectors; also the ``TokenCounter`` of the chunkers. Safe to share between threads."""

    @property
    def spec(self) -> ModelSpec:
        """The row of data that describes the model."""
        ...

    @property
    def fingerprint(self) -> str:
        """Names everything that shapes a vector (model file digest, prefixes, window); equal means comparable.

        Raises:
            ModelError: Only the server knows it, and the server does not answer.
        """
        ...

    def begin_loading(self) -> None:
        """Start on what the first vector of a question needs, so that other work can be done meanwhile.

        A hint: it raises nothing, and may do nothing.
        """
        ...

    def token_starts(self, text: str) -> Sequence[int]:
        """See ``chunk.base.TokenCounter``."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Float32, shape (len(texts), dim), rows of unit L2 norm in the order given; shape (0, dim) for no texts.

        Raises:
            ModelError: The model file or server does not answer.
        """
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Float32, shape (dim,), unit L2 norm. A text above the window is cut to it.

        Raises:
            ModelError: The model file or server does not answer.
        """
        ...

    def close(self) -> None:
        """Give back memory and threads; a later call loads again."""
        ...


@dataclass(frozen=True, slots=True)
class EmbedderOptions:
    """How to open an embedder; the values come from the config.

    Attributes:
        model: Id, alias, or the server's own name of a model; "" is the default model.
        api: "onnx", "ollama" or "openai"; "" takes the one of the model's row.
        threads: Texts embedded at once by a local model; 0 is one per core this process may use.
        model_dir: Where models that are built on this machine are kept; None has room for none.
        url: Base address of the server; "" is the provider's usual one on the loopback.
        allow_remote: Texts may leave this machine: ``url`` may name another host.
        api_key: Sent as a bearer token to an OpenAI-compatible server; "" sends none.
        batch_size: Texts per request to a server.
        timeout_s: Longest wait for one answer of a server, seconds.
    """

    model: str = ""
    api: Literal["", "onnx", "ollama", "openai"] = ""
    threads: int = 0
    model_dir: Path | None = None
    url: str = ""
    allow_remote: bool = False
    api_key: str = ""
    batch_size: int = 16
    timeout_s: float = 120.0
