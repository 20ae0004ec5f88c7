"""Secrets are replaced inside their lines; what only speaks of secrets stays findable."""

from __future__ import annotations

import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.extract.secrets import redact, redact_document
from gnomon.lines import lines
from gnomon.values import Anchor, Extracted

# Drawn by lot from a fixed seed: nothing here ever opened a door, and no scanner need be told so.
_LOT = random.Random(20260115)
_WORD = string.ascii_letters + string.digits


def _draw(count: int, alphabet: str = _WORD) -> str:
    return "".join(_LOT.choice(alphabet) for _ in range(count))


_HEX = "0123456789abcdef"
_UPPER = string.ascii_uppercase + "234567"
_KEY_BODY = [_draw(64, _WORD + "+/") for _ in range(4)]
_PEM = "-----BEGIN RSA " + "PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----".format("\n".join(_KEY_BODY))

# (line with {} where the secret stands, the secret)
PLANTED = [
    ("aws_access_key_id = {}", "AKIA" + _draw(16, _UPPER)),
    ("aws_secret_access_key = {}", _draw(40, _WORD + "+/")),
    ("AWS_SECRET_ACCESS_KEY={}", _draw(40, _WORD + "+/")),
    ("export GITHUB_TOKEN={}", "ghp_" + _draw(36)),
    ("the token is {}, do not share it", "github_pat_" + _draw(22) + "_" + _draw(59)),
    ("GITLAB={}", "glpat-" + _draw(20)),
    ('slack_token: "{}"', "xoxb-" + _draw(12, string.digits) + "-" + _draw(12, string.digits) + "-" + _draw(24)),
    ("https://hooks.slack.com/services/{}", "T" + _draw(8, _UPPER) + "/B" + _draw(8, _UPPER) + "/" + _draw(24)),
    ("stripe.api_key = '{}'", "sk_live_" + _draw(24)),
    ("GOOGLE_API_KEY: {}", "AIza" + _draw(35)),
    ("//registry.npmjs.org/:_authToken={}", "npm_" + _draw(36)),
    ("password = {}", "pypi-AgEIcHlwaS5vcmc" + _draw(60)),
    ("OPENAI_API_KEY={}", "sk-proj-" + _draw(48)),
    ("ANTHROPIC_API_KEY={}", "sk-ant-api03-" + _draw(60)),
    ("HF_TOKEN={}", "hf_" + _draw(34)),
    ("SENDGRID={}", "SG." + _draw(22) + "." + _draw(43)),
    ("twilio = {}", "SK" + _draw(32, _HEX)),
    ("bot: {}", _draw(9, "123456789") + ":AA" + _draw(33)),
    ("Authorization: Bearer {}", "ey" + _draw(20) + ".ey" + _draw(60) + "." + _draw(43)),
    ("cookie session={}; path=/", "eyJ" + _draw(18) + ".eyJ" + _draw(60) + "." + _draw(43)),
    ("Authorization: Basic {}", _draw(27) + "="),
    ('password = "{}"', "Tr0ub4dor&3x"),
    ('db_password: "{}"', "kV9#mP2$wQ"),
    ('"clientSecret": "{}",', _draw(32)),
    ("DB_PASSWORD={}", "h7Gq2Lx0z"),
    ("  password: {}", "s3cr3tP4ss"),
    ("postgres://admin:{}@db.example.com:5432/app", "p9Xk2vQ7"),
    ("mongodb+srv://app:{}@cluster0.mongodb.net/db", "Zx81-Qw02"),
    ("Server=db;Database=app;User Id=sa;Password={};Encrypt=True", "Vb5!nM8k"),
    ("DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};", _draw(86, _WORD + "+/") + "=="),
    ("<password>{}</password>", "Gh5kLm92"),
    ('curl -u deploy:{} "https://ci.example.com"', "Yt6rEw21"),
    ('const string ApiKey = "{}";', _draw(40, _HEX)),
    ("password := `{}`", "qW3rTy!9"),
    ("MYSQL_PASSWORD={}", "letmeinplease"),
    ("host=db user=app password={} dbname=x", "Lk83jd02"),
    ("GET /v1/items?access_token={}&page=2", _draw(32, _HEX)),
    ("define('DB_PASSWORD', '{}');", "Hg72Lq91"),
    ("PGPASSWORD={} psql -h db", "Jd93Ks01"),
    ("mysql -u root -p{} shop", "Wq81Zx55"),
    ("client_secret = '{}'", "Zx9~8aBcDeFgHiJkLmNoP"),
    ("SECRET_KEY = '{}'", "django-insecure-8f#k2$m9@x7v"),
]

DECOYS = [
    "Version=1.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089",
    "connect(user=user, password=password1)",
    "fields = ['username', 'password', 'token']",
    "?token=next&page=2",
    "git log --pretty=oneline",
    "mysql -u root -p shop",
    "Choose a password of at least twelve characters.",
    "The password: it must never be written down.",
    "Password: required",
    "password = get_password()",
    "password = os.environ['DB_PASSWORD']",
    "password: str",
    "password: Optional[str] = None",
    'password = "changeme"',
    'password = "<your-password>"',
    'password = "${DB_PASSWORD}"',
    "DB_PASSWORD=${DB_PASSWORD:?unset}",
    'token = "xxxxxxxxxxxxxxxxxxxx"',
    'api_key = "YOUR_API_KEY"',
    "api_key: <api-key-here>",
    '"password": "Passwort",',
    '"password": "Enter your password",',
    'PASSWORD_FIELD = "user_password_input"',
    'token_url = "https://example.com/oauth/token"',
    'secret_name = "prod/database/credentials"',
    'header = "X-Api-Key"',
    '<input type="password" name="password">',
    "def reset_password(user: User, token: str) -> bool:",
    "if (password !== confirmPassword) {",
    "secret: kubernetes.io/service-account-token",
    "https://user@example.com/path:with:colons",
    "postgres://user:password@localhost/db",
    "postgresql://${USER}:${PASSWORD}@localhost/db",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256 = e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "id: 123e4567-e89b-12d3-a456-426614174000",
    "if '-----BEGIN PRIVATE KEY-----' in text: raise ValueError('-----END PRIVATE KEY-----')",
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 user@host",
    "token = self.tokens[index]",
    "tokens: list[str] = []",
    "sort_key = lambda row: row.name",
    'primary_key="customer_identifier"',
    'key = "background-color"',
    "Bearer tokens are sent in the Authorization header.",
    "sk-fading-circle sk-circle-fade-dot",
    'SECRET_KEY = env("SECRET_KEY")',
    "password: ********",
    "set password = null",
    'errors.password = "is too short"',
    'type Password = string; let passwordLength = "minimum"',
]


@pytest.mark.parametrize(("line", "secret"), PLANTED, ids=[line[:32] for line, _ in PLANTED])
def test_planted_secret_is_replaced_in_its_line(line: str, secret: str) -> None:
    """The secret goes, the text around it stays."""
    text = f"before\n{line.format(secret)}\r\nafter\n"
    redacted, count = redact(text)
    assert secret not in redacted
    assert count == 1
    head, tail = line.split("{}")
    assert lines(redacted)[1].startswith(head + "[redacted ")
    assert lines(redacted)[1].endswith("]" + tail)


@pytest.mark.parametrize("line", DECOYS)
def test_decoy_is_untouched(line: str) -> None:
    """Prose, code, placeholders, labels, digests and public keys are text like any other."""
    assert redact(f"{line}\n") == (f"{line}\n", 0)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_private_key_goes_and_its_lines_stay(newline: str) -> None:
    """A PEM block is emptied; what follows keeps its line number."""
    text = f"a\n{_PEM}\nb = 1\n".replace("\n", newline)
    redacted, count = redact(text)
    assert count == 1
    assert all(body not in redacted for body in _KEY_BODY)
    assert len(lines(redacted)) == len(lines(text))
    assert lines(redacted)[-1] == "b = 1"


def test_private_key_inside_json_is_replaced() -> None:
    """A service account file holds its key in one line."""
    text = '{"type": "service_account", "private_key": "' + _PEM.replace("\n", "\\n") + '\\n"}'
    redacted, count = redact(text)
    assert count == 1
    assert _KEY_BODY[0] not in redacted
    assert redacted.startswith('{"type": "service_account", "private_key": "[redacted private-key]')


def test_private_key_without_an_end_is_replaced() -> None:
    """A block that was cut off is a key all the same; the prose after it stays."""
    redacted, count = redact(_PEM.split("-----END", maxsplit=1)[0] + "and so on, with words.\n")
    assert count == 1
    assert all(body not in redacted for body in _KEY_BODY)
    assert "and so on, with words." in redacted


def test_public_certificate_is_untouched() -> None:
    """What is public is text."""
    text = _PEM.replace("RSA PRIVATE KEY", "CERTIFICATE")
    assert redact(text) == (text, 0)


def test_allowed_secret_is_kept() -> None:
    """The user's exceptions hold."""
    line, secret = PLANTED[3]
    assert redact(line.format(secret), allowed=[secret]) == (line.format(secret), 0)


def test_redacted_text_holds_no_further_secret() -> None:
    """Doing it twice changes nothing."""
    text = "\n".join(line.format(secret) for line, secret in PLANTED) + "\n" + _PEM
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
