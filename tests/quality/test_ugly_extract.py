"""Files as they lie on disks: each gives the words it must, or one reason; nothing else happens."""

from __future__ import annotations

import re
import tarfile
import unicodedata
from functools import cache
from pathlib import Path

import pytest

from gnomon.errors import DocumentError
from gnomon.extract import Extractor
from gnomon.lines import LineIndex
from gnomon.values import SkipReason

pytestmark = [pytest.mark.shared, pytest.mark.slow]

_WORD = re.compile(r"\w+")
# What the last column says must be found.
_FOUND = re.compile(r"((?:wombat|numbat|quokka)\d+)(?! no)")
_NAMED = {
    "encodings/sjis.csv": ["佐藤太郎"],
    "text/latin1-umlauts.md": ["Prüfung", "wombat8"],
    "text/shift_jis.md": ["検索エンジン", "wombat11"],
    "text/euc_kr.md": ["검색", "wombat12"],
    "text/coding-cookie.py": ["prüfe_wombat13"],
    "text/fullwidth.md": ["ガイド"],
    "text/table-5000.md": ["row4999"],
    "encodings/utf-16-le.txt": ["Doylestown"],
    "encodings/stanley-cups-utf-16.csv": ["Blues"],
    "encodings/charset_utf16le.html": ["sample"],
    "encodings/ebcdic-cp500.txt": ["IntelliStation"],
    "office/simple.doc": ["Parrots"],
    "office/fake.doc": ["Lorem"],
    "office/fake-doc.rtf": ["Heading"],
    "office/tika-testRTFJapanese.rtf": ["ゾルゲ"],
    "office/tika-testComment.docx": ["comment"],
    "office/tika-testAltChunkHTML.docx": ["emphasized"],
    "office/tika-testEXCEL_big_numbers.xlsx": ["1234567890123451"],
    "office/tika-testPPT_groups.pptx": ["Text box5", "WordArt2"],
    "office/python-docx-hdr-header-footer.docx": ["Header for section-1"],
    "other/test.epub": ["Chapter 2: More Content"],
    "other/mime-html-only.eml": ["emoticon"],
    "other/fake-email-b64.eml": ["Violets"],
}
_ABSENT = {"hostile/tracked.docx": ["wombat48"], "other/nb-ok.ipynb": ["iVBOR"], "hostile/xxe.docx": ["root:"]}
_REFUSED = {
    "office/tika-testWORD_protected_passtika.docx": SkipReason.ENCRYPTED,
    "office/tika-testEXCEL_protected_passtika.xlsx": SkipReason.ENCRYPTED,
    "office/password_protected.xlsx": SkipReason.ENCRYPTED,
    "office/tika-testWORD_truncated.docx": SkipReason.DAMAGED,
    "pdf/libreoffice-writer-password.pdf": SkipReason.ENCRYPTED,
    "pdf/medical_report_scan.pdf": SkipReason.NO_TEXT_LAYER,
    "pdf/tika-testOCR.pdf": SkipReason.NO_TEXT_LAYER,
    "hostile/zipbomb.docx": SkipReason.EXTRACTION_LIMIT,
    "hostile/billion-laughs.docx": SkipReason.EXTRACTION_LIMIT,
    "hostile/xxe.docx": SkipReason.EXTRACTION_LIMIT,
    "hostile/deep-xml.docx": SkipReason.EXTRACTION_LIMIT,
    "text/png-named.md": SkipReason.BINARY_CONTENT,
    "text/gzip-named.txt": SkipReason.BINARY_CONTENT,
    "text/nul-inside.md": SkipReason.BINARY_CONTENT,
}
# The reference has no text of these, or only what fonts without a Unicode map give.
_NO_REFERENCE = {"pdf/non-unicode-cmap.pdf"}


@cache
def _load(archive: Path) -> tuple[dict[str, bytes], dict[str, str]]:
    files: dict[str, bytes] = {}
    with tarfile.open(archive) as tar:
        for member in tar:
            body = tar.extractfile(member) if member.isfile() else None
            if body is not None:
                files[member.name.removeprefix("./").removeprefix("ugly/")] = body.read()
    # Names hold every line end but this one.
    rows = (line.split("\t") for line in files.pop("LIST.tsv").decode().split("\n")[1:] if line)
    return files, {row[0]: row[4] for row in rows}


@cache
def _extracted(archive: Path) -> dict[str, str | SkipReason]:
    found: dict[str, str | SkipReason] = {}
    with Extractor() as extractor:
        for path, content in _load(archive)[0].items():
            try:
                found[path] = extractor.extract(path, content)[0].text
            except DocumentError as e:
                found[path] = SkipReason(e.reason)
    return found


@pytest.fixture
def ugly(shared_eval: Path) -> tuple[dict[str, bytes], dict[str, str]]:
    """Files by path, and what the list expects of each."""
    return _load(shared_eval / "ugly.tar.gz")


@pytest.fixture
def texts(shared_eval: Path) -> dict[str, str | SkipReason]:
    """Text or reason of every file, through the worker as in a real run."""
    return _extracted(shared_eval / "ugly.tar.gz")


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(unicodedata.normalize("NFKC", text))}


def test_no_file_is_a_fault(texts: dict[str, str | SkipReason]) -> None:
    """Every refusal has a reason that the user understands; none is ours."""
    assert [path for path, found in texts.items() if found == SkipReason.FAULT] == []
    assert len(texts) > 150


def test_listed_words_are_found(
    ugly: tuple[dict[str, bytes], dict[str, str]], texts: dict[str, str | SkipReason]
) -> None:
    """Every word that the list names stands in the text of its file."""
    missing = []
    for path, expected in ugly[1].items():
        if path not in texts or path in _REFUSED:
            continue
        for word in [*_NAMED.get(path, []), *_FOUND.findall(expected.split(" yes")[0])]:
            text = texts[path]
            if word not in (unicodedata.normalize("NFKC", text) if isinstance(text, str) else ""):
                missing.append((path, word, text[:60] if isinstance(text, str) else text))
    assert missing == []


def test_refused_files_say_why(texts: dict[str, str | SkipReason]) -> None:
    """Encrypted, damaged, scanned and hostile files are each refused for what they are."""
    assert {path: texts[path] for path in _REFUSED} == _REFUSED


def test_deleted_and_foreign_text_is_absent(texts: dict[str, str | SkipReason]) -> None:
    """No deleted sentence, no picture, no file of this machine."""
    assert [path for path, words in _ABSENT.items() for word in words if word in str(texts[path])] == []


def test_pdf_words_are_those_of_the_reference(
    ugly: tuple[dict[str, bytes], dict[str, str]], texts: dict[str, str | SkipReason]
) -> None:
    """At least 98 % of the words that the reference extractor finds on the first lines of each readable PDF."""
    found = expected = 0
    for path, reference in ugly[1].items():
        words = _words(reference.removeprefix("pdftotext: ").rsplit(" ", 1)[0])
        if not path.startswith("pdf/") or "no text" in reference or path in _NO_REFERENCE:
            continue
        expected += len(words)
        found += len(words & _words(str(texts[path])))
    assert expected > 100
    assert found >= 0.98 * expected


@pytest.mark.parametrize(
    ("path", "first", "second"),
    [
        ("pdf/multicolumn.pdf", "ultrices. Phasellus eu", "lacus vel est. Curabitur"),
        ("pdf/multi-column-2p.pdf", "Open-domain question answering relies on", "QA datasets, it also suffers"),
        ("pdf/tika-testPDFTwoTextBoxes.pdf", "Left column line 2", "Right column line 1"),
    ],
)
def test_columns_are_read_one_after_the_other(
    texts: dict[str, str | SkipReason], path: str, first: str, second: str
) -> None:
    """A column is read to its end before the next begins."""
    text = " ".join(str(texts[path]).split())
    assert 0 <= text.find(first) < text.find(second)


def test_lines_are_those_of_an_editor(texts: dict[str, str | SkipReason]) -> None:
    """Line numbers of text files survive every kind of line end."""
    for path, word, line in [
        ("text/many-short-lines.txt", "wombat20", 300_001),
        ("text/crlf.md", "wombat1", 3),
        ("text/cr-only.md", "wombat2", 3),
    ]:
        text = str(texts[path])
        assert LineIndex(text).line_at(text.index(word)) == line, path
