"""Golden chunks: one file per case in ``cases``, and beside it what becomes of it.

``python tests/golden/chunk/test_golden_chunks.py`` writes the expectations anew; read the difference before it is kept.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

CASES = Path(__file__).parent / "cases"
if __name__ == "__main__":
    sys.path[:0] = [str(CASES.parents[3]), str(CASES.parents[3] / "src")]

from gnomon.chunk import ChunkLimits, chunk
from gnomon.values import Chunk, Extracted, Kind
from tests.fakes.tokens import PieceTokens

LIMITS = ChunkLimits(target_tokens=100, overlap_tokens=18, hard_tokens=128)

# Stem of the file to kind and language, where the language is not the stem.
FORMS: dict[str, tuple[Kind, str]] = {
    **{name: ("prose", name) for name in ("markdown", "rst", "asciidoc", "org", "plain")},
    **{name: ("data", name) for name in ("yaml", "toml", "csv")},
    "japanese": ("prose", "markdown"),
    "extracted": ("prose", "docx"),
}
# A grammar that is not among the default ones would cut these otherwise.
WITHOUT_GRAMMAR = {"kotlin", "sql"}


def described(piece: Chunk) -> dict[str, object]:
    """What is compared of a chunk, without what is empty."""
    first, *_, last = [*piece.text.splitlines()] * 2
    fields = {
        "lines": f"{piece.start_line}-{piece.end_line}",
        "begins": first,
        "ends": last,
        "breadcrumb": list(piece.breadcrumb),
        "symbols": list(piece.symbols),
        "signature": piece.signature,
        "context": piece.context,
        "embedText": piece.embed_text,
        "deprecated": piece.deprecated,
    }
    return {name: value for name, value in fields.items() if value}


def chunks_of(case: Path) -> list[dict[str, object]]:
    """The chunks of a case, as they are kept."""
    kind, language = FORMS.get(case.stem, ("code", case.stem))
    document = Extracted(case.read_text(encoding="utf-8"), kind, language)
    return [described(piece) for piece in chunk(document, path=case.name, tokens=PieceTokens(), limits=LIMITS)]


@pytest.mark.parametrize("case", sorted(CASES.glob("*.txt")), ids=lambda case: case.stem)
def test_chunks_are_as_kept(case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change here is seen, and meant, or a mistake; if meant, ``CHUNKER_VERSION`` goes up."""
    if case.stem in WITHOUT_GRAMMAR:
        monkeypatch.setattr("gnomon.chunk.syntax.load", lambda _language: None)

    assert chunks_of(case) == json.loads(case.with_suffix(".json").read_text(encoding="utf-8"))


if __name__ == "__main__":
    for path in CASES.glob("*.txt"):
        kept = json.dumps(chunks_of(path), indent=1, ensure_ascii=False)
        path.with_suffix(".json").write_text(f"{kept}\n", encoding="utf-8")
