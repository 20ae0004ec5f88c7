"""Why one path is, or is not, in the index: the rule and where it stands."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.discover.admit import Admission, irregular
from gnomon.discover.discovery import check_folder
from gnomon.discover.reading import read
from gnomon.discover.rules import DiscoveryRules
from gnomon.errors import DocumentError
from gnomon.values import Folder, Skip, SkipReason

if TYPE_CHECKING:
    from gnomon.discover.units import Unit


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of one path.

    Attributes:
        included: Whether it is indexed (a folder: whether its files are looked at).
        reason: Why not; None where it is included.
        rule: The rule at work and where it stands, in words.
    """

    included: bool
    reason: SkipReason | None
    rule: str


def explain(folder: Folder, path: str, rules: DiscoveryRules) -> Verdict:
    """Say what ``discover`` and ``read`` make of a path, which need not exist.

    Args:
        folder: Its root is a real path.
        path: Relative to the folder, as ``confine`` returns it; "" for the folder itself.
        rules: As for ``discover``.

    Raises:
        FolderError: As for ``discover``.
    """
    check_folder(folder)
    path = path.strip("/")
    if not path:
        return Verdict(included=True, reason=None, rule="the folder itself")
    skip, admitted = _Question(folder, path, rules).answer()
    if skip is None:
        return Verdict(included=True, reason=None, rule=admitted)
    where = "" if skip.path == path else f"by the folder {skip.path}: "
    return Verdict(included=False, reason=skip.reason, rule=where + skip.detail)


class _Question:
    """One path, asked about in the order in which discovery decides."""

    def __init__(self, folder: Folder, path: str, rules: DiscoveryRules) -> None:
        self._folder = folder
        self._path = path
        self._rules = rules
        self._admission = Admission(folder, rules)
        self._is_folder = stat.S_ISDIR(_mode(folder.root / path))

    def answer(self) -> tuple[Skip | None, str]:
        """The skip, or None and what admits the path."""
        from gnomon.discover.units import find_unit

        parts = self._path.split("/")
        if ".git" in parts:
            return Skip(self._path, SkipReason.GIT_IGNORED, "git's own files"), ""
        unit = find_unit("", self._folder.root, path=self._path)
        for depth in range(1, len(parts) + self._is_folder):
            above = "/".join(parts[:depth])
            skip = self._skip_folder(above, unit)
            if skip is not None:
                return skip, ""
            if unit.mode == "plain" and _is_repository(self._folder.root / above):
                self._admission.enter_repository(above)
                unit = find_unit(above, self._folder.root / above, path="/".join(parts[depth:]))
        skip, admitted = self._by_git(unit)
        if skip is None:
            skip = self._by_ours(unit)
        return skip, self._with_reincluding(unit, admitted)

    def _skip_folder(self, above: str, unit: Unit) -> Skip | None:
        """What leaves out a folder as a whole: the one asked about, or one above it."""
        from gnomon.discover.units import foreign_skip, nested_skip
        from gnomon.discover.walk import bare_skip

        skip = self._by_ignore_files(above, unit, is_folder=True) or self._admission.skip_ignored(
            above, repository=unit.repository, is_folder=True
        )
        place = self._folder.root / above
        mode = _mode(place)
        if skip is not None or not mode:
            return skip
        if stat.S_ISLNK(mode):
            return irregular(above, mode, str(place))
        if unit.mode == "plain":
            return nested_skip(self._folder.root, above) or bare_skip(self._folder.root, above)
        if unit.listing is not None and above in map(unit.full, unit.listing.submodules):
            return foreign_skip(str(self._folder.root), above, submodule=True)
        return foreign_skip(str(self._folder.root), above) if _has_git(place) and above != unit.base else None

    def _by_ignore_files(self, path: str, unit: Unit, *, is_folder: bool) -> Skip | None:
        from gnomon.discover.without_git import GitIgnoreFiles

        if unit.mode != "rules" or unit.top is None:
            return None
        rule = GitIgnoreFiles(unit.top, unit.root).ignoring_rule(unit.relative(path), is_folder=is_folder)
        return Skip(path, SkipReason.GIT_IGNORED, str(rule)) if rule else None

    def _by_git(self, unit: Unit) -> tuple[Skip | None, str]:
        """What git says of the path, and what admits it if git does."""
        from gnomon.discover import git
        from gnomon.discover.listed import TRACKED, UNTRACKED
        from gnomon.discover.walk import PLAIN, WITHOUT_GIT

        if unit.mode != "git" or unit.listing is None or unit.top is None:
            skip = self._by_ignore_files(self._path, unit, is_folder=self._is_folder)
            return skip, PLAIN if unit.mode == "plain" else WITHOUT_GIT
        path = unit.relative(self._path)
        if path in unit.listing.tracked:
            return None, TRACKED
        rule, hides = git.ignoring_rule(unit.top, unit.root, f"{path}/" if self._is_folder else path)
        if hides:
            return Skip(self._path, SkipReason.GIT_IGNORED, rule), ""
        return None, f"{UNTRACKED} ({rule})" if rule else UNTRACKED

    def _by_ours(self, unit: Unit) -> Skip | None:
        if self._is_folder:
            return None
        found = self._admission.judge(self._path, repository=unit.repository, rule="")
        if isinstance(found, Skip):
            return found
        if found is None:
            absent = Skip(self._path, SkipReason.VANISHED, "no such file; no rule would leave it out")
            return self._rules.skip_by_name(self._path) or absent
        try:
            read(self._folder, found, self._rules)
        except DocumentError as e:
            return Skip(self._path, SkipReason(e.reason), e.detail)
        return None

    def _with_reincluding(self, unit: Unit, admitted: str) -> str:
        if self._is_folder:
            return f"a folder whose files are judged one by one ({admitted})"
        rule = self._admission.reincluding(self._path, repository=unit.repository)
        return f"{admitted}; re-included by {rule}" if rule else admitted


def _mode(place: Path) -> int:
    """``st_mode`` of a place, links not followed; 0 where nothing is or can be seen."""
    try:
        return os.lstat(place).st_mode
    except (OSError, ValueError):
        return 0


def _has_git(place: Path) -> bool:
    return os.path.lexists(place / ".git")


def _is_repository(place: Path) -> bool:
    from gnomon.discover.git import is_work_tree

    return _has_git(place) and is_work_tree(place)
