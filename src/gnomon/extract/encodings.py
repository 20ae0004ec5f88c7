"""Bytes to text: BOM, UTF-8, UTF-16/32 without a mark, what the file declares, and at last a guess that says so."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from gnomon.errors import DocumentError
from gnomon.values import SkipReason

# git and the predecessor look for a NUL this far; a later one is a slip inside text.
BINARY_SNIFF_BYTES = 4096
_SAMPLE_BYTES = 32 * 1024

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = (
    re.compile(rb"^[^\n]*\n?[^\n]*?coding[:=][ \t]*([-\w.]+)"),  # PEP 263, Emacs; first two lines
    re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([-\w.]+)"),
    re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([-\w.]+)", re.IGNORECASE),
    re.compile(rb"^@charset \"([-\w.]+)\"", re.IGNORECASE),
    re.compile(rb"^\"Content-Type: text/plain; charset=([-\w.]+)", re.MULTILINE),  # gettext
)
# Not ASCII printable, not white space, not what terminals and typewriters leave in text (BS, ESC, VT, FF, SUB).
_CONTROL = re.compile("[\x00-\x07\x0e-\x19\x1c-\x1f\x7f\ufffe\uffff]")
_FOREIGN_BYTE = re.compile(rb"[\x80-\xff]")
_CONTROL_SHARE = 0.02
# Greek, Cyrillic, Hebrew, Arabic, Thai.
_ALPHABET_PAGES = (0x03, 0x04, 0x05, 0x06, 0x0E)
_FEWEST_PAIRS = 3
_PAGE_SHARE = 0.7
_UTF16_READABLE = re.compile(
    "[\t\n\r -~\u00a0-\u024f\u0370-\u05ff\u0600-\u06ff\u0e00-\u0e7f\u200b-\u206f\u20ac"
    "\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff00-\uffef]"
)
# A decoder that maps bytes to bytes, or runs code, is not one of text.
_NO_TEXT = frozenset(
    {"base64", "bz2", "hex", "quopri", "rot13", "uu", "zlib", "idna", "punycode", "mbcs", "oem", "undefined"}
    | {"raw_unicode_escape", "unicode_escape"}
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text of one file.

    Attributes:
        text: Without BOM; line ends kept; no lone surrogates, no NUL.
        encoding: Name of the codec.
        warnings: One sentence each; a guess is always named.
    """

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(content: bytes) -> Decoded:
    """Decode the bytes of a text file.

    Raises:
        DocumentError: They are no text (``BINARY_CONTENT``).
    """
    for bom, encoding in _BOMS:
        if content.startswith(bom):
            return _lenient(content[len(bom) :], encoding)
    nul = content.find(b"\0", 0, BINARY_SNIFF_BYTES) >= 0
    # Other alphabets in UTF-16 without a blank or a line end have no NUL.
    if wide := _wide(content) if nul else _alphabet_in_pairs(content):
        return wide
    if nul:
        raise DocumentError(SkipReason.BINARY_CONTENT, "a NUL byte in the first 4 KB")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return _checked(_legacy(content))
    for encoding in ("iso2022_jp", "iso2022_kr") if "\x1b$" in text else ():
        if (decoded := _strict(content, encoding)) is not None:
            return Decoded(decoded, encoding, (f"The encoding is a guess: {encoding}.",))
    return _checked(_without_nul(Decoded(text, "utf-8")))


def _lenient(content: bytes, encoding: str) -> Decoded:
    text = content.decode(encoding, "replace")
    broken = text.count("\ufffd")
    decoded = Decoded(text, encoding, (_broken(encoding),) if broken else ())
    if broken * 4 > len(text):
        raise DocumentError(SkipReason.BINARY_CONTENT, f"marked as {encoding} but it is not")
    return _checked(_without_nul(decoded))


def _broken(encoding: str) -> str:
    return f"Some bytes are not valid {encoding} and became U+FFFD."


def _without_nul(decoded: Decoded) -> Decoded:
    # Stores, terminals and FTS5 end a text at NUL; one character for one keeps every offset and line.
    if "\0" not in decoded.text:
        return decoded
    text = decoded.text.replace("\0", "\ufffd")
    return Decoded(text, decoded.encoding, (*decoded.warnings, "NUL characters became U+FFFD."))


def _checked(decoded: Decoded) -> Decoded:
    sample = decoded.text[:_SAMPLE_BYTES]
    if len(_CONTROL.findall(sample)) > max(2, _CONTROL_SHARE * len(sample)):
        raise DocumentError(SkipReason.BINARY_CONTENT, "too many control characters")
    return decoded


def _strict(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except (UnicodeError, LookupError, ValueError):
        return None


def _wide(content: bytes) -> Decoded | None:
    """UTF-32 or UTF-16 without a mark: the reading whose characters nearly all belong to a living script."""
    for encoding in ("utf-32-le", "utf-32-be"):
        if len(content) % 4 == 0 and (text := _strict(content, encoding)) is not None:
            return _without_nul(Decoded(text, encoding))
    sample = content[:BINARY_SNIFF_BYTES]
    shares = {encoding: _readable(sample, encoding) for encoding in ("utf-16-le", "utf-16-be")}
    best = max(shares, key=lambda encoding: shares[encoding])
    # Chance readings of binary data stay near 0.6.
    return _lenient(content, best) if shares[best] >= 0.95 else None


def _alphabet_in_pairs(content: bytes) -> Decoded | None:
    """UTF-16 without a mark and without NUL: nearly every second byte is the number of one alphabet."""
    sample = content[: BINARY_SNIFF_BYTES // 2 * 2]
    if len(content) % 2 or len(sample) < _FEWEST_PAIRS * 2:
        return None
    for encoding, first in (("utf-16-le", 1), ("utf-16-be", 0)):
        high = sample[first::2]
        if max(high.count(page) for page in _ALPHABET_PAGES) >= _PAGE_SHARE * len(high):
            return _lenient(content, encoding) if _readable(sample, encoding) >= _PAGE_SHARE else None
    return None


def _readable(sample: bytes, encoding: str) -> float:
    text = sample[: len(sample) // 2 * 2].decode(encoding, "replace")
    return len(_UTF16_READABLE.findall(text)) / max(len(text), 1)


def _legacy(content: bytes) -> Decoded:
    replaced = content.decode("utf-8", "replace")
    broken = replaced.count("\ufffd")
    if (whole := _non_ascii(replaced) - broken) and whole >= broken * 4:
        return _without_nul(Decoded(replaced, "utf-8", (_broken("utf-8"),)))
    if (declared := _declared(content)) and (text := _strict(content, declared)) is not None:
        return _without_nul(Decoded(text, declared))
    from gnomon.extract.charset import guess

    encoding = guess(_telling_lines(content))
    warning = f"The encoding is a guess: {encoding}."
    if (text := _strict(content, encoding)) is not None:
        return _without_nul(Decoded(text, encoding, (warning,)))
    return _without_nul(Decoded(content.decode(encoding, "replace"), encoding, (warning, _broken(encoding))))


def _non_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _declared(content: bytes) -> str:
    for pattern in _DECLARED:
        if match := pattern.search(content[:2048]):
            name = match[1].decode("ascii", "ignore").lower()
            try:
                codec = codecs.lookup(name).name
            except (LookupError, ValueError):
                continue
            if codec.replace("-", "_") not in _NO_TEXT and not codec.startswith("utf"):
                return codec
    return ""


def _telling_lines(content: bytes) -> bytes:
    """The lines that are not ASCII, up to a sample: the others say nothing about the encoding."""
    found: list[bytes] = []
    size = 0
    for line in content[: 64 * _SAMPLE_BYTES].split(b"\n"):
        if not line.isascii():
            found.append(_around_foreign(line) + b"\n")
            size += len(found[-1])
        if size >= _SAMPLE_BYTES:
            break
    return b"".join(found)


def _around_foreign(line: bytes) -> bytes:
    """A line that is too long for the sample, from shortly before its first byte that is not ASCII."""
    if len(line) <= _SAMPLE_BYTES:
        return line
    first = _FOREIGN_BYTE.search(line)
    start = max(0, first.start() - 64) if first else 0
    return line[start : start + _SAMPLE_BYTES]
