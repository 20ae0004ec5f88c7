"""File to text: one module per format, and the registry that picks it."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from gnomon.extract.base import Format, Limits
from gnomon.extract.languages import is_document_format, kind_of, language_of
from gnomon.values import Extracted

# Part of the index fingerprint: documents read by another version are read again.
EXTRACTOR_VERSION = "1"

__all__ = ["EXTRACTOR_VERSION", "Limits", "extract", "is_document_format", "kind_of", "language_of"]

# Language to the module that reads it; every other language is text as it stands.
_MODULES: dict[str, str] = {}


def extract(path: str, content: bytes, *, limits: Limits | None = None) -> Extracted:
    """The text of one file, read in this process.

    Args:
        path: Relative path; it says what the file is.
        content: The whole file.
        limits: What it may cost; the time and memory limits hold only in a worker.

    Raises:
        DocumentError: It cannot become text; the reason says why.
    """
    module = import_module(f"gnomon.extract.{_MODULES.get(language_of(path), 'plain')}")
    return cast("Format", module).read(content, path=path, limits=limits or Limits())
