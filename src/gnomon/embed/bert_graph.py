"""Writes BERT-like encoders as ONNX graphs with int8 weights, from arrays alone (numpy and onnx, no torch).

A graph takes ``input_ids`` (int64, shape (1, tokens)) and gives ``embedding`` (float32, shape (1, hidden)): mean
pooling and scaling to unit length are inside; there is no mask, because one text per run has no padding. The same
arrays give the same bytes. The names of nodes and tensors are part of those bytes: changing one changes the digest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.errors import MissingExtraError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_OPSET = 18
_IR_VERSION = 9
_MICROSOFT = "com.microsoft"
_MICROSOFT_OPSET = 1
_LAYER_NORM_EPSILON = 1e-12

# Largest weight kept per column, as shares of the column's maximum: the one with the least squared error is taken.
_CLIP_RATIOS = np.linspace(0.80, 1.0, 9)
_INT8_MAX = 127
_TINY = 1e-12  # keeps the scale of an all-zero row or column from being zero
_ROWS_AT_ONCE = 16_384

_QUERY, _KEY, _VALUE = "attention.self.query", "attention.self.key", "attention.self.value"


@dataclass(frozen=True, slots=True)
class BertShape:
    """Sizes of an encoder.

    Attributes:
        layers: Number of transformer blocks.
        heads: Attention heads per block.
        hidden: Length of a token's vector, and of the embedding.
    """

    layers: int
    heads: int
    hidden: int


@dataclass(slots=True)
class BertGraph:
    """One encoder as an ONNX graph in the making.

    Attributes:
        weights: Float arrays under the names of the Hugging Face checkpoint, linear layers as (out, in).
        shape: Sizes.
        smoothing: Factors per input channel of a linear layer, by its tag ("l0f1"; "l0qkv" for the three that share
            their input): inputs are divided and weights multiplied by them, which moves outliers from activations to
            weights (SmoothQuant, Xiao et al. 2023).
        quantized: Int8 weights; False writes float32 throughout, as a reference.
    """

    weights: Mapping[str, Array]
    shape: BertShape
    smoothing: Mapping[str, Array] = field(default_factory=dict)
    quantized: bool = True
    _nodes: list[Any] = field(default_factory=list)
    _tensors: list[Any] = field(default_factory=list)
    _inputs: dict[str, str] = field(default_factory=dict)

    def serialize(self) -> bytes:
        """The whole model as the bytes of an ONNX file.

        Raises:
            MissingExtraError: The package ``onnx`` is not installed.
        """
        onnx = _import_onnx()
        hidden = self._embeddings()
        for layer in range(self.shape.layers):
            hidden = self._block(layer, hidden)
        mean = self._node("ReduceMean", [hidden, self._tensor("ax", np.array([1], np.int64))], "mean", keepdims=0)
        self._node("LpNormalization", [mean], "embedding", axis=-1, p=2)
        value_info, types = onnx.helper.make_tensor_value_info, onnx.TensorProto
        graph = onnx.helper.make_graph(
            self._nodes,
            "minilm",  # part of the digest of every graph written so far
            [value_info("input_ids", types.INT64, [1, "S"])],
            [value_info("embedding", types.FLOAT, [1, self.shape.hidden])],
            self._tensors,
        )
        opsets = [onnx.helper.make_opsetid("", _OPSET), onnx.helper.make_opsetid(_MICROSOFT, _MICROSOFT_OPSET)]
        model = onnx.helper.make_model(graph, opset_imports=opsets, producer_name="build_np")
        model.ir_version = _IR_VERSION
        content: bytes = model.SerializeToString(deterministic=True)
        return content

    @property
    def linear_inputs(self) -> Mapping[str, str]:
        """Tensor that each linear layer reads, by the layer's tag; filled by ``serialize``."""
        return self._inputs

    def _float(self, name: str) -> Array:
        return self.weights[name].astype(np.float32)

    def _tensor(self, name: str, array: Array) -> str:
        from onnx import numpy_helper

        self._tensors.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def _node(self, op: str, inputs: list[str], output: str, *more: str, domain: str = "", **attributes: Any) -> str:
        from onnx import helper

        name = f"{output}_{op}"
        self._nodes.append(helper.make_node(op, inputs, [output, *more], domain=domain, name=name, **attributes))
        return output

    def _embeddings(self) -> str:
        words = self._word_embeddings()
        positions = self._float("embeddings.position_embeddings.weight")
        positions = positions + self._float("embeddings.token_type_embeddings.weight")[0][None]
        self._tensor("pe_w", positions[None])
        self._node("Shape", ["input_ids"], "sh", start=1, end=2)
        self._tensor("zero1", np.array([0], np.int64))
        self._tensor("ax1", np.array([1], np.int64))
        position = self._node("Slice", ["pe_w", "zero1", "sh", "ax1"], "pe")
        both = self._node("Add", [words, position], "emb0")
        return self._layer_norm(both, "embeddings.LayerNorm", "h0")

    def _word_embeddings(self) -> str:
        table = self._float("embeddings.word_embeddings.weight")
        if not self.quantized:
            return self._node("Gather", [self._tensor("we_w", table), "input_ids"], "we")
        quantized, scale = quantize_rows(table)
        self._tensor("we_q", quantized)
        self._tensor("we_s", scale)
        row = self._node("Gather", ["we_q", "input_ids"], "we_g")
        row_scale = self._node("Gather", ["we_s", "input_ids"], "we_sg")
        as_float = self._node("Cast", [row], "we_f", to=_import_onnx().TensorProto.FLOAT)
        return self._node("Mul", [as_float, row_scale], "we")

    def _block(self, layer: int, hidden: str) -> str:
        prefix, tag = f"encoder.layer.{layer}.", f"l{layer}"
        context = self._attention(prefix, tag, hidden)
        output = self._linear(context, prefix + "attention.output.dense", f"{tag}o")
        residual = self._node("Add", [output, hidden], f"{tag}r1")
        middle = self._layer_norm(residual, prefix + "attention.output.LayerNorm", f"{tag}h1")
        wide = self._linear(middle, prefix + "intermediate.dense", f"{tag}f1")
        active = self._node("Gelu", [wide], f"{tag}ge", domain=_MICROSOFT)
        narrow = self._linear(active, prefix + "output.dense", f"{tag}f2")
        residual = self._node("Add", [narrow, middle], f"{tag}r2")
        return self._layer_norm(residual, prefix + "output.LayerNorm", f"{tag}hh")

    def _attention(self, prefix: str, tag: str, hidden: str) -> str:
        shared = self._shared_input(tag, hidden) if self.quantized else None
        for kind, name in (("q", _QUERY), ("k", _KEY), ("v", _VALUE)):
            self._linear(hidden, prefix + name, f"{tag}{kind}", shared)
        inputs = [f"{tag}q", f"{tag}k", f"{tag}v"]
        return self._node("MultiHeadAttention", inputs, f"{tag}ctx", domain=_MICROSOFT, num_heads=self.shape.heads)

    def _shared_input(self, tag: str, hidden: str) -> tuple[str, str, str]:
        """Quantize a block's input once for query, key and value; returns values, scale and zero point."""
        smoothing = self.smoothing.get(f"{tag}qkv")
        if smoothing is not None:
            inverse = self._tensor(f"{tag}q_is", (1 / smoothing).astype(np.float32))
            hidden = self._node("Mul", [hidden, inverse], f"{tag}hsm")
        self._node("DynamicQuantizeLinear", [hidden], f"{tag}hq", f"{tag}hs", f"{tag}hz")
        return f"{tag}hq", f"{tag}hs", f"{tag}hz"

    def _linear(self, source: str, name: str, tag: str, shared: tuple[str, str, str] | None = None) -> str:
        self._inputs[tag] = source
        weight, bias = self._float(name + ".weight").T, self._float(name + ".bias")
        if not self.quantized:
            product = self._node("MatMul", [source, self._tensor(f"{tag}_w", weight)], f"{tag}_mm")
            return self._node("Add", [product, self._tensor(f"{tag}_b", bias)], tag)
        smoothing = self.smoothing.get(f"{tag[:-1]}qkv" if shared else tag)
        if smoothing is not None:
            factors = smoothing.astype(np.float32)
            weight = weight * factors[:, None]
            if shared is None:
                inverse = self._tensor(f"{tag}_is", (1 / factors).astype(np.float32))
                source = self._node("Mul", [source, inverse], f"{tag}_sm")
        quantized, scale = quantize_columns(weight)
        w = self._tensor(f"{tag}_w", quantized)
        s = self._tensor(f"{tag}_s", scale)
        z = self._tensor(f"{tag}_zp", np.zeros(len(scale), np.int8))
        b = self._tensor(f"{tag}_b", bias)
        if shared is None:
            return self._node("DynamicQuantizeMatMul", [source, w, s, z, b], tag, domain=_MICROSOFT)
        value, value_scale, value_zero = shared
        inputs = [value, w, value_scale, s, value_zero, z, b]
        return self._node("MatMulIntegerToFloat", inputs, tag, domain=_MICROSOFT)

    def _layer_norm(self, source: str, name: str, output: str) -> str:
        gain = self._tensor(f"{output}_g", self._float(name + ".weight"))
        bias = self._tensor(f"{output}_b", self._float(name + ".bias"))
        return self._node("LayerNormalization", [source, gain, bias], output, axis=-1, epsilon=_LAYER_NORM_EPSILON)


def quantize_columns(weight: Array) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Round a matrix to int8 with one scale per column.

    Args:
        weight: Float32, shape (in, out).

    Returns:
        Values in [-127, 127], shape (in, out), and scales, shape (out,): ``values * scales`` is near ``weight``.
    """
    weight = np.ascontiguousarray(weight)  # errors are then summed row by row, in the same order on every CPU
    largest = np.abs(weight).max(0)
    least_error = np.full(weight.shape[1], np.inf)
    scale = largest / _INT8_MAX
    for ratio in _CLIP_RATIOS:
        trial = np.maximum(largest * ratio / _INT8_MAX, _TINY)
        error = ((_round(weight / trial) * trial - weight) ** 2).sum(0)
        better = error < least_error
        least_error[better] = error[better]
        scale[better] = trial[better]
    return _round(weight / scale).astype(np.int8), scale.astype(np.float32)


def quantize_rows(table: Array) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Round a table to int8 with one scale per row, a block of rows at a time.

    Args:
        table: Float32, shape (rows, columns).

    Returns:
        Values in [-127, 127], shape (rows, columns), and scales, shape (rows, 1).
    """
    values = np.empty(table.shape, np.int8)
    scales = np.empty((len(table), 1), np.float32)
    for start in range(0, len(table), _ROWS_AT_ONCE):
        rows = table[start : start + _ROWS_AT_ONCE]
        scale = np.maximum(np.abs(rows).max(1, keepdims=True) / _INT8_MAX, _TINY).astype(np.float32)
        values[start : start + len(rows)] = _round(rows / scale)
        scales[start : start + len(rows)] = scale
    return values, scales


def _round(array: Array) -> Array:
    return np.clip(np.rint(array), -_INT8_MAX, _INT8_MAX)


def _import_onnx() -> Any:
    try:
        import onnx
    except ImportError as error:
        raise MissingExtraError(feature="building a model", extra="multilingual") from error
    return onnx
