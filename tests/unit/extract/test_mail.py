"""What of a mail is not in its text is said, never left out in silence."""

from __future__ import annotations

import pytest

from gnomon.extract import mail
from gnomon.extract.base import Limits
from gnomon.values import PARTLY

_HEAD = b"From: ann@example.org\r\nContent-Type: multipart/mixed; boundary=X0\r\n\r\n"
_BODY = b"\r\nthe heron\r\n"


def _within(depth: int) -> bytes:
    """A body so many parts deep, each with a boundary of its own."""
    inner = b"".join(b"--X%d\r\nContent-Type: multipart/mixed; boundary=X%d\r\n\r\n" % (n, n + 1) for n in range(depth))
    return _HEAD + inner + b"--X%d\r\n" % depth + _BODY


_CUT = {
    "own boundary": _HEAD + b"--X0\r\nContent-Type: multipart/mixed; boundary=X0\r\n\r\n" * 5_000 + b"--X0\r\n" + _BODY,
    "many parts": _HEAD + b"--X0\r\n\r\nword\r\n" * 600 + b"--X0\r\n" + _BODY,
    "deep": _within(40),
    "no boundary": _HEAD + _BODY,
    "empty message": _HEAD + b"--X0\r\nContent-Type: multipart/mixed; boundary=none\r\n\r\nthe heron\r\n--X0--\r\n",
}


@pytest.mark.parametrize("content", _CUT.values(), ids=_CUT.keys())
def test_mail_whose_body_is_not_reached_is_read_in_part(content: bytes) -> None:
    """It would else look as if it had no body."""
    extracted = mail.read(content, path="a.eml", limits=Limits())
    assert "heron" not in extracted.text
    assert len([each for each in extracted.warnings if each.startswith(PARTLY)]) == 1


@pytest.mark.parametrize("depth", [0, 5])
def test_mail_that_is_read_to_its_end_says_nothing(depth: int) -> None:
    """Nor do parts within parts that are reached."""
    extracted = mail.read(_within(depth), path="a.eml", limits=Limits())
    assert "the heron" in extracted.text
    assert extracted.warnings == ()
