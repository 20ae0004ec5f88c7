"""What splitting German compounds would be worth: xquad-de as asked, and with compounds of the questions beheaded.

    python benchmarks/quality/compounds.py --data DIR --judgements DIR --indexes NEW_DIR

``NEW_DIR`` is filled. Needs ``pip install compound-split`` (CharSplit, GPL: to measure with, no part of the product;
see docs/decisions/0035). Its splits are the truth here: the figures for split texts are what no splitter exceeds.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace

from compound_split import char_split
from run import Asked, gather, run

from gnomon.analyze import words

SET = "xquad-de"
# A word shorter than this is no compound worth splitting, and a part shorter than this is no word.
SHORTEST_COMPOUND, SHORTEST_PART = 8, 4
# Score of a split above which a compound of a question is beheaded; texts are split above 0.
SURE = 0.3


@cache
def parts(word: str) -> tuple[str, ...]:
    """Parts of a word in lower case, and theirs; none where it is no compound."""
    if len(word) < SHORTEST_COMPOUND:
        return ()
    score, left, right = char_split.split_compound(word)[0]
    if score <= 0:
        return ()
    modifier, head = char_split.cut_off_fugen_s(left.lower()), right.lower()
    return (modifier, head, *parts(modifier), *parts(head))


@contextmanager
def split_texts() -> Iterator[None]:
    """Compounds of German texts are found by their parts too."""
    spellings = words._spellings  # noqa: SLF001 - the one place where a word gets its spellings

    def with_parts(word: str, language: str) -> list[str]:
        found = spellings(word, language)
        if language == "german" and word.isalpha():
            for part in parts(word):
                found += spellings(part, language) if len(part) >= SHORTEST_PART else []
        return found

    words._spellings = with_parts  # noqa: SLF001
    words.memory.cache_clear()
    try:
        yield
    finally:
        words._spellings = spellings  # noqa: SLF001
        words.memory.cache_clear()


def behead(question: str) -> str:
    """A question with the last part of each compound in its place; names at its beginning stay."""

    def head(match: re.Match[str]) -> str:
        word = match.group()
        if len(word) <= SHORTEST_COMPOUND or not word[0].isupper():
            return word
        score, left, right = char_split.split_compound(word)[0]
        return right if score > SURE and min(len(left), len(right)) >= SHORTEST_PART else word

    return re.sub(r"(?<!^)\b[^\W\d_]+\b", head, question)


def beheaded(all_asked: list[Asked]) -> tuple[list[Asked], list[Asked]]:
    """Questions with a compound as they are, and beheaded."""
    kept, changed = [], []
    for asked in all_asked:
        row = asked.question.row
        if (text := behead(row["text"])) != row["text"]:
            kept.append(asked)
            changed.append(replace(asked, question=replace(asked.question, row={**row, "text": text})))
    return kept, changed


def measure(name: str, arguments: argparse.Namespace) -> None:
    """Index anew, and print nDCG@10 and the size of the index."""
    indexes = arguments.indexes / name
    asking = {"sets": [SET], "indexes": indexes, "model": arguments.model, "no_index": False, "force": False}
    all_asked = list(gather(SimpleNamespace(**vars(arguments) | asking)))
    size = sum(file.stat().st_size for file in (indexes / SET).rglob("*") if file.is_file())
    print(f"{name}: index of {size / 1e6:.2f} MB")
    kept, changed = beheaded(all_asked)
    for what, some in (("all", all_asked), ("with a compound", kept), ("beheaded", changed)):
        scores = "  ".join(f"{arm} {run(some, arm)[SET]:.3f}" for arm in ("words", "both + ranking"))
        print(f"  {what:16s} {len(some):4d} questions  {scores}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--judgements", type=Path, required=True)
    parser.add_argument("--indexes", type=Path, required=True)
    parser.add_argument("--model", default="", help="another model of the registry")
    arguments = parser.parse_args()
    measure("as they are", arguments)
    with split_texts():
        measure("split", arguments)


if __name__ == "__main__":
    main()
