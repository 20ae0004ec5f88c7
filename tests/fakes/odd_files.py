"""A folder of odd files, made on the spot: what each must be found by, or the reason it must be listed with.

The words are drawn from one pattern, ``geckoNNN``, so that each is in one file only.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gnomon.values import SkipReason

_DOCUMENTS = Path(__file__).parents[1] / "data" / "documents"
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_LEVELS = 40_000


@dataclass(frozen=True)
class OddFile:
    """One file and what must become of it.

    Attributes:
        name: Relative path, as the system spells it (surrogate escapes for bytes that are no UTF-8).
        content: All of it.
        word: What it must be found by; "" where it may be indexed or not.
        reason: What it must be listed with; None where it must be in the index or where both are right.
        line: Line of the word, 0 where that is not asked.
    """

    name: str
    content: bytes
    word: str = ""
    reason: SkipReason | None = None
    line: int = 0


def odd_files() -> list[OddFile]:
    """All of them; the largest is 1 MB."""
    return [*_encodings(), *_lines(), *_names(), *_formats(), *_hostile(), *_no_text()]


def lay_out(folder: Path) -> list[OddFile]:
    """Write the files into a new folder, with a pipe and links beside them; returns what was written."""
    files = odd_files()
    for file in files:
        path = folder / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
        os.utime(path, (1_700_000_000, 1_700_000_000))
    names = "report.docx columns.pdf costs.xlsx letter.odt notes.rtf book.epub slides.pptx talk.fodp box.mbox"
    for name in names.split():
        (folder / "documents").mkdir(exist_ok=True)
        shutil.copyfile(_DOCUMENTS / name, folder / "documents" / name)
    os.mkfifo(folder / "pipe.md")
    (folder / "loop").symlink_to(folder)
    (folder / "outside").symlink_to("/etc")
    (folder / "twice.md").symlink_to(folder / "lines" / "crlf.md")
    return files


def odd_paths(folder: Path) -> Iterator[str]:
    """Every path below a folder that is no folder itself, relative; links are not followed."""
    for above, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(above) / name).is_symlink()]
        yield from (os.path.relpath(os.path.join(above, name), folder) for name in (*names, *links))  # noqa: PTH118


# -- what is written ---------------------------------------------------------------------------------------------------
def _encodings() -> Iterator[OddFile]:
    rows = [
        ("utf-8-sig", "gecko001 größer"),
        ("utf-16", "gecko002 größer"),
        ("utf-16-le", "gecko003 without a mark, and größer"),
        ("utf-16-be", "gecko004 without a mark, and größer"),
        ("utf-32", "gecko005 größer"),
        ("shift_jis", "gecko006 検索エンジンの設計方針を説明します。"),
        ("euc_jp", "gecko007 検索エンジンの設計方針を説明します。"),
        ("euc_kr", "gecko008 검색 엔진 설계 방침 문서입니다."),
        ("gb18030", "gecko009 这是一个关于搜索引擎设计的文件。"),
        ("big5", "gecko010 這是一個關於搜尋引擎設計的文件。"),
        ("koi8_r", "gecko011 Это документ о поиске."),
        ("cp1251", "gecko012 Это документ о поиске."),
        ("cp1252", "gecko013 „Prüfung“ größerer Übersichten"),
        ("latin-1", "gecko014 Prüfung größerer Übersichten"),
    ]
    for encoding, text in rows:
        yield OddFile(f"encodings/{encoding}.md", f"# Notes\n\n{text}\n".encode(encoding), text.split()[0], line=3)
    yield OddFile("encodings/broken.md", b"# Notes\n\ngecko015 \xff\xfe\xc3( broken\n", "gecko015", line=3)


def _lines() -> Iterator[OddFile]:
    yield OddFile("lines/crlf.md", b"# A\r\n\r\ngecko101\r\n", "gecko101", line=3)
    yield OddFile("lines/cr.md", b"# A\r\rgecko102\r", "gecko102", line=3)
    separators = "# A\n\nx\x85y\u2028z\u2029w\x0bv\x0cu\x1cgecko103\n".encode()
    yield OddFile("lines/separators.md", separators, "gecko103", line=3)
    yield OddFile("lines/mixed.md", b"# A\r\n\rx\ngecko104\n", "gecko104", line=4)
    yield OddFile("lines/one-line.md", b"word and word " * 70_000 + b"gecko105", "gecko105", line=1)
    yield OddFile("lines/many.txt", b"x\n" * 300_000 + b"gecko106\n", "gecko106", line=300_001)
    yield OddFile("lines/no-spaces.txt", b"x" * 1_000_000 + b"\n\ngecko107\n", "gecko107", line=3)
    yield OddFile("lines/no-end.md", b"gecko108", "gecko108", line=1)
    emoji = "gecko109 👩\u200d👩\u200d👧\u200d👦 e\u0301 👍🏽 🇩🇪 " * 80
    yield OddFile("lines/emoji.md", emoji.encode(), "gecko109", line=1)


def _names() -> Iterator[OddFile]:
    names = [
        "with space.md",
        'it\'s "quoted".md',
        "new\nline.md",
        "tab\there.md",
        "emoji 🦎.md",
        "rtl \u202egpj.md",
        "n" * 252 + ".md",
        "UPPER.md",
        "upper.md",
        "-rf.md",
        "--help",
        "glob[a]*?.md",
        "$(touch PWNED);`x`|&.md",
        "back\\slash.md",
        "%00%2e%2e.md",
        " leading and trailing .md ",
        "ends-with-newline.md\n",
        os.fsdecode(b"caf\xe9.md"),
        os.fsdecode(b"\xff\xfe.md"),
        "Gro\u0308\u00dfe.md",
        "Gr\u00f6\u00dfe.md",
        "\x1b[31mred.md",
        "line\u2028separator.md",
        "日本語の設計.md",
        ".hidden.md",
        "/".join(["deep"] * 40) + "/file.md",
    ]
    for number, name in enumerate(names, 201):
        yield OddFile(f"names/{name}", f"# Named\n\ngecko{number}\n".encode(), f"gecko{number}", line=3)


def _formats() -> Iterator[OddFile]:
    notebook = {"cells": [{"cell_type": "code", "source": ["gecko301()\n"], "outputs": []}], "nbformat": 4}
    yield OddFile("formats/a.ipynb", json.dumps(notebook).encode(), "gecko301")
    yield OddFile("formats/a.html", b"<title>T</title><h1>Head</h1><p>gecko302</p><script>no</script>", "gecko302")
    yield OddFile("formats/a.csv", b"name;price\n" + b"nail;5\n" * 400 + b"gecko303;7\n", "gecko303")
    yield OddFile("formats/a.tex", b"\\section{Method}\ngecko304\n", "gecko304")
    yield OddFile("formats/a.org", b"* Plan\ngecko305\n", "gecko305")
    yield OddFile("formats/a.adoc", b"= Title\n\n== Part\n\ngecko306\n", "gecko306")
    yield OddFile("formats/a.rst", b"Title\n=====\n\ngecko307\n", "gecko307")
    yield OddFile("formats/a.srt", b"1\n00:00:01,000 --> 00:00:02,000\ngecko308\n", "gecko308")
    yield OddFile("formats/a.log", b"2026-01-15 10:00:00 \x1b[31mERROR\x1b[0m gecko309\n", "gecko309")
    yield OddFile("formats/a.yaml", b"server:\n  port: 80\n  name: gecko310\n", "gecko310")
    yield OddFile("formats/a.toml", b"[server]\nname = 'gecko311'\n", "gecko311")
    yield OddFile("formats/a.json", b'{"server": {"name": "gecko312", "x": "\\ud800\\u0000"}}', "gecko312")
    yield OddFile("formats/a.eml", b"Subject: =?utf-8?q?Z=C3=A4une?=\n\ngecko313\n", "gecko313")
    yield OddFile("formats/a.mhtml", b"MIME-Version: 1.0\nContent-Type: text/html\n\n<p>gecko314", "gecko314")
    yield OddFile("formats/a.docx", _docx("<w:p><w:r><w:t>gecko315</w:t></w:r></w:p>"), "gecko315")
    tracked = (
        "<w:p><w:ins><w:r><w:t>gecko316</w:t></w:r></w:ins><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>"
    )
    yield OddFile("formats/tracked.docm", _docx(tracked), "gecko316")
    yield OddFile("formats/graph.dot", b"digraph { gecko317 -> x; }\n", "gecko317")
    yield OddFile("formats/text.pdf", b"gecko318 under the wrong ending\n", "gecko318")
    yield OddFile("formats/page.docx", b"<html><body><p>gecko319</p></body></html>", "gecko319")
    yield OddFile("formats/nul-late.md", b"word " * 2_000 + b"\0 gecko320\n", "gecko320")


def _hostile() -> Iterator[OddFile]:
    limit = SkipReason.EXTRACTION_LIMIT
    yield OddFile("hostile/bomb.docx", _docx("<w:p/>" + " " * 60_000_000), reason=limit)
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    laughs = f'<!DOCTYPE x [<!ENTITY e0 "ha">{entities}]>'
    yield OddFile("hostile/entities.docx", _docx("<w:p>&e9;</w:p>", laughs), reason=limit)
    external = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>'
    yield OddFile("hostile/external.docx", _docx("<w:p>&e;</w:p>", external), reason=limit)
    yield OddFile("hostile/deep.docx", _docx("<w:x>" * _LEVELS + "</w:x>" * _LEVELS), reason=limit)
    slip = _zip({"../../slipped.txt": "x", "word/document.xml": _document("<w:p><w:t>gecko401</w:t></w:p>")})
    yield OddFile("hostile/slip.docx", slip, "gecko401")
    yield OddFile("hostile/deep.json", b"[" * _LEVELS + b'"gecko402"' + b"]" * _LEVELS, "gecko402")
    yield OddFile("hostile/deep.ipynb", b'{"cells": ' + b"[" * _LEVELS, reason=None)
    yield OddFile("hostile/deep.html", b"<div>" * _LEVELS + b"gecko403" + b"</div>" * _LEVELS, "gecko403")
    yield OddFile("hostile/deep.md", b">" * _LEVELS + b" gecko404\n" + b"- " * _LEVELS + b"\n", "gecko404")
    yield OddFile("hostile/deep.py", b"x = " + b"(" * _LEVELS + b"gecko405" + b")" * _LEVELS + b"\n", "gecko405")
    yield OddFile("hostile/emphasis.md", b"**a*" * 35_000 + b"\n\ngecko406\n", "gecko406")
    yield OddFile("hostile/links.md", b"[a](" * 30_000 + b"\n\n" + b"![" * 30_000 + b"\n\ngecko407\n", "gecko407")
    yield OddFile("hostile/fences.md", b"```\n" * 30_001 + b"\n\n# gecko408\n", "gecko408")
    yield OddFile("hostile/half.docx", _docx("<w:p/>")[:200], reason=SkipReason.DAMAGED)
    yield OddFile("hostile/picture.md", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(100), reason=SkipReason.BINARY_CONTENT)
    yield OddFile("hostile/picture.pdf", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(100), reason=SkipReason.DAMAGED)


def _no_text() -> Iterator[OddFile]:
    empty = SkipReason.EMPTY
    yield OddFile("none/empty.md", b"", reason=empty)
    yield OddFile("none/blank.md", b" \n\t\n\r\n", reason=empty)
    yield OddFile("none/bom.md", b"\xef\xbb\xbf", reason=empty)
    yield OddFile("none/empty.docx", _docx("<w:p/>"), reason=empty)
    yield OddFile("none/empty.ipynb", b'{"cells": []}', reason=empty)
    yield OddFile("none/photo.png", b"\x89PNG", reason=SkipReason.BINARY_EXTENSION)
    yield OddFile("none/id_rsa", b"key", reason=SkipReason.SECRET_FILE)
    yield OddFile("none/old.pages", b"PK", reason=SkipReason.BINARY_EXTENSION)
    yield OddFile("none/large.json", b"[1]\n" * 130_000, reason=SkipReason.TOO_LARGE)


def _document(body: str, declarations: str = "") -> str:
    return f"<?xml version='1.0'?>{declarations}<w:document {_W}><w:body>{body}</w:body></w:document>"


def _docx(body: str, declarations: str = "") -> bytes:
    return _zip({"word/document.xml": _document(body, declarations)})


def _zip(parts: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in parts.items():
            archive.writestr(name, body)
    return buffer.getvalue()
