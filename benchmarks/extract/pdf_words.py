"""Words of PDF files against poppler's ``pdftotext``: how many of its words we find, and in its order.

Usage: python benchmarks/extract/pdf_words.py FOLDER [FOLDER ...]

``pdftotext`` (Debian package poppler-utils) is needed for this comparison only. "words" is the share of its words, as
often as they occur, that are in our text; "pairs" is the share of its neighbouring words that are neighbours in ours,
which falls when columns are read across. Files that it cannot read, or finds no word in, are left out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from gnomon.errors import DocumentError
from gnomon.extract import Extractor

_WORD = re.compile(r"\w+")
# A hyphen at the end of a line is part of neither text: one joins the halves, the other keeps them.
_BROKEN_WORD = re.compile(r"(?<=\w)[-\u00ad\u2010]\s*\n\s*(?=\w)")


def main() -> int:
    """Print a row per file and the totals."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("folders", nargs="+", type=Path)
    folders: list[Path] = parser.parse_args().folders
    files = sorted(file for folder in folders for file in folder.rglob("*.pdf"))
    totals: Counter[str] = Counter()
    print(f"{'file':44} {'words':>7} {'of':>6}  {'pairs':>7}  {'ms':>6}")
    with Extractor() as extractor:
        for file in files:
            _compare(file, extractor, totals)
    for what in ("words", "pairs"):
        if totals[what]:
            found = totals[f"{what} found"]
            print(f"{what}: {found} of {totals[what]} = {found / totals[what]:.2%}")
    return 0


def _compare(file: Path, extractor: Extractor, totals: Counter[str]) -> None:
    reference = _reference(file)
    if not reference:
        print(f"{file.name[:44]:44} no reference")
        return
    begun = time.perf_counter()
    try:
        ours = _words(extractor.extract(file.name, file.read_bytes())[0].text)
    except DocumentError as e:
        print(f"{file.name[:44]:44} refused: {e}")
        ours = []
    milliseconds = 1000 * (time.perf_counter() - begun)
    words, pairs = _shared(reference, ours), _shared(pairwise(reference), pairwise(ours))
    count = max(1, len(reference) - 1)
    totals.update({"words": len(reference), "words found": words, "pairs": count, "pairs found": pairs})
    share = words / len(reference)
    print(f"{file.name[:44]:44} {share:7.1%} {len(reference):6}  {pairs / count:7.1%}  {milliseconds:6.0f}")


def _reference(file: Path) -> list[str]:
    done = subprocess.run(["pdftotext", "-q", "-enc", "UTF-8", str(file), "-"], capture_output=True, check=False)
    return _words(done.stdout.decode("utf-8", "replace"))


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", _BROKEN_WORD.sub("", text)).casefold())


def _shared(wanted: Iterable[object], found: Iterable[object]) -> int:
    return (Counter(wanted) & Counter(found)).total()


if __name__ == "__main__":
    sys.exit(main())
