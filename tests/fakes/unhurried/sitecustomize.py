"""Put on a child's ``PYTHONPATH``: every batch of vectors takes longer, so that a run can be met under way.

How long a run of a few hundred notes takes differs tenfold between machines; what a test does to it in the
middle must not depend on that.
"""

import time

from gnomon.embed.onnx import OnnxEmbedder

_SECONDS_PER_BATCH = 0.5

_embed = OnnxEmbedder.embed_passages


def _embed_unhurried(self, texts):  # type: ignore[no-untyped-def]
    vectors = _embed(self, texts)
    time.sleep(_SECONDS_PER_BATCH)
    return vectors


OnnxEmbedder.embed_passages = _embed_unhurried  # type: ignore[method-assign]
