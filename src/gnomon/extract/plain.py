"""Text files: the text as it stands in the file, whatever the language."""

from __future__ import annotations

from gnomon.errors import DocumentError
from gnomon.extract.base import Limits
from gnomon.extract.encodings import decode
from gnomon.extract.languages import language_row
from gnomon.values import Extracted, SkipReason

_HEAD_CHARS = 2048


def read(content: bytes, *, path: str, limits: Limits) -> Extracted:
    """The decoded text, line ends kept, BOM dropped. See ``base.Format``."""
    decoded = decode(content)
    if len(decoded.text) > limits.text_chars:
        raise DocumentError(SkipReason.TOO_LARGE, f"{len(decoded.text)} characters, limit {limits.text_chars}")
    row = language_row(path, decoded.text[:_HEAD_CHARS])
    return Extracted(
        text=decoded.text, kind=row.kind, language=row.name, encoding=decoded.encoding, warnings=decoded.warnings
    )
