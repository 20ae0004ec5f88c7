"""Rich Text Format: what is printed, by paragraph; pictures, fields' codes and settings are left out."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field, replace

from gnomon.errors import DocumentError
from gnomon.extract.base import Limits
from gnomon.extract.composing import Composer, squeeze
from gnomon.extract.tables import table_lines
from gnomon.values import Extracted, SkipReason

_TOKEN = re.compile(rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)")
_MOST_DEPTH = 2000
# Groups that hold no text of the document.
_UNSEEN = frozenset(
    {"fonttbl", "colortbl", "stylesheet", "pict", "object", "objdata", "themedata", "colorschememapping", "datastore"}
    | {"listtable", "listoverridetable", "rsidtbl", "generator", "xmlnstbl", "fldinst", "filetbl", "revtbl", "template"}
    | {
        "latentstyles",
        "panose",
        "falt",
        "bkmkstart",
        "bkmkend",
        "themelang",
        "mmathPr",
        "pgptbl",
        "nonshppict",
        "private",
    }
    | {
        "info",
        "header",
        "headerl",
        "headerr",
        "headerf",
        "footer",
        "footerl",
        "footerr",
        "footerf",
        "xe",
        "tc",
        "atnid",
    }
    | {
        "atnid",
        "private",
        "atnauthor",
        "atnref",
        "atndate",
        "atntime",
        "atnparent",
        "passwordhash",
        "listtext",
        "pntext",
    }
)
_CHARACTERS = {
    "par": "\n", "sect": "\n", "page": "\n", "line": "\n", "tab": "\t", "emdash": "—", "endash": "–", "bullet": "•",
    "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "emspace": " ", "enspace": " ", "qmspace": " ",
}  # fmt: skip
_CHARSETS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "big5", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip


@dataclass(slots=True)
class _State:
    r"""What holds inside a group.

    Attributes:
        skip: The group holds no text.
        codec: Of bytes written as ``\'hh``.
        fallback: Characters that stand for one ``\u`` in old readers.
        hidden: Hidden or deleted.
    """

    skip: bool = False
    codec: str = "cp1252"
    fallback: int = 1
    hidden: bool = False


def read(content: bytes, *, path: str, limits: Limits) -> Extracted:
    """The text of an RTF document. See ``base.Format``."""
    del path
    if not content.lstrip().startswith(b"{\\rtf"):
        raise DocumentError(SkipReason.DAMAGED, "not RTF")
    composer = Composer(limits)
    reader = _Reader(composer)
    reader.read(content)
    return composer.document("prose", "rtf", reader.title)


@dataclass(slots=True)
class _Reader:
    """Takes tokens one by one; text collects until its paragraph ends."""

    composer: Composer
    title: str = ""
    _state: _State = field(default_factory=_State)
    _stack: list[_State] = field(default_factory=list)
    _fonts: dict[int, str] = field(default_factory=dict)
    _font: int = 0
    _in_fonts: bool = False
    _bytes: bytearray = field(default_factory=bytearray)
    _text: list[str] = field(default_factory=list)
    _pending_skip: int = 0
    _outline: int = -1
    _starts_group: bool = False
    _cells: list[str] = field(default_factory=list)
    _rows: list[list[str]] = field(default_factory=list)
    _in_table: bool = False
    _page: int = 1
    _depth_of_fonts: int = 0

    def read(self, content: bytes) -> None:
        at = 0
        while match := _TOKEN.search(content, at):
            at = match.end()
            word, number, hexadecimal, symbol, brace, plain = match.groups()
            if brace:
                self._brace(brace)
            elif word:
                if word == b"bin" and number and int(number) > 0:
                    at += int(number)
                self._word(word.decode(), int(number) if number else None)
            elif hexadecimal:
                self._byte(int(hexadecimal, 16))
            elif symbol:
                self._symbol(symbol)
            elif plain:
                self._plain(plain)
            if self.composer.full:
                break
        self._end_paragraph()
        self._end_table()

    # -- groups --------------------------------------------------------------------------------------------------------
    def _brace(self, brace: bytes) -> None:
        self._decode()
        self._pending_skip = 0
        if brace == b"{":
            if len(self._stack) >= _MOST_DEPTH:
                raise DocumentError(SkipReason.EXTRACTION_LIMIT, f"groups nested more than {_MOST_DEPTH} deep")
            self._stack.append(replace(self._state))
            self._starts_group = True
        elif self._stack:
            self._state = self._stack.pop()
            self._starts_group = False
            if self._in_fonts and len(self._stack) < self._depth_of_fonts:
                self._in_fonts = False

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            # A destination that readers may ignore; the few that hold text are let in by their word.
            self._state.skip = True
            return
        self._decode()
        self._starts_group = False
        self._add({b"~": " ", b"_": "-", b"-": "", b"\n": "\n", b"\r": "\n"}.get(symbol, symbol.decode("latin-1")))

    def _word(self, word: str, number: int | None) -> None:
        starts = self._starts_group
        self._starts_group = False
        if word == "u" and number is not None:
            self._unicode(number)
            return
        self._decode()
        if word == "fonttbl":
            self._in_fonts = True
            self._depth_of_fonts = len(self._stack)
        if word in _UNSEEN and (starts or self._state.skip or word == "fonttbl"):
            self._state.skip = True
        elif word in {"footnote", "annotation", "shptxt"}:
            self._state.skip = False
            self._add(" ")
        elif word in _CHARACTERS:
            self._character(word)
        elif word in {"cell", "nestcell", "row", "nestrow", "intbl", "pard"}:
            self._table_word(word)
        else:
            self._setting(word, number)

    def _setting(self, word: str, number: int | None) -> None:
        value = 1 if number is None else number
        if word == "f":
            self._font = value
            self._state.codec = self._fonts.get(value, self._state.codec)
        elif word == "fcharset" and self._in_fonts:
            self._fonts[self._font] = _CHARSETS.get(value, "cp1252")
        elif word == "ansicpg":
            self._state.codec = _known(f"cp{value}")
        elif word == "mac":
            self._state.codec = "mac_roman"
        elif word == "uc":
            self._state.fallback = max(0, min(value, 16))
        elif word in {"v", "deleted"}:
            self._state.hidden = value != 0
        elif word == "plain":
            self._state.hidden = False
        elif word == "outlinelevel":
            self._outline = value

    # -- text ----------------------------------------------------------------------------------------------------------
    def _byte(self, value: int) -> None:
        if self._pending_skip:
            self._pending_skip -= 1
        elif not self._state.skip and not self._state.hidden:
            self._bytes.append(value)

    def _plain(self, plain: bytes) -> None:
        self._starts_group = False
        skipped = min(self._pending_skip, len(plain))
        self._pending_skip -= skipped
        if not self._state.skip and not self._state.hidden:
            # Second bytes of East Asian characters may be plain letters: decode both together.
            self._bytes += plain[skipped:]

    def _unicode(self, number: int) -> None:
        self._decode()
        self._pending_skip = self._state.fallback
        self._add(chr(number % 0x10000))

    def _decode(self) -> None:
        if self._bytes:
            self._add(bytes(self._bytes).decode(self._state.codec, "replace"))
            self._bytes.clear()

    def _add(self, text: str) -> None:
        if not self._state.skip and not self._state.hidden:
            self._text.append(text)

    def _character(self, word: str) -> None:
        if self._state.skip:
            return
        if word in {"par", "sect", "page"}:
            self._end_paragraph()
            self._page += word == "page"
        else:
            self._add(_CHARACTERS[word])

    def _taken(self) -> str:
        self._decode()
        # Characters beyond the basic plane come as two halves.
        text = "".join(self._text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        self._text.clear()
        return text

    def _end_paragraph(self) -> None:
        if self._in_table:
            self._add(" ")
            return
        text = squeeze(self._taken())
        if text:
            self._end_table()
            self.composer.anchor(f"page {self._page}" if self._page > 1 else "page 1")
            if 0 <= self._outline <= 8:
                self.composer.heading(text, self._outline + 1)
            else:
                self.composer.block(text)

    # -- tables --------------------------------------------------------------------------------------------------------
    def _table_word(self, word: str) -> None:
        if self._state.skip:
            return
        if word == "pard":
            self._outline = -1
            self._in_table = False
        elif word == "intbl":
            self._in_table = True
        elif word in {"cell", "nestcell"}:
            self._cells.append(squeeze(self._taken()))
        elif self._cells:
            self._rows.append(self._cells)
            self._cells = []

    def _end_table(self) -> None:
        rows, self._rows = self._rows, []
        gap = "\n\n"
        for line in table_lines(rows, has_header=None if len(rows) > 1 else False):
            self.composer.block(line, gap=gap)
            gap = "\n"


def _known(codec: str) -> str:
    try:
        return codecs.lookup({"cp10000": "mac_roman", "cp65001": "utf-8", "cp936": "gb18030"}.get(codec, codec)).name
    except LookupError:
        return "cp1252"
