"""E-mail: one message (EML) or many (mbox): who, when, subject, the text, and the names of attachments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header
from email.message import Message
from email.policy import compat32

from gnomon.errors import DocumentError
from gnomon.extract import html
from gnomon.extract.base import Limits
from gnomon.extract.composing import Composer, clean, one_line
from gnomon.extract.encodings import decode
from gnomon.extract.languages import language_of
from gnomon.values import PARTLY, Extracted

_HEADERS = ("From", "To", "Cc", "Date")
_MESSAGE_START = re.compile(rb"^From [^\r\n]*\r?\n", re.MULTILINE)
_MOST_PARTS = 500
_MOST_DEPTH = 20


def read(content: bytes, *, path: str, limits: Limits) -> Extracted:
    """The text of a mail, or of a mailbox. See ``base.Format``."""
    composer = Composer(limits)
    if language_of(path) == "mbox" or _MESSAGE_START.match(content):
        for number, raw in enumerate(_messages(content), start=1):
            composer.anchor(f"message {number}")
            _Mail(composer, limits).write(message_from_bytes(raw, policy=compat32), depth=0)
            if composer.full:
                break
        return composer.document("prose", language_of(path) or "mbox")
    message = message_from_bytes(content, policy=compat32)
    _Mail(composer, limits).write(message, depth=0)
    return composer.document("prose", "email", _header(message, "Subject"))


def _messages(content: bytes) -> Iterator[bytes]:
    marks = list(_MESSAGE_START.finditer(content))
    if not marks and content.strip():
        yield content
    ends = [mark.start() for mark in marks[1:]] + [len(content)]
    for mark, end in zip(marks, ends, strict=False):
        yield re.sub(rb"(?m)^>(>*From )", rb"\1", content[mark.end() : end])


def _header(message: Message, name: str) -> str:
    """A header decoded; broken parts stay readable as far as they are."""
    value = message.get(name)
    if value is None:
        return ""
    pieces = []
    try:
        for part, charset in decode_header(str(value)):
            pieces.append(part if isinstance(part, str) else _decoded(part, charset or ""))
    except (ValueError, LookupError):
        return one_line(str(value))
    return one_line("".join(pieces))


def _decoded(data: bytes, charset: str) -> str:
    try:
        return data.decode(charset or "utf-8")
    except (LookupError, ValueError):
        pass
    try:
        return decode(data).text
    except DocumentError:
        return data.decode("ascii", "ignore")


class _Mail:
    """Writes one message and what is attached to it."""

    def __init__(self, composer: Composer, limits: Limits) -> None:
        self._composer = composer
        self._limits = limits
        self._parts = 0

    def write(self, message: Message, *, depth: int) -> None:
        subject = _header(message, "Subject")
        self._composer.heading(subject, 1 + depth)
        lines = [f"{name}: {text}" for name in _HEADERS if (text := _header(message, name))]
        self._composer.block("\n".join(lines))
        self._part(message, depth)

    def _part(self, part: Message, depth: int) -> None:
        self._parts += 1
        if self._parts > _MOST_PARTS:
            self._missing(f"only the first {_MOST_PARTS} parts of a message.")
            return
        if depth > _MOST_DEPTH:
            self._missing(f"only the first {_MOST_DEPTH} levels of parts within parts.")
            return
        kind = part.get_content_type()
        payload = part.get_payload()
        if kind == "message/rfc822" and isinstance(payload, list):
            for inner in payload:
                if isinstance(inner, Message):
                    self.write(inner, depth=depth + 1)
        elif isinstance(payload, list):
            inners = [inner for inner in payload if isinstance(inner, Message)]
            for inner in _chosen(inners) if kind == "multipart/alternative" else inners:
                self._part(inner, depth + 1)
        else:
            self._leaf(part, kind)

    def _leaf(self, part: Message, kind: str) -> None:
        name = one_line(_filename(part))
        is_text = kind in {"text/plain", "text/html"} or (kind.startswith("text/") and kind != "text/calendar")
        if name:
            self._composer.block(f"Attachment: {name}")
        if kind.startswith(("multipart/", "message/")) and _body(part).strip():
            self._missing("a part that says it has parts, and has none where it says they begin.")
        if not is_text:
            return
        text = _body(part)
        if kind == "text/html":
            html.write(text, self._composer)
        else:
            self._composer.block(clean(text))

    def _missing(self, what: str) -> None:
        if PARTLY + what not in self._composer.warnings:
            self._composer.missing(what)


def _chosen(alternatives: list[Message]) -> list[Message]:
    """The plain form of a text that is there in several, if it says anything."""
    plain = [part for part in alternatives if part.get_content_type() == "text/plain" and _body(part).strip()]
    rich = [part for part in alternatives if part.get_content_type() != "text/plain"]
    return plain[:1] or rich[-1:]


def _body(part: Message) -> str:
    try:
        data = part.get_payload(decode=True)
    except (ValueError, LookupError, AssertionError):
        data = None
    if isinstance(data, bytes):
        return _decoded(data, _charset(part))
    payload = part.get_payload()
    return payload if isinstance(payload, str) else ""


def _charset(part: Message) -> str:
    try:
        return part.get_content_charset() or ""
    except (ValueError, LookupError, AttributeError):
        return ""


def _filename(part: Message) -> str:
    try:
        return part.get_filename() or ""
    except (ValueError, LookupError, AttributeError, TypeError):
        return ""
