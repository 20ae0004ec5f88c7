"""Ignore files in gitignore syntax: which line of which file decides on a path.

The library for this (pathspec) is not used: its import takes 68 ms of a 500 ms command, it fails on POSIX classes
where re2 is installed, misses names with newlines, and its expressions can be made to run away by a pattern in a
cloned repository. The tests compare this module with git itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gnomon.discover.globs import is_literal, translate
from gnomon.discover.handles import read_regular
from gnomon.errors import FolderError

MAX_IGNORE_FILE_BYTES = 256_000  # the largest collections of templates are a tenth of it


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an ignore file.

    Attributes:
        text: As written.
        source: File it stands in, or what else it comes from, as shown to people.
        line: 1-based; 0 for a built-in pattern.
        negated: The line re-includes (``!``).
        folders_only: The line ends with a slash.
        name: The name it matches where it is a plain name at any depth, else "".
        expression: Over the name where ``on_name``, else over the path.
        on_name: See ``expression``.
    """

    text: str
    source: str
    line: int
    negated: bool
    folders_only: bool
    name: str
    expression: re.Pattern[str] | None
    on_name: bool

    def __str__(self) -> str:
        return f"line {self.line} of {self.source}: {self.text}" if self.line else f"{self.source}: {self.text}"

    def matches(self, path: str, name: str, *, is_folder: bool) -> bool:
        """Whether the line speaks of this path itself (not of what is below it)."""
        if self.folders_only and not is_folder:
            return False
        if self.expression is None:
            return name == self.name
        return self.expression.fullmatch(name if self.on_name else path) is not None


def parse_rules(lines: Iterable[str], *, source: str, base: str = "", numbered: bool = True) -> list[Rule]:
    """Read the lines of an ignore file.

    Args:
        lines: Without their ends.
        source: As shown to people.
        base: Folder the patterns are relative to, itself relative to where paths start; "" for the same.
        numbered: Whether lines have numbers worth showing.
    """
    rules = (_parse_rule(text, source, n if numbered else 0, base) for n, text in enumerate(lines, start=1))
    return [rule for rule in rules if rule is not None]


def _parse_rule(text: str, source: str, line: int, base: str) -> Rule | None:
    body = _without_trailing_spaces(text)
    if not body or body.startswith("#"):
        return None
    negated = body.startswith("!")
    body = body[negated:]
    folders_only = body.endswith("/")
    body = body[:-1] if folders_only else body
    anchored = "/" in body
    body = body.removeprefix("/")
    if not body:
        return None
    plain_name = not anchored and not base and is_literal(body)
    expression = None if plain_name else _compile(body, base, anchored=anchored)
    if not plain_name and expression is None:
        return None
    return Rule(
        text=text,
        source=source,
        line=line,
        negated=negated,
        folders_only=folders_only,
        name=body if plain_name else "",
        expression=expression,
        on_name=not anchored and not base,
    )


def _compile(body: str, base: str, *, anchored: bool) -> re.Pattern[str] | None:
    expression = translate(body)
    if expression is None:
        return None
    if base:
        expression = f"{re.escape(base)}/{'' if anchored else '(?:[^/]+/)*'}{expression}"
    return re.compile(expression, re.DOTALL)


def _without_trailing_spaces(text: str) -> str:
    """Git drops spaces at the end unless a backslash keeps them; tabs stay."""
    end = len(text)
    while end and text[end - 1] == " ":
        backslashes = len(text[: end - 1]) - len(text[: end - 1].rstrip("\\"))
        if backslashes % 2:
            break
        end -= 1
    return text[:end]


class IgnoreRules:
    """Rules in order of weight: of those that match, the last decides. Immutable but for its memory of folders."""

    def __init__(self, rules: Sequence[Rule] = ()) -> None:
        self.rules = tuple(rules)
        self._by_name: dict[str, list[int]] = {}
        for i, rule in enumerate(self.rules):
            if rule.expression is None:
                self._by_name.setdefault(rule.name, []).append(i)
        # One alternation each, so that a path that no rule speaks of costs two matches and not one per rule.
        self._of_folders = _alternations(self.rules)
        self._of_files = _alternations(rule for rule in self.rules if not rule.folders_only)
        self._folders: dict[str, Rule | None] = {"": None}

    def extended(self, rules: Sequence[Rule]) -> IgnoreRules:
        """These rules with weightier ones after them."""
        return IgnoreRules((*self.rules, *rules)) if rules else self

    def match(self, path: str, *, is_folder: bool) -> Rule | None:
        """The rule that decides on this path alone, not looking at the folders above it."""
        name = path[path.rfind("/") + 1 :]
        on_name, on_path = self._of_folders if is_folder else self._of_files
        if (on_name and on_name.fullmatch(name)) or (on_path and on_path.fullmatch(path)):
            return next((r for r in reversed(self.rules) if r.matches(path, name, is_folder=is_folder)), None)
        for i in reversed(self._by_name.get(name, ())):
            if is_folder or not self.rules[i].folders_only:
                return self.rules[i]
        return None

    def hiding(self, path: str, *, is_folder: bool = False) -> Rule | None:
        """The rule that hides a path, be it by one of the folders above it; None where it is not hidden."""
        folder = path.rpartition("/")[0]
        rule = self._folders[folder] if folder in self._folders else self._hiding_folder(folder)
        return rule or _hides(self.match(path, is_folder=is_folder))

    def _hiding_folder(self, folder: str) -> Rule | None:
        """The same for a folder met for the first time."""
        unknown = []
        while folder not in self._folders:
            unknown.append(folder)
            folder = folder.rpartition("/")[0]
        rule = self._folders[folder]
        for below in reversed(unknown):
            rule = self._folders[below] = rule or _hides(self.match(below, is_folder=True))
        return rule


def _hides(rule: Rule | None) -> Rule | None:
    return None if rule is None or rule.negated else rule


_Pattern = re.Pattern[str] | None


def _alternations(rules: Iterable[Rule]) -> tuple[_Pattern, _Pattern]:
    """Those over a name, and those over a path."""
    patterns = [(rule.on_name, f"(?:{rule.expression.pattern})") for rule in rules if rule.expression is not None]
    on_name, on_path = ("|".join(text for each, text in patterns if each is wanted) for wanted in (True, False))
    return re.compile(on_name, re.DOTALL) if on_name else None, re.compile(on_path, re.DOTALL) if on_path else None


def read_ignore_file(file: Path, *, follow: bool = False) -> list[str] | None:
    """The lines of an ignore file; None where there is no such file.

    Args:
        file: Bytes that are not UTF-8 are kept as surrogate escapes, as paths keep them.
        follow: Whether the file may be a symbolic link: the user's own may, one inside a folder may not.

    Raises:
        FolderError: It is there but cannot be read, so that what it hides is not known.
    """
    try:
        data = read_regular(file, MAX_IGNORE_FILE_BYTES, follow=follow)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as e:
        why = "it is a symbolic link" if file.is_symlink() and not follow else e.strerror
        raise FolderError(
            f"cannot read the ignore file {file}: {why}; make it a readable file or remove it, so that nothing it "
            "hides is indexed"
        ) from e
    if data is None:
        return None
    if len(data) > MAX_IGNORE_FILE_BYTES:
        raise FolderError(f"the ignore file {file} is larger than {MAX_IGNORE_FILE_BYTES:,} bytes; shorten it")
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    return [line.removesuffix("\r") for line in text.split("\n")]
