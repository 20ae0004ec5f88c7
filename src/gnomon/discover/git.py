"""Git, asked as a process: which files it tracks, which it ignores and by which rule.

A repository is untrusted: no shell, no optional locks, no file-system monitor, no hooks, no network, no pager, none
of the caller's ``GIT_DIR`` and the like (a hook sets them), and the work tree is the one we found, not the one that
its settings name.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gnomon.config import environment
from gnomon.discover.handles import read_regular

_PASSED_ON = (
    *("PATH", "HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "SYSTEMROOT", "TMPDIR", "XDG_CONFIG_HOME", "SUDO_UID"),
    *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"),
    *("GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"),
)
_FIXED = {
    "LC_ALL": "C",  # its messages are read below
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
}
# A .gitignore that is a named pipe would hold git for ever; a cold disk with a million files takes a minute.
TIMEOUT_SECONDS = 300
_NEVER_RUN = ("--no-pager", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_SMALL_BYTES = 65_536
_OUTSIDE = "fatal: not a git repository (or any"
_BARE = re.compile(rb"^\s*bare\s*(=\s*(true|yes|on|1)\s*)?$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Answer:
    """What git wrote, or why it could not.

    Attributes:
        output: Standard output; b"" where there is a problem.
        problem: One sentence; "" where git did its work.
        notices: Lines that git wrote to standard error although it did its work.
        outside: Git says that this is no work tree of its own.
    """

    output: bytes = b""
    problem: str = ""
    notices: tuple[str, ...] = ()
    outside: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a work tree below one folder, as git sees them; paths relative to that folder.

    Attributes:
        tracked: Files in git's index, on disk or not.
        untracked: Files that are neither tracked nor ignored.
        submodules: Entries that stand for another repository's commit.
        repositories: Folders with an untracked repository in them.
        answer: Of the process, for its problem and notices.
    """

    tracked: frozenset[str]
    untracked: frozenset[str]
    submodules: frozenset[str]
    repositories: frozenset[str]
    answer: Answer

    def is_empty(self) -> bool:
        """Whether git knows of nothing there."""
        return not (self.tracked or self.untracked or self.submodules or self.repositories)


def list_files(top: Path, root: Path, path: str = "") -> Listing:
    """Ask for tracked and untracked files that are not ignored.

    Args:
        top: Root of the work tree.
        root: The folder, ``top`` or below it.
        path: Only this path or what is below it; "" for all.
    """
    command = ["ls-files", "-z", "-t", "--stage", "--cached", "--others", "--exclude-standard"]
    answer = _ask(top, root, ["--literal-pathspecs", *command, "--", path] if path else command)
    tracked: set[str] = set()
    untracked: set[str] = set()
    submodules: set[str] = set()
    repositories: set[str] = set()
    for record in os.fsdecode(answer.output).split("\0"):
        if not record:
            continue
        if record.startswith("? "):
            name = record[2:]
            (repositories.add(name[:-1]) if name.endswith("/") else untracked.add(name))
        else:
            head, _, name = record.partition("\t")
            (submodules if head[2:8] == "160000" else tracked).add(name)
    return Listing(frozenset(tracked), frozenset(untracked), frozenset(submodules), frozenset(repositories), answer)


def list_ignored(top: Path, root: Path) -> list[str]:
    """Ask for what git ignores: files, and folders (with a slash at the end) that it ignores as a whole; sorted."""
    answer = _ask(top, root, ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"])
    whole = ""
    found = []
    for path in sorted(os.fsdecode(record) for record in answer.output.split(b"\0") if record):
        # Git also names the files of some folders that it has named as a whole.
        if whole and path.startswith(whole):
            continue
        whole = path if path.endswith("/") else ""
        found.append(path)
    return found


def ignoring_rule(top: Path, root: Path, path: str) -> tuple[str, bool]:
    """Ask which rule speaks of a path.

    Args:
        top: Root of the work tree.
        root: The folder.
        path: Relative to the folder; "." for the folder itself. (A dot goes before it: ":/x" means something to git.)

    Returns:
        The rule with file and line ("" where there is none), and whether it hides the path (else it re-includes it).
    """
    answer = _ask(top, root, ["check-ignore", "-v", "-z", "--stdin"], os.fsencode(f"./{path}") + b"\0", none_found=1)
    if answer.problem:
        return answer.problem, False
    fields = [os.fsdecode(field) for field in answer.output.split(b"\0")]
    if len(fields) < 4:
        return "", False
    source, line, pattern, _ = fields[:4]
    return f"line {line} of {source}: {pattern}", not pattern.startswith("!")


def _ask(top: Path, root: Path, command: Sequence[str], given: bytes = b"", *, none_found: int = 0) -> Answer:
    env = {name: value for name in _PASSED_ON if (value := environment(name))}
    env |= _FIXED | {"GIT_WORK_TREE": str(top)}
    try:
        done = subprocess.run(  # noqa: S603 - an argument array, no shell
            ["git", "-C", str(root), *_NEVER_RUN, *command],  # noqa: S607 - the user's own git
            input=given,
            capture_output=True,
            env=env,
            check=False,
            timeout=TIMEOUT_SECONDS,
        )
    except FileNotFoundError:
        return Answer(problem="git is not installed")
    except subprocess.TimeoutExpired:
        return Answer(problem=f"git did not finish in {top} within {TIMEOUT_SECONDS} s")
    except OSError as e:
        return Answer(problem=f"git cannot be started ({e.strerror})")
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode not in {0, none_found}:
        if said.startswith(_OUTSIDE):
            return Answer(outside=True)
        return Answer(problem=_problem(said, done.returncode, top))
    return Answer(output=done.stdout, notices=tuple(said.splitlines()))


def _problem(said: str, code: int, top: Path) -> str:
    if "dubious ownership" in said:
        return (
            f"git does not read {top} because it belongs to another user (if you trust it: "
            f"git config --global --add safe.directory '{top}')"
        )
    first = said.splitlines()[0] if said else f"exit code {code}"
    return f"git failed in {top} ({first.removeprefix('fatal: ')})"


def work_tree_above(root: Path) -> Path | None:
    """The nearest folder at or above ``root`` that is a git work tree, by looking; no process is started."""
    return next((place for place in (root, *root.parents) if is_work_tree(place)), None)


def is_work_tree(place: Path) -> bool:
    """Whether a folder holds a ``.git`` that has files beside it: not a bare repository, not an empty folder."""
    directory = git_directory(place)
    if directory is None:
        return False
    return directory != place / ".git" or not is_bare(directory)


def git_directory(place: Path) -> Path | None:
    """Where git keeps what it knows of the work tree at ``place``; None where that is none."""
    dot_git = place / ".git"
    if dot_git.is_dir():
        return dot_git if (dot_git / "HEAD").exists() and (dot_git / "objects").is_dir() else None
    pointer = _read_small(dot_git)
    return place / os.fsdecode(pointer[8:].rstrip(b"\r\n")) if pointer.startswith(b"gitdir: ") else None


def main_directory(directory: Path) -> Path:
    """The git directory that a linked work tree shares; the same directory for any other."""
    shared = os.fsdecode(_read_small(directory / "commondir").rstrip(b"\r\n"))
    return Path(os.path.normpath(directory / shared)) if shared else directory


def is_bare(directory: Path) -> bool:
    """Whether a git directory says that it has no work tree of its own."""
    return _BARE.search(_read_small(directory / "config")) is not None


def _read_small(file: Path) -> bytes:
    """The start of a regular file, b"" for anything else: a named pipe must not hold us."""
    try:
        return read_regular(file, _SMALL_BYTES, follow=True) or b""
    except (OSError, ValueError):
        return b""
