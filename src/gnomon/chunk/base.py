"""What a chunker needs; what it promises is said at ``chunk.chunk``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class TokenCounter(Protocol):
    """Counts tokens as the embedding model does; each text is tokenised once."""

    def token_starts(self, text: str) -> Sequence[int]:
        """Character offset at which each token of ``text`` starts, ascending, without special tokens.

        The tokens of a slice [a, b) that begins and ends at white space are those whose start lies in it.
        """
        ...


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """How large chunks are, in tokens of the embedding model.

    Attributes:
        target_tokens: Packing stops here.
        overlap_tokens: Repeated from the end of the chunk before, where a text is packed by paragraphs.
        hard_tokens: No chunk (with its context line) is above it: the model's window less its special tokens.
    """

    target_tokens: int = 200
    overlap_tokens: int = 35
    hard_tokens: int = 254
