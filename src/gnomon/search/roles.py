"""What part a file plays, read off its path: implementation, test, example, generated, vendored, stub, barrel."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

Role = Literal["test", "example", "vendored", "generated", "stub", "barrel", "legacy"]


def _folders(names: str) -> str:
    """Expression for a path with one of these folders in it."""
    return rf"(?:^|/)(?:{names})/"


def _files(names: str) -> str:
    """Expression for a path whose file name is one of these."""
    return rf"(?:^|/)(?:{names})$"


_FOLDERS_AND_FILES: Final[dict[Role, tuple[str, str]]] = {
    "test": (
        (
            r"tests?|specs?|__tests__|testing|testdata|test[-_](?:utils?|data|fixtures|support)|fixtures|__?mocks__?|mocks"
            r"|[\w.]*\.Tests?|\w*[a-z]Tests?"
        ),
        (
            r"test_[^/]*|[^/]*_(?:test|spec)\.\w+|[^/]*[.-](?:test|spec|e2e)\.\w+|conftest\.py"
            r"|(?:[A-Z]\w*)?(?:Tests?|Spec|TestCase|TestBase|Fixture|Mock)\.\w+"
        ),
    ),
    "example": (
        r"examples?|samples?|demos?|tutorials?|snippets|docs?_src|bench(?:es|marks?)?",
        r"[^/]*[-_.]bench(?:mark)?s?\.\w+",
    ),
    "vendored": (r"_?vendor(?:ed)?|third[-_]?party|node_modules|bower_components|external|deps", r"(?!)"),
    "generated": (
        r"generated|gen|autogen|__generated__",
        (
            r"[^/]*\.min\.\w+|[^/]*[._-](?:pb|pb2|pb2_grpc|g|gen|generated|designer)\.\w+|zz_generated[^/]*"
            r"|package-lock\.json|[^/]*\.(?:lock|map|snap)|go\.sum"
        ),
    ),
    "stub": (r"(?!)", r"[^/]*\.d\.[cm]?ts|[^/]*\.pyi"),
    "barrel": (r"(?!)", r"__init__\.py|index\.[cm]?[jt]sx?|mod\.rs|lib\.rs|init\.lua|doc\.go|package-info\.java"),
    "legacy": (r"legacy|deprecated|compat|old", r"(?!)"),
}
_PATTERNS: Final = tuple(
    (role, re.compile(_folders(folders) + "|" + _files(files))) for role, (folders, files) in _FOLDERS_AND_FILES.items()
)
_ASKED_BY: Final[dict[Role, str]] = {
    "test": "test tests testing tested spec specs fixture fixtures mock mocks mocking conftest",
    "example": "example examples sample samples demo tutorial benchmark benchmarks bench snippet",
    "vendored": "vendor vendored third-party",
    "generated": "generated lockfile lock",
    "stub": "stub stubs typing types declaration declarations",
    "barrel": "init index exports exported reexport barrel package",
    "legacy": "legacy deprecated compat compatibility old",
}
# Words of a question that ask for a role; such files are then as good as others.
ASKED_BY: Final = {role: frozenset(words.split()) for role, words in _ASKED_BY.items()}


@lru_cache(maxsize=65_536)
def roles_of(path: str) -> tuple[Role, ...]:
    """Roles of a file by its relative path, in a fixed order; none for plain implementation and prose."""
    return tuple(role for role, pattern in _PATTERNS if pattern.search(path))
