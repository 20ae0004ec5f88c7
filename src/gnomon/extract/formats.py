"""Which module reads a file: by its name, and by its first bytes where they say otherwise."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.extract.languages import language_of

# Language to the module that reads it; every other language is text as it stands.
_MODULES = {
    "doc": "doc",
    "docx": "docx",
    "email": "mail",
    "epub": "epub",
    "html": "html",
    "jupyter": "notebook",
    "mbox": "mail",
    "msg": "msg",
    "odp": "odf",
    "ods": "sheets",
    "odt": "odf",
    "pdf": "pdf",
    "ppt": "ppt",
    "pptx": "pptx",
    "rtf": "rtf",
    "xls": "sheets",
    "xlsx": "sheets",
}
# Read by linear code of ours on decoded text; all other modules run in the worker.
_IN_PROCESS = frozenset({"plain", "html", "notebook"})
# Formats with a signature: text under such a name is not of the format.
_SIGNED = frozenset({"doc", "docx", "epub", "msg", "odp", "ods", "odt", "pdf", "ppt", "pptx", "rtf", "xls", "xlsx"})
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS = (
    ("__properties_version1.0", "msg"),  # before the others: a mail may hold a document
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("Workbook", "xls"),
    ("Book", "xls"),
)
_ZIP_PARTS = (
    (b"mimetypeapplication/epub+zip", "epub"),
    (b"mimetypeapplication/vnd.oasis.opendocument.text", "odt"),
    (b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "ods"),
    (b"mimetypeapplication/vnd.oasis.opendocument.presentation", "odp"),
    (b"word/document", "docx"),
    (b"ppt/presentation", "pptx"),
    (b"xl/workbook", "xlsx"),
)
_EXAMPLES = {"pdf": "a.pdf", "html": "a.html", "email": "a.eml", "plain": "a.txt"}
_PDF_HEAD_BYTES = 1024
_HEAD_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is read.

    Attributes:
        module: Name of the module in this package.
        path: The file's path, or one whose ending fits what the bytes are.
        warning: That name and content differ, or "".
    """

    module: str
    path: str
    warning: str = ""

    @property
    def isolated(self) -> bool:
        """Whether the parser runs in the worker."""
        return self.module not in _IN_PROCESS


def reading(path: str, content: bytes) -> Reading:
    """How to read a file.

    Args:
        path: Relative path.
        content: The whole file.
    """
    named = language_of(path)
    actual = _signature(content)
    if not actual and named in _SIGNED and not content.startswith((b"PK", _OLE)):
        actual = _text_form(content)
    if not actual or actual == named or {actual, named} <= {"docx", "doc"} or {actual, named} == {"ppt", "pptx"}:
        return Reading(_MODULES.get(actual or named, "plain"), path)
    if named not in _SIGNED and actual != "pdf":
        return Reading(_MODULES.get(named, "plain"), path)
    if actual == "plain" and path.lower().endswith(".dot"):
        return Reading("plain", path)  # Graphviz had the ending long before Word
    example = _EXAMPLES.get(actual, f"a.{actual}")
    warning = f"Its name says {named or 'text'}, its content says {'text' if actual == 'plain' else actual}."
    return Reading(_MODULES.get(actual, "plain"), example, warning)


def _signature(content: bytes) -> str:
    """The format that the first bytes and the container's parts give away, "" where they say nothing."""
    if content.startswith(b"{\\rtf"):
        return "rtf"
    if content.startswith(_OLE):
        return next((name for stream, name in _OLE_STREAMS if stream.encode("utf-16-le") in content), "")
    if content.startswith(b"PK"):
        return next((name for part, name in _ZIP_PARTS if part in content), "")
    return "pdf" if content.find(b"%PDF-", 0, _PDF_HEAD_BYTES) >= 0 and not content[:1].isalpha() else ""


def _text_form(content: bytes) -> str:
    """What text under the name of a binary format is; "" where it is no text."""
    head = content[:_HEAD_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if not head or b"\0" in head or head.startswith((b"<?xml", b"<office:")):
        return ""
    if head.startswith((b"<!doctype html", b"<html", b"<head", b"<body", b"<table", b"<div")):
        return "html"
    if head.startswith((b"mime-version:", b"content-type: multipart")):
        return "email"  # web pages saved by old Office programs
    controls = sum(byte < 9 or 13 < byte < 32 for byte in head)
    return "plain" if controls == 0 else ""
