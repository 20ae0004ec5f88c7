"""The files of a folder without git's help: the whole tree, or what git's ignore files leave of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gnomon.discover.admit import Admission
from gnomon.discover.git import is_work_tree
from gnomon.discover.units import Unit, foreign_skip, nested_skip
from gnomon.discover.without_git import GitIgnoreFiles
from gnomon.errors import FolderError
from gnomon.values import Skip, SkipReason, SourceFile

PLAIN = "plain file"
WITHOUT_GIT = "not named by a .gitignore"
_BARE_REPOSITORY = frozenset({"HEAD", "objects", "refs"})

Found = SourceFile | Skip


@dataclass(frozen=True, slots=True)
class _Below:
    """A folder to go into, or a repository to hand over."""

    path: str
    is_repository: bool = False


class Walk:
    """One walk over one unit.

    Args:
        unit: In plain or rules mode.
        admission: Of the folder the unit is in.
        enter: Lists a repository met on the way, by its path in the folder.
    """

    def __init__(self, unit: Unit, admission: Admission, enter: Callable[[str], Iterator[Found]]) -> None:
        self._unit = unit
        self._admission = admission
        self._enter = enter
        self._ignore_files = GitIgnoreFiles(unit.top, unit.root) if unit.mode == "rules" and unit.top else None
        self._rule = WITHOUT_GIT if self._ignore_files else PLAIN

    def found(self) -> Iterator[Found]:
        """Everything below the unit, sorted by path; a stack, as a tree may be deeper than Python recurses."""
        stack = [self._scanned(self._unit.base)]
        while stack:
            step = next(stack[-1], None)
            if step is None:
                stack.pop()
            elif not isinstance(step, _Below):
                yield step
            elif step.is_repository:
                yield from self._enter(step.path)
            else:
                stack.append(self._scanned(step.path))

    def _scanned(self, folder: str) -> Iterator[Found | _Below]:
        """What lies directly in one folder; folders to go into stand where their files sort."""
        try:
            with os.scandir(f"{self._admission.root}/{folder}") as entries:
                found = [(e.name, e.is_dir(follow_symlinks=False)) for e in entries if e.name != ".git"]
        except (FileNotFoundError, NotADirectoryError):
            return  # whoever iterates looks at the end whether the whole folder is gone
        except OSError as e:
            if not folder:
                raise FolderError(f"folder cannot be read: {self._admission.root} ({e.strerror})") from e
            yield Skip(folder, SkipReason.UNREADABLE, f"folder: {e.strerror}")
            return
        if folder != self._unit.base and _BARE_REPOSITORY.issubset(name for name, _ in found):
            yield _bare(folder)
            return
        steps: dict[str, Found | _Below | None] = {}
        for name, is_folder in found:
            path = f"{folder}/{name}" if folder else name
            step = self._folder_step(path) if is_folder else None
            steps[f"{path}/" if isinstance(step, _Below) else path] = step
        for key in sorted(steps):
            judged = steps[key] or self._file(key)
            if judged is not None:
                yield judged

    def _folder_step(self, path: str) -> Skip | _Below:
        skip = self._ignored(path, is_folder=True)
        if skip is None:
            skip = self._admission.skip_ignored(path, repository=self._unit.repository, is_folder=True)
        if skip is not None:
            return skip
        place = Path(f"{self._admission.root}/{path}")
        if not os.path.lexists(place / ".git") or not is_work_tree(place):
            return _Below(path)
        if self._unit.mode == "rules":
            return foreign_skip(self._admission.root, path)
        return nested_skip(Path(self._admission.root), path) or _Below(path, is_repository=True)

    def _file(self, path: str) -> Found | None:
        skip = self._ignored(path, is_folder=False)
        return skip or self._admission.judge(path, repository=self._unit.repository, rule=self._rule)

    def _ignored(self, path: str, *, is_folder: bool) -> Skip | None:
        if self._ignore_files is None:
            return None
        rule = self._ignore_files.ignoring_rule(self._unit.relative(path), is_folder=is_folder)
        return Skip(path, SkipReason.GIT_IGNORED, str(rule)) if rule else None


def bare_skip(root: Path, path: str) -> Skip | None:
    """The skip of a folder that is a bare repository, else None."""
    place = root / path
    return _bare(path) if all((place / name).exists() for name in _BARE_REPOSITORY) else None


def _bare(path: str) -> Skip:
    return Skip(path, SkipReason.NESTED_REPOSITORY, "bare repository: history without files")
