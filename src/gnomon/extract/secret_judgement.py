"""Whether a value looks like a secret, or like a placeholder, code, a label or a word."""

from __future__ import annotations

import base64
import math
import re
from collections import Counter
from typing import NamedTuple


class Finding(NamedTuple):
    """Half-open range of bytes that holds a secret, and the kind it is."""

    start: int
    end: int
    name: str


_PLACEHOLDER_START = (
    b"<",
    b"${",
    b"$(",
    b"{{",
    b"{%",
    b"%(",
    b"%{",
    b"%%",
    b"#{",
    b"@@",
    b"[",
    b"...",
    b"\xe2\x80\xa6",
)
_PLACEHOLDER_PART = re.compile(
    rb"changeme|change[_-]me|change[_-]?this|your[_-]|[_-]your|^your|my[_-]?(?:secret|token|password|key|pass)|placeholder"
    rb"|dummy|redacted|replace[_-]?|insert[_-]|todo|fixme|-here|_here|goes[_-]|lorem|foobar"
    rb"|not[_-]?(?:a[_-])?(?:real|secret|set|used)|^example|[_-]example|example[_-]|^fake|^sample|^test$|^mock",
    re.IGNORECASE,
)
# "xxxx", "0000", "****": blanks to be filled in, where they are a good part of it; keys have such runs by chance.
_BLANKS = re.compile(rb"(?:x|\*|\.|-|_|0|\?|#){4,}", re.IGNORECASE)
_BLANK_SHARE = 0.3
_CODE = re.compile(
    rb"^(?:[A-Za-z_][\w.]*\(|(?:process\.env|os\.environ|import\.meta|System\.getenv|ENV|env|vars|secrets|var|local"
    rb"|config|settings|data|self|this|args|opts|options|params|props|request|req|ctx|kwargs)[.\[:(]"
    rb"|env:|vault:|secret:|ssm:|arn:|op://|sops:|ENC\[|!|@|&\w+$|\$[A-Za-z_{]|%[A-Za-z_]+%$|/[\w./-]+$|\./|~/|https?://)"
)
_NO_VALUE = frozenset(
    b"""
    none null nil undefined true false yes no on off string str text bytes int integer number bool boolean object
    any required optional hidden password passwd passphrase passcode pass pwd pw secret secrets token tokens apikey
    api_key api-key key keys access_token refresh_token id_token client_secret secret_key credential credentials
    username user admin root basic bearer digest oauth oauth2 jwt default empty void never unknown value write read
    postgres mysql guest disabled enabled prompt ask file plain plaintext sha256 md5 bcrypt example test char
    varchar field input auto github gitlab aws azure vault env inherit always private public hash hashed encrypted
    base64 hex header cookie session query body form
    """.split()
)
_HUMPS = re.compile(rb"[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])\d*|\d+")
_WORD = re.compile(rb"[A-Za-z]{3,14}\d{0,2}")
_LOGIN_PLACEHOLDERS = frozenset(b"password passwd pass pwd pw secret token user username".split())


def entropy(value: bytes) -> float:
    """Shannon entropy in bits per byte, in [0, 8]."""
    counts = Counter(value).values()
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts)


def is_placeholder(value: bytes) -> bool:
    """Whether a value stands for another: "<token>", "${VAR}", "changeme", "xxxx", or one character repeated."""
    if not value or value.startswith(_PLACEHOLDER_START) or len(set(value)) <= 2:
        return True
    if value.lower() in _LOGIN_PLACEHOLDERS or value.endswith((b"...", b"\xe2\x80\xa6")) or b"${" in value:
        return True
    if sum(len(run) for run in _BLANKS.findall(value)) >= _BLANK_SHARE * len(value):
        return True
    return b"EXAMPLE" not in value and _PLACEHOLDER_PART.search(value) is not None


# Types and codecs have a number behind a word too: "varchar255", "sha256".
_TYPE = re.compile(
    rb"(?:u?int|float|str|string|n?var|n?char|varchar|text|bytes?|utf|sha|md|base|bcrypt|argon|aes|rsa)\d+"
)
_WORD_AND_NUMBER = re.compile(rb"[a-z]{3,}\d+", re.IGNORECASE)


def is_password(value: bytes, *, quoted: bool, colon: bool, alone: bool = False) -> bool:
    """Whether the value of a name that ends in "password" is one.

    Args:
        value: Without its quotes.
        quoted: It stood in quotes, or is a literal by where it stands.
        colon: Assigned by ":", as labels and types are too.
        alone: Name and value are all of their line, as settings and notes have them and code seldom has.
    """
    if len(value) < 4 or value.lower() in _NO_VALUE or is_placeholder(value) or _CODE.search(value):
        return False
    if value.isalpha():
        # "Passwort", "required", "SecretStr": a lone word is a label or a type more often than a password.
        return quoted and not (colon and not value.islower()) and not value.istitle() and len(value) >= 6
    if not quoted and (not _has_mixture(value) or _TYPE.fullmatch(value.lower()) or _is_login_name(value)):
        return False
    if alone and _WORD_AND_NUMBER.fullmatch(value):
        return True
    return quoted or not _is_path_of_names(value)


def _is_login_name(value: bytes) -> bool:
    """Whether it is "password1" and the like: the name of a variable."""
    return value.lower().rstrip(b"0123456789") in _LOGIN_PLACEHOLDERS


def is_pass_phrase(value: bytes) -> bool:
    """Whether several words in quotes are a password: messages have no word of letters and digits."""
    return not is_placeholder(value) and any(
        _has_mixture(word) and not _TYPE.fullmatch(word.lower()) for word in value.split()
    )


def is_strong(value: bytes) -> bool:
    """Whether a value amid a sentence can only be a password: small letters, digits, and capitals or signs."""
    kinds = (re.search(kind, value) for kind in (rb"[a-z]", rb"[0-9]", rb"[A-Z]|[^\w.,:;-]"))
    return len(value) >= 8 and all(kinds) and is_password(value, quoted=False, colon=True)


def is_login(value: bytes) -> bool:
    """Whether it is "user:password" in base64, as HTTP and container registries have it."""
    try:
        user, colon, password = base64.b64decode(value, validate=True).partition(b":")
    except ValueError:
        return False
    return (
        bool(user and colon and password) and (user + password).isascii() and (user + password).decode().isprintable()
    )


def is_token(value: bytes, *, quoted: bool) -> bool:
    """Whether the value of a name that ends in "token", "secret" or "key" is one; it must look drawn by lot."""
    if len(value) < 12 or value.lower() in _NO_VALUE or is_placeholder(value) or _CODE.search(value):
        return False
    if not quoted and not _has_mixture(value):
        return False
    if _is_path_of_names(value) and not _is_hex(value):
        return False
    return entropy(value) >= (3.0 if _is_hex(value) else 3.2)


def _has_mixture(value: bytes) -> bool:
    return any(48 <= c <= 57 for c in value) and any(65 <= c <= 90 or 97 <= c <= 122 for c in value)


def _is_hex(value: bytes) -> bool:
    return re.fullmatch(rb"[0-9a-fA-F-]{16,}", value) is not None


def _is_path_of_names(value: bytes) -> bool:
    """Whether it is made of words as names, addresses and messages are: "app.auth-token", "X-Api-Key", "userInput"."""
    words = total = 0
    for part in filter(None, re.split(rb"[^A-Za-z0-9]+", value)):
        pieces = _HUMPS.findall(part)
        total += len(part)
        # Letters drawn by lot have humps too, but short ones.
        words += sum(len(p) for p in pieces if _WORD.fullmatch(p) and _speakable(p))
        words += len(part) if len(part) <= 2 and part.isalpha() else 0
    return words >= 0.8 * total


def _speakable(part: bytes) -> bool:
    """Words have vowels and few capitals; drawn letters often have neither."""
    letters = part.rstrip(b"0123456789")
    if len(letters) <= 3:
        return True
    vowels = sum(c in b"aeiouyAEIOUY" for c in letters)
    return vowels * 6 >= len(letters) and (letters.isupper() or sum(65 <= c <= 90 for c in letters) <= 1)
