"""Put on a child's ``PYTHONPATH``: every batch of vectors takes longer, so that a run can be met under way.

How long a run of a few hundred notes takes differs tenfold between machines; what a test does to it in the
middle must not depend on that.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gnomon.embed.onnx import OnnxEmbedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SECONDS_PER_BATCH = 0.3

_embed = OnnxEmbedder.embed_passages


def _embed_unhurried(self: OnnxEmbedder, texts: Sequence[str]) -> NDArray[np.float32]:
    vectors = _embed(self, texts)
    time.sleep(_SECONDS_PER_BATCH)
    return vectors


OnnxEmbedder.embed_passages = _embed_unhurried  # type: ignore[method-assign]
