"""Outlook messages (MSG): who, when, subject, the text, and the names of attachments."""

from __future__ import annotations

from gnomon.extract import html
from gnomon.extract.base import Limits
from gnomon.extract.composing import Composer, clean, one_line
from gnomon.extract.compound import Compound
from gnomon.extract.encodings import decode
from gnomon.values import Extracted

# Properties by their number ([MS-OXPROPS]).
_SUBJECT, _BODY, _BODY_HTML, _ATTACHMENT = "0037", "1000", "1013", "3707"
_PEOPLE = (("From", ("0c1a", "5d01", "0c1f")), ("To", ("0e04",)), ("Cc", ("0e03",)))


def read(content: bytes, *, path: str, limits: Limits) -> Extracted:
    """The text of a message. See ``base.Format``."""
    del path
    compound = Compound(content)
    composer = Composer(limits)
    subject = one_line(_property(compound, _SUBJECT))
    composer.heading(subject)
    lines = []
    for label, numbers in _PEOPLE:
        names = list(dict.fromkeys(filter(None, (one_line(_property(compound, number)) for number in numbers))))
        lines += [f"{label}: {' '.join(names)}"] if names else []
    composer.block("\n".join(lines))
    body = clean(_property(compound, _BODY))
    if body.strip():
        composer.block(body)
    elif source := compound.stream(f"__substg1.0_{_BODY_HTML}0102"):
        html.write(decode(source).text, composer)
    for name in compound.paths():
        if name.startswith("__attach") and name.endswith((f"_{_ATTACHMENT}001f", f"_{_ATTACHMENT}001e")):
            composer.block(f"Attachment: {one_line(_decoded(compound, name))}")
    return composer.document("prose", "msg", subject)


def _property(compound: Compound, number: str) -> str:
    """A property of the message itself, as Unicode or in the code page of its time."""
    names = (f"__substg1.0_{number}{kind}" for kind in ("001f", "001e"))
    return next((_decoded(compound, name) for name in names if name in compound), "")


def _decoded(compound: Compound, name: str) -> str:
    data = compound.stream(name)
    if name.lower().endswith("001f"):
        return data.decode("utf-16-le", "replace")
    return decode(data.rstrip(b"\0")).text if data.rstrip(b"\0") else ""
