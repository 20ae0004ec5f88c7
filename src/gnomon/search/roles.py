"""What part a file plays, read off its path: implementation, or something beside it."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Final, Literal

Role = Literal["test", "example", "vendored", "generated", "declarations", "package file"]


def _folders(names: str) -> str:
    """Expression for a path with one of these folders in it."""
    return rf"(?:^|/)(?:{names})/"


def _files(names: str) -> str:
    """Expression for a path whose file name is one of these."""
    return rf"(?:^|/)(?:{names})$"


_NONE: Final = r"(?!)"
_FOLDERS_AND_FILES: Final[dict[Role, tuple[str, str]]] = {
    "test": (
        (
            r"tests?|specs?|__tests__|testing|testdata|test[-_](?:utils?|data|fixtures|support)|fixtures|__?mocks__?|mocks"
            r"|[\w.]*\.Tests?|\w*[a-z]Tests?"
        ),
        (
            r"test_[^/]*\.(?:py|rb)|[^/]*_(?:test|spec)\.\w+|[^/]*[.-](?:test|spec|e2e)\.\w+|conftest\.py"
            r"|(?:[A-Z]\w*)?(?:Tests?|Spec|TestCase|TestBase|Fixture|Mock)\.\w+"
        ),
    ),
    "example": (
        r"examples?|samples?|demos?|tutorials?|snippets|docs?_src|bench(?:es|marks?)?",
        r"[^/]*[-_.]bench(?:mark)?s?\.\w+",
    ),
    "vendored": (r"_?vendor(?:ed)?|third[-_]?party|node_modules|bower_components|external|deps", _NONE),
    "generated": (
        r"generated|gen|autogen|__generated__",
        (
            r"[^/]*\.min\.\w+|[^/]*[._-](?:pb|pb2|pb2_grpc|g|gen|generated|designer)\.\w+|zz_generated[^/]*"
            r"|package-lock\.json|[^/]*\.(?:lock|map|snap)|go\.sum"
        ),
    ),
    "declarations": (_NONE, r"[^/]*\.d\.[cm]?ts|[^/]*\.pyi|[^/]*\.(?:h|hh|hpp|hxx)"),
    "package file": (_NONE, r"__init__\.py|index\.[cm]?[jt]sx?|package-info\.java|doc\.go"),
}
_PATTERNS: Final = tuple(
    (role, re.compile(_folders(folders) + "|" + _files(files))) for role, (folders, files) in _FOLDERS_AND_FILES.items()
)
_ASKED_BY: Final[dict[Role, str]] = {
    "test": "test tests testing tested spec specs fixture fixtures mock mocks mocking conftest",
    "example": "example examples sample samples demo tutorial benchmark benchmarks bench snippet",
    "vendored": "vendor vendored third-party",
    "generated": "generated lockfile lock",
    "declarations": "stub stubs typing declaration declarations header headers",
    "package file": "init index exports exported reexport barrel package",
}
# Words of a question that ask for a role; such files are then as good as others.
ASKED_BY: Final = {role: frozenset(words.split()) for role, words in _ASKED_BY.items()}

_VERSIONED: Final = re.compile(r"(?P<before>.*?)(?:^|(?<=/))v(?P<version>\d+)/(?P<after>.+)")


@lru_cache(maxsize=65_536)
def roles_of(path: str) -> tuple[Role, ...]:
    """Roles of a file by its relative path, in a fixed order; none for plain implementation and prose."""
    return tuple(role for role, pattern in _PATTERNS if pattern.search(path))


def older_versions(paths: Collection[str]) -> frozenset[str]:
    """Paths in a version folder that a newer one stands beside.

    ``api/v1/x.py`` is older where some path is below ``api/v2/``, and where ``api/x.py`` itself is among the paths: a
    first version kept for compatibility. ``v2`` beside unversioned files may be the newer one, as in Go.

    >>> sorted(older_versions(["lib/v3/a.ts", "lib/v4/b.ts", "m/v1/f.py", "m/f.py"]))
    ['lib/v3/a.ts', 'm/v1/f.py']
    """
    found = [(path, match) for path in paths if (match := _VERSIONED.fullmatch(path))]
    newest: dict[str, int] = {}
    for _, match in found:
        newest[match["before"]] = max(newest.get(match["before"], 0), int(match["version"]))
    return frozenset(
        path
        for path, match in found
        if int(match["version"]) < newest[match["before"]]
        or (int(match["version"]) <= 1 and match["before"] + match["after"] in paths)
    )
