"""Write what ``tokenizers`` makes of the texts in tests/golden/embed/wordpiece.json into that file.

python tools/model/wordpiece_golden.py
"""

from __future__ import annotations

import json
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "embed" / "wordpiece.json"
VOCABULARY = ROOT / "src" / "gnomon" / "embed" / "data" / "minilm-l6-v2-vocabulary.txt"


def main() -> None:
    """Rewrite the answers; the texts stay."""
    tokenizer = reference()
    cases = json.loads(GOLDEN.read_text("utf-8"))
    for case in cases:
        encoding = tokenizer.encode(case["text"])
        case["ids"], case["starts"] = encoding.ids, [start for start, _ in encoding.offsets]
    GOLDEN.write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n", "utf-8")


def reference() -> Tokenizer:
    """The model's tokenizer as its publisher configured it, without special tokens."""
    tokens = VOCABULARY.read_text("utf-8").splitlines()
    vocabulary = {token: at for at, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))  # noqa: S106 - a token of the model
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


if __name__ == "__main__":
    main()
