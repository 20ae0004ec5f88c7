"""File to text: one module per format, and the registry that picks it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from gnomon.extract.base import Format, Limits
from gnomon.extract.languages import is_document_format, kind_of, language_of
from gnomon.values import Extracted

if TYPE_CHECKING:
    from gnomon.extract.extractor import Extractor
    from gnomon.extract.secrets import redact, redact_document

# Part of the index fingerprint: documents read by another version are read again.
EXTRACTOR_VERSION = "1"

__all__ = [
    "EXTRACTOR_VERSION",
    "Extractor",
    "Limits",
    "extract",
    "is_document_format",
    "is_isolated",
    "kind_of",
    "language_of",
    "redact",
    "redact_document",
]

# Language to the module that reads it; every other language is text as it stands.
_MODULES = {
    "docx": "docx",
    "email": "mail",
    "epub": "epub",
    "html": "html",
    "jupyter": "notebook",
    "mbox": "mail",
    "odp": "odf",
    "ods": "sheets",
    "odt": "odf",
    "pdf": "pdf",
    "pptx": "pptx",
    "rtf": "rtf",
    "xls": "sheets",
    "xlsx": "sheets",
}
# Read by our own linear code on decoded text; all other modules run in the worker.
_IN_PROCESS = frozenset({"plain", "html", "notebook"})
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
    module = import_module(f"gnomon.extract.{_module(path)}")
    return cast("Format", module).read(content, path=path, limits=limits or Limits())


def is_isolated(path: str) -> bool:
    """Whether a file is of a format whose parser runs in the worker."""
    return _module(path) not in _IN_PROCESS


def _module(path: str) -> str:
    return _MODULES.get(language_of(path), "plain")
