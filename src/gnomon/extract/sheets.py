"""Workbooks (XLSX, XLSM, XLSB, XLS, ODS, FODS): each sheet by rows, each row with the names of its columns."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, cast

from gnomon.errors import DocumentError
from gnomon.extract.base import Format, Limits
from gnomon.extract.composing import Composer, one_line
from gnomon.extract.container import Container, attribute, local
from gnomon.extract.languages import language_of
from gnomon.extract.tables import write_sheet
from gnomon.values import Extracted, SkipReason

_OLE = b"\xd0\xcf\x11\xe0"
# Beyond this a float no longer holds every integer, so digits would be made up.
_EXACT_INTEGER = 2**53


def read(content: bytes, *, path: str, limits: Limits) -> Extracted:
    """The text of a workbook. See ``base.Format``."""
    language = language_of(path) or "xlsx"
    if content.lstrip()[:5] == b"<?xml" or content.lstrip()[:8] == b"<office:":
        flat = cast("Format", import_module("gnomon.extract.odf"))  # the flat form is read like a text document
        return flat.read(content, path=path, limits=limits)
    parts = _checked(content, limits, old=language == "xls")
    calamine = import_module("python_calamine")
    composer = Composer(limits)
    with _translated(calamine), calamine.CalamineWorkbook.from_filelike(io.BytesIO(content)) as workbook:
        for name in workbook.sheet_names:
            _write_sheet(composer, workbook, calamine, name)
    if parts is not None:
        composer.anchor("cell comments")
        for comment in _comments(parts):
            composer.block(comment)
    return composer.document("data", language)


@contextmanager
def _translated(calamine: Any) -> Iterator[None]:
    """The library's errors as ours; it panics on some damaged files, which is no ``Exception``."""
    try:
        yield
    except DocumentError:
        raise
    except calamine.PasswordError as e:
        raise DocumentError(SkipReason.ENCRYPTED, "protected with a password") from e
    except (calamine.CalamineError, OSError, ValueError) as e:
        raise DocumentError(SkipReason.DAMAGED, one_line(str(e))) from e
    except BaseException as e:
        if type(e).__name__ != "PanicException":
            raise
        raise DocumentError(SkipReason.DAMAGED, one_line(str(e))) from e


def _checked(content: bytes, limits: Limits, *, old: bool) -> Container | None:
    """Refuse bombs before a parser without limits of its own unpacks them."""
    if old and content.startswith(_OLE):
        return None
    parts = Container(content, limits)
    parts.refuse_bomb()
    if b"manifest:encryption-data" in parts.read("META-INF/manifest.xml"):
        raise DocumentError(SkipReason.ENCRYPTED, "protected with a password")
    return parts


def _write_sheet(composer: Composer, workbook: Any, calamine: Any, name: str) -> None:
    try:
        sheet = workbook.get_sheet_by_name(name)
    except (calamine.CalamineError, ValueError) as e:
        # A sheet of charts has no cells.
        if "chart" not in str(e).lower():
            composer.missing(f"sheet {one_line(name)} could not be read.")
        return
    first_row = (sheet.start or (0, 0))[0]
    rows = [(number, [_text(cell) for cell in row]) for number, row in enumerate(sheet.iter_rows(), start=1)]
    # Some versions of the library leave out the empty rows at the top.
    missing = first_row if len(rows) < first_row + sheet.height else 0
    write_sheet(composer, name, [(number + missing, row) for number, row in rows if any(row)])


def _text(cell: object) -> str:
    """A cell as it would be typed."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < _EXACT_INTEGER else repr(cell)
    if isinstance(cell, dt.datetime):
        return cell.date().isoformat() if cell.time() == dt.time() else cell.isoformat(" ", "seconds")
    return str(cell).strip()


def _comments(parts: Container) -> Iterator[str]:
    for name in parts.names(under="xl/", ending=".xml"):
        if "comments" not in name.lower():
            continue
        try:
            root = parts.xml(name)
        except DocumentError:
            continue
        for element in root.iter() if root is not None else ():
            if local(element) in {"comment", "threadedComment"}:
                text = one_line("".join(inner.text or "" for inner in element.iter() if local(inner) in {"t", "text"}))
                if text:
                    yield f"[comment on {attribute(element, 'ref')}: {text}]"
