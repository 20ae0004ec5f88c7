"""Each sample document in ``tests/data/documents`` becomes exactly the text that is kept beside this file.

To accept a change that is meant, delete the text and run the test: it writes what is missing and fails once.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.errors import DocumentError
from gnomon.extract import extract

_HERE = Path(__file__).parent
_DOCUMENTS = Path(__file__).parents[2] / "data" / "documents"


def _shown(path: Path) -> str:
    try:
        document = extract(path.name, path.read_bytes())
    except DocumentError as e:
        return f"refused: {e}\n"
    head = [
        f"title: {document.title}",
        f"kind: {document.kind}, language: {document.language}",
        *(f"warning: {warning}" for warning in document.warnings),
        *(f"anchor: {anchor.label} = {document.text[anchor.offset :].split(chr(10))[0]!r}" for anchor in document.anchors),
    ]
    return "\n".join(head) + f"\n\n{document.text}"


@pytest.mark.parametrize("name", sorted(path.name for path in _DOCUMENTS.iterdir()))
def test_document_becomes_the_expected_text(name: str) -> None:
    """Title, kind, warnings, anchors and text are as read by eye when the sample was made."""
    expected = _HERE / f"{name}.expected"
    shown = _shown(_DOCUMENTS / name)
    if not expected.exists():
        expected.write_text(shown, "utf-8")
        pytest.fail(f"{expected.name} was missing and is now written: read it")
    assert shown == expected.read_text("utf-8")
