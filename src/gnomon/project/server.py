"""How a coding agent starts the server: the command line, and how to recognise it again."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from gnomon.errors import UsageError

PROGRAMS = ("gnomon", "docs-rag", "semantic-search")
DEFAULT_NAME = "gnomon"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


@dataclass(frozen=True, slots=True)
class Command:
    """A command line.

    Attributes:
        program: Bare name (looked up in the PATH) or absolute path.
        arguments: The rest.
    """

    program: str
    arguments: tuple[str, ...]

    def with_arguments(self, *more: str) -> Command:
        """The same with arguments added."""
        return Command(self.program, (*self.arguments, *more))


PORTABLE = Command("gnomon", ())


def this_installation() -> Command:
    """The program that runs now, by absolute path: works without a PATH, but on this machine only."""
    python = Path(sys.executable).absolute()
    script = python.with_name("gnomon.exe" if sys.platform == "win32" else "gnomon")
    if script.is_file():
        return Command(str(script), ())
    # -P: the folder the agent happens to start in must not be a place to import modules from.
    return Command(str(python), ("-P", "-m", "gnomon"))


def is_ours(entry: object) -> bool:
    """Whether an agent's entry of a server starts this program (or one of its predecessors)."""
    if not isinstance(entry, Mapping):
        return False
    program, arguments = entry.get("command"), entry.get("args", [])
    if not isinstance(program, str) or not isinstance(arguments, list):
        return False
    return program_name(program) in PROGRAMS or _runs_module(arguments)


def program_name(program: str) -> str:
    r"""The bare name of a program, on whichever system its path was written.

    >>> program_name(r"C:\\Tools\\gnomon.exe"), program_name("/opt/bin/gnomon")
    ('gnomon', 'gnomon')
    """
    kind = PureWindowsPath if "\\" in program else PurePosixPath
    return kind(program).name.removesuffix(".exe")


def server_name(text: str) -> str:
    """A name every agent accepts.

    Raises:
        UsageError: It has other characters than letters, digits, ``-`` and ``_``, or is too long.
    """
    if not _NAME.fullmatch(text):
        raise UsageError(f"a server's name is 1 to 40 letters, digits, - or _, not {text!r}")
    return text


def default_server_name(project: Path) -> str:
    """The name of a project's folder, as far as it can be one.

    >>> default_server_name(Path("/home/me/My Docs (new)"))
    'my-docs-new'
    """
    slug = re.sub(r"[^a-z0-9_]+", "-", project.name.lower()).strip("-")
    return slug[:40].strip("-") or DEFAULT_NAME


def _runs_module(arguments: list[Any]) -> bool:
    return any(pair == ("-m", "gnomon") for pair in pairwise(arguments))
