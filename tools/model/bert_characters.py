"""Write src/gnomon/embed/bert_characters.py: how BERT's normaliser treats each character, asked of ``tokenizers``.

    python tools/model/bert_characters.py [--check]

The library's tables are those of Unicode 8 and 9 whatever Python it runs in, so they are kept as data here instead of
being taken from ``unicodedata``, which changes with Python. --check writes nothing and compares.
"""

from __future__ import annotations

import argparse
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from tokenizers import normalizers, pre_tokenizers

TARGET = Path(__file__).parents[2] / "src" / "gnomon" / "embed" / "bert_characters.py"
HEADER = '''"""How BERT's normaliser treats characters: ranges of code points in hexadecimal; others are parts of words.

Written by tools/model/bert_characters.py; do not edit.
"""

'''
LINE = 110
CLEAN = normalizers.BertNormalizer(
    clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False
).normalize_str
SPACED = normalizers.BertNormalizer(
    clean_text=False, handle_chinese_chars=True, strip_accents=False, lowercase=False
).normalize_str
STRIPPED = normalizers.BertNormalizer(
    clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False
).normalize_str
DECOMPOSED = normalizers.NFD().normalize_str
SPLIT = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
LAST_CLASS = "\u0345"  # the mark of the highest combining class, 240: whatever is reordered goes before it


def main() -> int:
    """Write or compare; 1 where the file differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare only")
    check = parser.parse_args().check
    content = HEADER + "\n".join(constants())
    if check:
        return int(TARGET.read_text("utf-8") != content)
    TARGET.write_text(content, "utf-8")
    return 0


def constants() -> Iterator[str]:
    """One assignment for each class of characters."""
    everything = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    cleaned = {char: CLEAN(char) for char in everything}
    kept = [char for char in everything if cleaned[char] == char]
    yield constant("REMOVED", "Control, format and private characters.", (c for c in everything if not cleaned[c]))
    yield constant("SPACES", "White space.", (c for c in everything if cleaned[c] == " "))
    yield constant("IDEOGRAPHS", "A word each.", (c for c in kept if SPACED(c) != c))
    yield constant("PUNCTUATION", "A word each.", (c for c in kept if [p for p, _ in SPLIT(f"a{c}b")] == ["a", c, "b"]))
    yield constant("ACCENTS", "Left out.", (c for c in kept if not STRIPPED(c)))
    yield constant("REORDERED", "Kept, though canonical order moves them before some accents.", reordered(kept))


def reordered(kept: Iterable[str]) -> Iterator[str]:
    """Characters that stay and change places with an accent before them."""
    for char in kept:
        if unicodedata.combining(char) and STRIPPED(char) and DECOMPOSED(LAST_CLASS + char) == char + LAST_CLASS:
            yield char


def constant(name: str, comment: str, characters: Iterable[str]) -> str:
    """The source of one constant.

    >>> print(constant("VOWELS", "Open.", "aeA"), end="")
    # Open.
    VOWELS = "41 61 65"
    """
    ranges: list[list[int]] = []
    for code in sorted(map(ord, characters)):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    lines = [""]
    for first, last in ranges:
        item = f"{first:x}" if first == last else f"{first:x}-{last:x}"
        if len(lines[-1]) + len(item) > LINE:
            lines.append("")
        lines[-1] += f"{item} "
    lines[-1] = lines[-1].rstrip()
    if len(lines) == 1:
        return f'# {comment}\n{name} = "{lines[0]}"\n'
    body = "".join(f'    "{line}"\n' for line in lines)
    return f"# {comment}\n{name} = (\n{body})\n"


if __name__ == "__main__":
    sys.exit(main())
