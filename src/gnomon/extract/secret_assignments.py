"""Secrets that are known by the name they are assigned to: code, JSON, YAML, INI, .env files and XML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from gnomon.extract.secret_judgement import (
    Finding,
    is_pass_phrase,
    is_password,
    is_strong,
    is_token,
)
from gnomon.extract.secret_rules import KEY_ENDINGS, LOGIN_ENDINGS, compiled
from gnomon.values import Kind

# What every form of an assignment has in it.
ASSIGNED_NAMES = f"{LOGIN_ENDINGS}|{KEY_ENDINGS}"

_NAME = rf"((?:{LOGIN_ENDINGS})|{KEY_ENDINGS})[0-9]?"
_TYPE = r"(?:[ \t]*:[ \t]*[\w.<>\[\]|]{1,40})?"
_QUOTE = r"\\?[\"'`]"
# name = "value", "name": "value", name: str = "value", name => "value"; group 1 name, 2 operator, 3 value.
_QUOTED = (
    rf"(?i){_NAME}(?:{_QUOTE})?\]?{_TYPE}[ \t]*(:=|=>|=|:)[ \t]*(?:[rbfu@$]{{1,2}})?{_QUOTE}([^\"'`\s\\]+)(?:{_QUOTE})"
)
# The same with white space inside the value.
_PHRASE = (
    rf"(?i){_NAME}(?:{_QUOTE})?\]?{_TYPE}[ \t]*(:=|=>|=|:)[ \t]*{_QUOTE}([^\"'`\r\n\\]+[ \t][^\"'`\r\n\\]+)(?:{_QUOTE})"
)
_BARE_VALUE = r"([^\s\"'`#;,(){}\[\]<>]+)"
# The whole line is the assignment, as in .env, INI and YAML files, in comments and in lists of notes.
_BARE = (
    r"(?im)^[ \t]*(?:(?:export|set|env|arg|-e|[-*+>#;]|//|--)[ \t]*)?(?:\*\*|__|`)?[\w.\[\]-]{0,60}?"
    rf"{_NAME}\]?(?:\*\*|__|`)?[ \t]*(=|:)(?:\*\*|__)?[ \t]*`?{_BARE_VALUE}`?[ \t]*(?:$|\r|[#;])"
)
# ENV NAME value, as in images and web servers.
_SPACED = rf"(?im)^[ \t]*(?:env|arg|setenv)[ \t]+\w{{0,60}}?{_NAME}([ \t]+){_BARE_VALUE}[ \t]*(?:$|\r)"
_ELEMENT = rf"(?i)<[\w:.-]{{0,40}}?{_NAME}(>)([^<>\s]+)</"
_KEY_VALUE = rf"(?i)(?:key|name)=[\"'][\w.:-]{{0,40}}?{_NAME}[\"'][ \t]+(value=)[\"']([^\"'<>\s]+)[\"']"
# name=value amid other text: connection strings by key, queries of addresses, variables before a command.
_INLINE = rf"(?im)(?:^|[\s?&;\"'`{{|])[\w.-]{{0,40}}?{_NAME}(=)([^\s\"'`#;,(){{}}\[\]<>&$|]{{4,}})(?:[\s\"'`&;|]|$)"
# ("name", "value"): definitions, headers and pairs.
_PAIR = rf"(?i)[\"'][\w.:-]{{0,40}}?{_NAME}[\"'](,)[ \t]*[\"']([^\"'\s\\]+)[\"']"
# "Name: value" in one pair of quotes: a header on a command line.
_HEADER = rf"(?i)[\"'][\w-]{{0,40}}?{_NAME}(:)[ \t]*([^\"'\s\\]+)[\"']"
# | name | value |: a table of accounts.
_ROW = (
    r"(?im)^[ \t]*\|(?:[^|\r\n]{0,80}\|){0,4}?[ \t]*`?[\w.-]{0,40}?"
    rf"{_NAME}`?[ \t]*(\|)[ \t]*`?([^\s|`]+)`?[ \t]*\|"
)
# password: value, login with password `value`: amid a sentence.
_AMID = (
    r"(?i)\b(pass(?:word|phrase|wd)|passwort|kennwort)(?:\*\*|`)?(?:[ \t]?([:=])[ \t]?|[ \t])(?:\*\*|`)?"
    r"([^\s\"'`|,(){}\[\]<>]{8,})"
)
_IS_PASSWORD_NAME = re.compile(rf"(?:{LOGIN_ENDINGS})$".encode("latin-1"), re.IGNORECASE)


class _Form(NamedTuple):
    """How an assignment looks.

    Attributes:
        style: "quoted" and "bare" values; "line" where name and value are all of the line; "literal" where no value
            can be a name of something else; "phrase" with white space inside; "amid" a sentence.
        pattern: Group 1 name, 2 operator, 3 value.
    """

    style: str
    pattern: Any


@cache
def _forms() -> tuple[_Form, ...]:
    return (
        _Form("quoted", compiled(_QUOTED)),
        _Form("line", compiled(_BARE)),
        _Form("quoted", compiled(_ELEMENT)),
        _Form("quoted", compiled(_KEY_VALUE)),
        _Form("bare", compiled(_INLINE)),
        _Form("bare", compiled(_PAIR)),
        _Form("literal", compiled(_SPACED)),
        _Form("bare", compiled(_HEADER)),
        _Form("bare", compiled(_ROW)),
        _Form("phrase", compiled(_PHRASE)),
        _Form("amid", compiled(_AMID)),
    )


@cache
def _any_name() -> Any:
    return compiled(f"(?i){ASSIGNED_NAMES}")


def assigned_secrets(data: bytes, kind: Kind = "prose") -> Iterator[Finding]:
    """Values assigned to names of secrets, where the value looks like one.

    Args:
        data: UTF-8.
        kind: Of the document. In data a bare word is a value; in code it is the name of a variable.
    """
    if _any_name().search(data) is None:
        return  # as in most files: one pattern instead of eleven
    for style, pattern in _forms():
        for match in pattern.finditer(data):
            if data[match.start(1) - 9 : match.start(1)].lower() == b"publickey":
                continue  # the mark of a .NET assembly is public, as it says
            name, value = match.group(1), match.group(3)
            if name.lower() == b"pass" and data[match.end(1) : match.end(1) + 2] == b" :":
                continue  # "pass :data:`x`": the verb
            if _IS_PASSWORD_NAME.match(name):
                if _is_password(style, match, data, kind):
                    yield Finding(match.start(3), match.end(3), "password")
            elif style not in {"phrase", "amid"} and is_token(value, quoted=style in {"quoted", "literal"}):
                yield Finding(match.start(3), match.end(3), "secret")


def _is_password(style: str, match: Any, data: bytes, kind: Kind) -> bool:
    name, operator, value = match.group(1), match.group(2), match.group(3)
    if style == "phrase":
        return is_pass_phrase(value)
    if style == "amid":
        return is_strong(value)
    # DB_PASSWORD=letmein: a variable of the environment is a value whatever it looks like.
    adjacent = operator == b"=" and data[match.start(3) - 1 : match.start(3)] == b"="
    literal = style in {"quoted", "literal"} or (name.isupper() and (adjacent or operator == b":"))
    if style == "line" and kind == "data":
        literal = True
    alone = style == "line" and kind != "code" and (adjacent or operator == b":")
    return is_password(value, quoted=literal, colon=operator == b":", alone=alone)
