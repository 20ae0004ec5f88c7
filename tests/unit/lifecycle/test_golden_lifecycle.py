"""Each file of tests/golden/lifecycle: a path, a document, and what it says of its life."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.lifecycle import read_lifecycle
from gnomon.values import Lifecycle

_CASES = sorted((Path(__file__).parents[2] / "golden" / "lifecycle").glob("*.txt"))


def _told(text: str, life: Lifecycle) -> dict[str, str]:
    told = {
        "status": str(life.status),
        "date": life.date,
        "expires": life.expires,
        "successors": " | ".join(life.successors),
        "supersedes": " | ".join(life.supersedes),
        "title": life.title,
        "line": str(life.line or ""),
        "warnings": str(len(life.warnings) or ""),
        "body": text[life.body_start :].lstrip().splitlines()[0],
    }
    return {key: value for key, value in told.items() if value}


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.stem)
def test_document_is_read_as_written_down(case: Path) -> None:
    """The status, successors, dates and the start of the body are those of the case."""
    head, text, expected = case.read_text(encoding="utf-8").split("-----\n", 1)[0], *_parts(case)
    path = head.removeprefix("path: ").strip()
    want = dict(line.split(": ", 1) for line in expected.splitlines() if line.strip())
    if want.get("line") == "0":
        del want["line"]
    got = _told(text, read_lifecycle(text, path=path, language=""))
    assert {key: value for key, value in got.items() if key != "line" or "line" in want} == want


def _parts(case: Path) -> tuple[str, str]:
    pieces = case.read_text(encoding="utf-8").split("\n-----\n")
    return "\n-----\n".join(pieces[1:-1]) + "\n", pieces[-1]
