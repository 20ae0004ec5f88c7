"""What every embedder promises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from gnomon.embed.models import ModelSpec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into unit vectors; also the ``TokenCounter`` of the chunkers."""

    @property
    def spec(self) -> ModelSpec:
        """The row of data that describes the model."""
        ...

    @property
    def fingerprint(self) -> str:
        """Names everything that shapes a vector (model file digest, prefixes, window); equal means comparable."""
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
