"""Small documents made on the spot."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable, Mapping, Sequence

import pytest

OleMaker = Callable[[Mapping[str, bytes]], bytes]
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


@pytest.fixture
def make_ole() -> OleMaker:
    """An OLE compound file of streams by path, "Folder/Stream"; those below 4 KB go into the mini stream."""
    return _ole


_FREE, _END = 0xFFFFFFFF, 0xFFFFFFFE


def _ole(streams: Mapping[str, bytes]) -> bytes:
    sectors: list[bytes] = []
    table: list[int] = []

    def store(data: bytes) -> int:
        first = len(sectors)
        blocks = [data[i : i + 512].ljust(512, b"\0") for i in range(0, len(data), 512)]
        sectors.extend(blocks)
        table.extend([*range(first + 1, first + len(blocks)), _END] if blocks else [])
        return first if blocks else _END

    mini, mini_table = b"", list[int]()
    places = {}
    for path, data in streams.items():
        if len(data) >= 4096:
            places[path] = store(data)
        else:
            blocks = (len(data) + 63) // 64
            places[path] = len(mini_table) if blocks else _END
            mini_table += [*range(len(mini_table) + 1, len(mini_table) + blocks), _END] if blocks else []
            mini += data.ljust(blocks * 64, b"\0")
    entries = _ole_entries(streams, places, (store(mini), len(mini)))
    directory = store(b"".join(entries))
    mini_place = store(struct.pack(f"<{len(mini_table)}I", *mini_table)) if mini_table else _END
    fat = len(sectors)
    numbers = [*table, 0xFFFFFFFD]
    sectors.append(struct.pack("<128I", *numbers, *[_FREE] * (128 - len(numbers))))
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(10)
    head += struct.pack("<IIIIIIII", 1, directory, 0, 4096, mini_place, 1, _END, 0)
    return head + struct.pack("<109I", fat, *[_FREE] * 108) + b"".join(sectors)


def _ole_entries(streams: Mapping[str, bytes], places: Mapping[str, int], mini: tuple[int, int]) -> list[bytes]:
    """Directory entries: the root, folders one level deep, and streams; siblings hang on each other's right."""
    folders = list(dict.fromkeys(path.split("/")[0] for path in streams if "/" in path))
    members: dict[str, list[str]] = {"": [*folders, *(path for path in streams if "/" not in path)]}
    members |= {folder: [path for path in streams if path.startswith(f"{folder}/")] for folder in folders}
    order = ["", *members[""], *(path for folder in folders for path in members[folder])]
    entries = []
    for path in order:
        name = (path.split("/")[-1] or "Root Entry").encode("utf-16-le") + b"\0\0"
        siblings = next(group for group in members.values() if path in group) if path else [""]
        after = siblings.index(path) + 1
        right = order.index(siblings[after]) if after < len(siblings) else _FREE
        inner = order.index(members[path][0]) if members.get(path) else _FREE
        kind = 5 if not path else 1 if path in folders else 2
        start, size = mini if not path else (places.get(path, 0), len(streams.get(path, b"")))
        head = name.ljust(64, b"\0") + struct.pack("<HBBIII", len(name), kind, 1, _FREE, right, inner)
        entries.append(head + bytes(36) + struct.pack("<IQ", start, size))
    return entries
