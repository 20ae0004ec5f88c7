"""Secrets that are known by the name they are assigned to: code, JSON, YAML, INI, .env files and XML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from gnomon.extract.secret_judgement import Finding, is_password, is_token
from gnomon.extract.secret_rules import KEY_ENDINGS, LOGIN_ENDINGS, compiled

_NAME = rf"((?:{LOGIN_ENDINGS})|{KEY_ENDINGS})[0-9]?"
_TYPE = r"(?:[ \t]*:[ \t]*[\w.<>\[\]|]{1,40})?"
_QUOTE = r"\\?[\"'`]"
# name = "value", "name": "value", name: str = "value", name => "value"; group 1 name, 2 operator, 3 value.
_QUOTED = (
    rf"(?i){_NAME}(?:{_QUOTE})?\]?{_TYPE}[ \t]*(:=|=>|=|:)[ \t]*(?:[rbfu@$]{{1,2}})?{_QUOTE}([^\"'`\s\\]+)(?:{_QUOTE})"
)
# The whole line is the assignment, as in .env, INI and YAML files.
_BARE = (
    r"(?im)^[ \t]*(?:(?:export|set|env|arg|-e|-)[ \t]+)?[\w.\[\]-]{0,60}?"
    rf"{_NAME}\]?[ \t]*(=|:)[ \t]*([^\s\"'`#;,(){{}}\[\]<>]+)[ \t]*(?:$|\r|[#;])"
)
_ELEMENT = rf"(?i)<[\w:.-]{{0,40}}?{_NAME}(>)([^<>\s]+)</"
_KEY_VALUE = rf"(?i)(?:key|name)=[\"'][\w.:-]{{0,40}}?{_NAME}[\"'][ \t]+(value=)[\"']([^\"'<>\s]+)[\"']"
# name=value amid other text: connection strings by key, queries of addresses, variables before a command.
_INLINE = rf"(?im)(?:^|[\s?&;\"'`{{|])[\w.-]{{0,40}}?{_NAME}(=)([^\s\"'`#;,(){{}}\[\]<>&$|]{{4,}})(?:[\s\"'`&;|]|$)"
# ("name", "value"): definitions, headers and pairs.
_PAIR = rf"(?i)[\"'][\w.:-]{{0,40}}?{_NAME}[\"'](,)[ \t]*[\"']([^\"'\s\\]+)[\"']"
_IS_PASSWORD_NAME = re.compile(rf"(?:{LOGIN_ENDINGS})$".encode("latin-1"), re.IGNORECASE)


class _Form(NamedTuple):
    quoted: bool
    pattern: Any


@cache
def _forms() -> tuple[_Form, ...]:
    return (
        _Form(quoted=True, pattern=compiled(_QUOTED)),
        _Form(quoted=False, pattern=compiled(_BARE)),
        _Form(quoted=True, pattern=compiled(_ELEMENT)),
        _Form(quoted=True, pattern=compiled(_KEY_VALUE)),
        _Form(quoted=False, pattern=compiled(_INLINE)),
        _Form(quoted=False, pattern=compiled(_PAIR)),
    )


def assigned_secrets(data: bytes) -> Iterator[Finding]:
    """Values assigned to names of secrets, where the value looks like one.

    Args:
        data: UTF-8.
    """
    for quoted, pattern in _forms():
        for match in pattern.finditer(data):
            name, operator, value = match.group(1), match.group(2), match.group(3)
            start, end = match.span(3)
            if data[match.start(1) - 9 : match.start(1)].lower() == b"publickey":
                continue  # the mark of a .NET assembly is public, as it says
            if _IS_PASSWORD_NAME.match(name):
                # DB_PASSWORD=letmein: a variable of the environment is a value whatever it looks like.
                literal = quoted or (name.isupper() and operator == b"=" and data[start - 1 : start] == b"=")
                if is_password(value, quoted=literal, colon=operator == b":"):
                    yield Finding(start, end, "password")
            elif is_token(value, quoted=quoted):
                yield Finding(start, end, "secret")
