"""Small documents made on the spot."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence

import pytest

ZipMaker = Callable[[Mapping[str, str | bytes]], bytes]
PdfMaker = Callable[[Sequence[Sequence[tuple[float, float, float, str]]]], bytes]
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


@pytest.fixture
def make_zip() -> ZipMaker:
    """A zip container of parts by name."""
    return _zip


def _zip(parts: Mapping[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in parts.items():
            archive.writestr(name, body)
    return buffer.getvalue()


@pytest.fixture
def make_docx() -> Callable[[str], bytes]:
    """A Word document with this inside its body."""
    return lambda body: _zip({"word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>"})


@pytest.fixture
def make_pdf() -> PdfMaker:
    """A PDF with pages of texts: (x, y, size, text) in painting order, in points from the bottom left."""
    return _pdf


def _pdf(pages: Sequence[Sequence[tuple[float, float, float, str]]]) -> bytes:
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{4 + 2 * i} 0 R' for i in range(len(pages)))}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for i, texts in enumerate(pages):
        stream = "".join(f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET\n" for x, y, size, text in texts)
        resources = f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * i} 0 R"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] {resources} >>")
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}endstream")
    body = "%PDF-1.4\n"
    places = []
    for number, text in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{text}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    tail = f"trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return (body + f"xref\n0 {size}\n0000000000 65535 f \n" + table + tail).encode("latin-1")
