"""File to text: one module per format, and the registry that picks it."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from gnomon.errors import DocumentError
from gnomon.extract.base import Format, Limits
from gnomon.extract.formats import reading
from gnomon.extract.languages import is_document_format, is_prose_name, kind_of, language_of
from gnomon.values import Extracted, SkipReason

if TYPE_CHECKING:
    from gnomon.extract.extractor import Extractor
    from gnomon.extract.secrets import redact, redact_document

# Part of the index fingerprint: documents read by another version are read again. It rises with every change of what
# a document's text or its warnings are.
EXTRACTOR_VERSION = "3"

__all__ = [
    "EXTRACTOR_VERSION",
    "Extractor",
    "Limits",
    "extract",
    "is_document_format",
    "is_prose_name",
    "kind_of",
    "language_of",
    "redact",
    "redact_document",
]

# Documents may be far larger than text files; text under the name of one is held to the size of a long book.
_MOST_MISNAMED_BYTES = 5_000_000

_LATE = {"Extractor": "extractor", "redact": "secrets", "redact_document": "secrets"}


def __getattr__(name: str) -> Any:
    """What starts processes or compiles rules is imported when first asked for."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"gnomon.extract.{_LATE[name]}"), name)


def extract(path: str, content: bytes, *, limits: Limits | None = None) -> Extracted:
    """The text of one file, read in this process.

    For files of unknown origin use ``Extractor``: it bounds time and memory, and replaces secrets.

    Args:
        path: Relative path; it says what the file is.
        content: The whole file.
        limits: What it may cost; time and memory are bounded only in the worker.

    Raises:
        DocumentError: It cannot become text; the reason says why.
    """
    how = reading(path, content)
    if how.module == "plain" and is_document_format(path) and len(content) > _MOST_MISNAMED_BYTES:
        detail = f"{len(content):,} bytes of text, whatever its name says; the limit is {_MOST_MISNAMED_BYTES:,}"
        raise DocumentError(SkipReason.TOO_LARGE, detail)
    module = cast("Format", import_module(f"gnomon.extract.{how.module}"))
    document = module.read(content, path=how.path, limits=limits or Limits())
    return replace(document, warnings=(how.warning, *document.warnings)) if how.warning else document
