"""The shipped model against the publisher's weights at double precision (tools/model/reference.py)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gnomon.embed import open_embedder

_DATA = Path(__file__).resolve().parents[2] / "data"


@pytest.mark.model
def test_vectors_agree_with_the_full_precision_reference() -> None:
    """Over prose, code, tables, other languages and single characters: mean cosine >= 0.97, none below 0.95."""
    texts = json.loads((_DATA / "reference_vectors_texts.json").read_text(encoding="utf-8"))
    with np.load(_DATA / "reference_vectors.npz") as stored:
        reference = stored["vectors"].astype(np.float32)
    reference /= np.linalg.norm(reference, axis=1, keepdims=True)
    cosines = (open_embedder().embed_passages(texts) * reference).sum(1)
    assert len(cosines) >= 40
    assert cosines.mean() >= 0.97
    assert cosines.min() >= 0.95
