"""What part a file plays, read off its path: implementation, or something beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Final, Literal

from gnomon.search.names import NAMELESS

Role = Literal["test", "example", "vendored", "generated", "declarations", "package file", "changelog"]


_NONE: Final = r"(?!)"
_FOLDERS_AND_FILES: Final[dict[Role, tuple[str, str]]] = {
    "test": (
        (
            r"tests?|specs?|__tests__|testing|testdata|test[-_](?:utils?|data|fixtures|support)|fixtures|__?mocks__?|mocks"
            r"|[\w.]*\.Tests?|\w*[a-z]Tests?"
        ),
        (
            r"test_[^/]*\.(?:py|rb)|[^/]*_(?:test|spec)\.\w+|[^/]*[.-](?:test|spec|e2e)(?:-d)?\.\w+|conftest\.py"
            r"|(?:[A-Z]\w*)?(?:Tests?|Spec|TestCase|TestBase|Fixture|Mock)\.\w+"
        ),
    ),
    "example": (
        r"_?examples?|samples?|demos?|tutorials?|snippets|docs?_src|bench(?:es|marks?)?",
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
    "changelog": (
        _NONE,
        r"(?i:changes|change[-_]?log|history|releases?|release[-_]?notes|news|what[-_]?s[-_]?new)(?:\.\w+)?",
    ),
}
_PATTERNS: Final = tuple(
    (role, re.compile(folders), re.compile(files)) for role, (folders, files) in _FOLDERS_AND_FILES.items()
)
_ASKED_BY: Final[dict[Role, str]] = {
    "test": "test tests testing tested spec specs fixture fixtures mock mocks mocking conftest",
    "example": "example examples sample samples demo tutorial benchmark benchmarks bench snippet",
    "vendored": "vendor vendored third-party",
    "generated": "generated lockfile lock",
    "declarations": "stub stubs typing declaration declarations header headers",
    "package file": "init index exports exported reexport barrel package",
    "changelog": "changelog changes release releases released history news version versions",
}
# Words of a question that ask for a role; such files are then as good as others.
ASKED_BY: Final = {role: frozenset(words.split()) for role, words in _ASKED_BY.items()}

_VERSIONED: Final = re.compile(r"(?P<before>.*?)(?:^|(?<=/))v(?P<version>\d{1,6})/(?P<after>.+)")
# Files that their authors do not offer to others: by a leading underscore, or by the folder.
_PRIVATE: Final = re.compile(r"(?:^|/)(?:_[^_]|internals?/)")
_SYSTEM: Final = re.compile(
    r"(?:^|(?<=[/_.-]))(?:(?P<windows>win(?:dows|32|64)?)|unix|posix|linux|darwin|macos|osx|bsd)(?=/|\.\w+$)"
)
_ASKS_FOR_WINDOWS: Final = frozenset({"windows", "win32", "win64"})
# What variants share: their path before and after a folder, and the part they play.
_Shared = tuple[str, str, tuple[Role, ...]]
# The folders nearest to a file that its variants may differ in: the pieces of a path grow with their square.
_FOLDERS_LEFT_OUT: Final = 16
_REMEMBERED: Final = 16_384


@lru_cache(maxsize=_REMEMBERED)
def roles_of(path: str) -> tuple[Role, ...]:
    """Roles of a file by its relative path, in a fixed order; none for plain implementation and prose."""
    folders, _, name = path.rpartition("/")
    by_folder = _roles_of_folders(folders)
    return tuple([role for role, _, file in _PATTERNS if role in by_folder or file.fullmatch(name)])


@lru_cache(maxsize=_REMEMBERED)
def _roles_of_folders(folders: str) -> frozenset[Role]:
    """Roles of all that lies below some folder of a path."""
    names = folders.split("/")
    return frozenset([role for role, folder, _ in _PATTERNS if any(map(folder.fullmatch, names))])


@lru_cache(maxsize=_REMEMBERED)
def is_private(path: str) -> bool:
    """Whether a path says that what is in it is not for use from outside.

    >>> [is_private(path) for path in ("pkg/_impl.py", "pkg/internal/a.go", "pkg/__init__.py")]
    [True, True, False]
    """
    return _PRIVATE.search(path) is not None


def other_versions(paths: Collection[str], asked: Collection[str] = ()) -> frozenset[str]:
    """Paths of versions that are not the one meant.

    Where a version is asked for by name, those in a folder of another version beside it. Else the older ones:
    ``api/v1/x.py`` where some path is below ``api/v2/``, and where ``api/x.py`` itself is among the paths, a first
    version kept for compatibility. ``v2`` beside unversioned files may be the newer one, as in Go.

    Args:
        paths: Relative paths.
        asked: Words such as ``v1``.

    >>> sorted(other_versions(["lib/v3/a.ts", "lib/v4/b.ts", "m/v1/f.py", "m/f.py"]))
    ['lib/v3/a.ts', 'm/v1/f.py']
    >>> sorted(other_versions(["lib/v3/a.ts", "lib/v4/b.ts"], asked=["v3"]))
    ['lib/v4/b.ts']
    """
    found = [(path, match) for path in paths if (match := _versioned(path))]
    if not found:
        return frozenset()
    versions: dict[str, set[int]] = {}
    for _, match in found:
        versions.setdefault(match["before"], set()).add(int(match["version"]))
    meant = {int(word[1:]) for word in asked}
    others = set()
    for path, match in found:
        beside, version = versions[match["before"]], int(match["version"])
        if wanted := beside & meant:
            is_other = version not in wanted
        else:
            is_other = version < max(beside) or (version <= 1 and match["before"] + match["after"] in paths)
        if is_other:
            others.add(path)
    return frozenset(others)


def other_folders(paths: Collection[str], is_asked: Callable[[str], bool]) -> frozenset[str]:
    """Paths of files that have a namesake in a folder that is asked for, where theirs is not.

    Args:
        paths: Relative paths.
        is_asked: Whether the name of one folder is.

    >>> sorted(other_folders(["core/a.ts", "mini/a.ts", "core/b.ts"], lambda folder: folder == "mini"))
    ['core/a.ts']
    """
    namesakes: dict[str, list[str]] = {}
    for path in paths:
        namesakes.setdefault(path.rpartition("/")[2], []).append(path)
    others: set[str] = set()
    for alike in namesakes.values():
        if len(alike) > 1:
            folders = {path: frozenset(path.split("/")[:-1]) for path in alike}
            shared = frozenset.intersection(*folders.values())
            meant = {path for path in alike if any(map(is_asked, folders[path] - shared))}
            if meant:
                others |= folders.keys() - meant
    return frozenset(others)


def other_systems(paths: Collection[str], asked: Collection[str] = ()) -> frozenset[str]:
    """Paths of files for Windows that have a namesake for Unix among the paths; the reverse where Windows is asked for.

    Args:
        paths: Relative paths.
        asked: Lower-case words of the question.

    >>> sorted(other_systems(["src/win/tcp.c", "src/unix/tcp.c", "src/win/iocp.c"]))
    ['src/win/tcp.c']
    """
    found = [(path, *system) for path in paths if (system := _system(path))]
    for_windows = {name for _, name, is_windows in found if is_windows}
    for_unix = {name for _, name, is_windows in found if not is_windows}
    variants = for_windows & for_unix
    wants_windows = not _ASKS_FOR_WINDOWS.isdisjoint(asked)
    return frozenset(path for path, name, is_windows in found if name in variants and is_windows != wants_windows)


def behind_variants(scores: Mapping[str, float]) -> frozenset[str]:
    """Paths that a better one differs from in the name of one folder: it is another flavour of the same thing.

    Files that are named after their folder are no variants by that folder, and a test is none of what it tests.

    Args:
        scores: By relative path; higher is better.

    >>> sorted(behind_variants({"core/a.ts": 2, "mini/a.ts": 1, "x/core/a.ts": 1, "b/index.ts": 2, "c/index.ts": 1}))
    ['mini/a.ts']
    """
    namesakes: dict[str, list[str]] = {}
    for path in scores:
        namesakes.setdefault(path.rpartition("/")[2], []).append(path)
    behind = set()
    for alike in namesakes.values():
        if len(alike) > 1:
            seen: set[_Shared] = set()
            for path in sorted(alike, key=lambda each: (-scores[each], each)):
                shared = _without_a_folder(path)
                if not seen.isdisjoint(shared):
                    behind.add(path)
                seen.update(shared)
    return frozenset(behind)


@lru_cache(maxsize=_REMEMBERED)
def _without_a_folder(path: str) -> frozenset[_Shared]:
    """What a path shares with its variants, for each folder in which they may differ."""
    *folders, file = path.split("/")
    names = len(folders) - (file.split(".", 1)[0] in NAMELESS)
    roles = roles_of(path)
    return frozenset(
        ("/".join(folders[:at]), "/".join((*folders[at + 1 :], file)), roles)
        for at in range(max(0, names - _FOLDERS_LEFT_OUT), names)
    )


@lru_cache(maxsize=_REMEMBERED)
def _system(path: str) -> tuple[str, bool] | None:
    """A path without the name of the operating system it is for, and whether that is Windows."""
    match = _SYSTEM.search(path)
    return (path[: match.start()] + path[match.end() :], match["windows"] is not None) if match else None


@lru_cache(maxsize=_REMEMBERED)
def _versioned(path: str) -> re.Match[str] | None:
    return _VERSIONED.fullmatch(path) if path.startswith("v") or "/v" in path else None
