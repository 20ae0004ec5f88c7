"""Secrets are replaced inside their lines; what only speaks of secrets stays findable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.extract.secrets import redact, redact_document
from gnomon.lines import lines
from gnomon.values import Anchor, Extracted
from tests.fakes.secret_lines import DECOYS, KEY_BODY, PEM, PLANTED


@pytest.mark.parametrize(("line", "secret"), PLANTED, ids=[line[:32] for line, _ in PLANTED])
def test_planted_secret_is_replaced_in_its_line(line: str, secret: str) -> None:
    """The secret goes, the text around it stays."""
    text = f"before\n{line.format(secret)}\r\nafter\n"
    redacted, count = redact(text)
    assert secret not in redacted
    assert count == 1
    head, tail = line.format("\0").split("\0")
    assert lines(redacted)[1].startswith(head + "[redacted ")
    assert lines(redacted)[1].endswith("]" + tail)


@pytest.mark.parametrize("line", DECOYS)
def test_decoy_is_untouched(line: str) -> None:
    """Prose, code, placeholders, labels, digests and public keys are text like any other."""
    assert redact(f"{line}\n") == (f"{line}\n", 0)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_private_key_goes_and_its_lines_stay(newline: str) -> None:
    """A PEM block is emptied; what follows keeps its line number."""
    text = f"a\n{PEM}\nb = 1\n".replace("\n", newline)
    redacted, count = redact(text)
    assert count == 1
    assert all(body not in redacted for body in KEY_BODY)
    assert len(lines(redacted)) == len(lines(text))
    assert lines(redacted)[-1] == "b = 1"


def test_bare_word_is_a_password_in_settings_only() -> None:
    """``password: turnipsoup`` is a value in YAML and a label, a type or a variable elsewhere."""
    line = "spring.datasource.password=turnipsoup\npassword: turnipsoup\n"
    assert redact(line, kind="data")[1] == 2
    assert redact(line, kind="code")[1] == redact(line, kind="prose")[1] == 0


def test_variable_is_no_password_in_code() -> None:
    """The last argument of a call stands alone on its line too."""
    assert redact("    password=password1\n", kind="code")[1] == 0


def test_private_key_inside_json_is_replaced() -> None:
    """A service account file holds its key in one line."""
    text = '{"type": "service_account", "private_key": "' + PEM.replace("\n", "\\n") + '\\n"}'
    redacted, count = redact(text)
    assert count == 1
    assert KEY_BODY[0] not in redacted
    assert redacted.startswith('{"type": "service_account", "private_key": "[redacted private-key]')


def test_private_key_without_an_end_is_replaced() -> None:
    """A block that was cut off is a key all the same; the prose after it stays."""
    redacted, count = redact(PEM.split("-----END", maxsplit=1)[0] + "and so on, with words.\n")
    assert count == 1
    assert all(body not in redacted for body in KEY_BODY)
    assert "and so on, with words." in redacted


def test_public_certificate_is_untouched() -> None:
    """What is public is text."""
    text = PEM.replace("RSA PRIVATE KEY", "CERTIFICATE")
    assert redact(text) == (text, 0)


def test_allowed_secret_is_kept() -> None:
    """The user's exceptions hold."""
    line, secret = PLANTED[3]
    assert redact(line.format(secret), allowed=[secret]) == (line.format(secret), 0)


def test_redacted_text_holds_no_further_secret() -> None:
    """Doing it twice changes nothing."""
    text = "\n".join(line.format(secret) for line, secret in PLANTED) + "\n" + PEM
    once, count = redact(text)
    assert count == len(PLANTED) + 1
    assert redact(once) == (once, 0)


def test_text_beyond_ascii_keeps_its_place() -> None:
    """Offsets are those of characters, not of bytes."""
    line, secret = PLANTED[3]
    assert (
        redact(f"größer 検索 {line.format(secret)} ü")[0] == "größer 検索 export GITHUB_TOKEN=[redacted github-token] ü"
    )


def test_anchors_move_with_the_text() -> None:
    """A page still begins with its first character."""
    line, secret = PLANTED[3]
    text = f"one {line.format(secret)}\ntwo"
    document = Extracted(text, "prose", "pdf", anchors=(Anchor(0, "page 1"), Anchor(text.index("two"), "page 2")))
    redacted, count = redact_document(document)
    assert count == 1
    assert [redacted.text[a.offset :][:3] for a in redacted.anchors] == ["one", "two"]


def test_title_is_redacted_too() -> None:
    """A mail's subject can hold a secret."""
    line, secret = PLANTED[3]
    redacted, count = redact_document(Extracted("text", "prose", "email", title=line.format(secret)))
    assert count == 1
    assert secret not in redacted.title


@given(
    st.lists(
        st.sampled_from(
            [
                "password",
                "=",
                ":",
                '"',
                "'",
                " ",
                "\n",
                "\r",
                "ghp_",
                "A1b2",
                "://",
                "@",
                "é",
                "-----BEGIN ",
                "KEY-----",
            ]
        ),
        max_size=80,
    )
)
def test_any_text_keeps_its_number_of_lines(pieces: list[str]) -> None:
    """Whatever is replaced, no line end is."""
    text = "".join(pieces)
    assert len(lines(redact(text)[0])) == len(lines(text))


@pytest.mark.parametrize(
    "unit", ["password=", "-----BEGIN PRIVATE KEY-----\n", "a://b:", "eyJ", "ghp_", "token: '", "Authorization: Basic "]
)
def test_hostile_repetition_is_linear(unit: str) -> None:
    """Beginnings without an end are done within the test's own limit."""
    redact(unit * (250_000 // len(unit)))
