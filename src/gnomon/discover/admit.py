"""What the rules say of a path: ignore rules, name, kind, size. One answer for indexing, grep and ``why``."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from gnomon.discover.ignore import IgnoreRules, Rule, parse_rules, read_ignore_file
from gnomon.discover.rules import DiscoveryRules
from gnomon.values import Folder, Skip, SkipReason, SourceFile, size_and_times

_DEFAULTS = "built-in list"
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class Admission:
    """The rules of one folder, read once. Raises ``FolderError`` where an ignore file cannot be read."""

    def __init__(self, folder: Folder, rules: DiscoveryRules) -> None:
        self.rules = rules
        written = [*_global_rules(rules), *_own_rules(folder, rules, base="")]
        self._written = IgnoreRules(written)
        defaults = parse_rules(rules.default_ignore_patterns, source=_DEFAULTS, numbered=False)
        self._with_defaults = IgnoreRules([*defaults, *written])
        self._repositories: dict[str, IgnoreRules] = {}
        self._folder = folder
        self.root = str(folder.root).rstrip(os.sep)

    def enter_repository(self, base: str) -> None:
        """Let a repository inside the folder bring its own ignore file, and no built-in patterns."""
        self._repositories[base] = self._written.extended(_own_rules(self._folder, self.rules, base=base))

    def skip_ignored(self, path: str, *, repository: str | None, is_folder: bool = False) -> Skip | None:
        """The skip of a path that an ignore rule of ours hides, itself or by a folder above it; else None.

        Args:
            path: Relative to the folder.
            repository: Base of the git repository it is in ("" for the folder itself), None outside git.
            is_folder: Whether the path is a folder.
        """
        rule = self._ruling(repository).hiding(path, is_folder=is_folder)
        if rule is None:
            return None
        reason = SkipReason.DEFAULT_IGNORED if rule.source == _DEFAULTS else SkipReason.INDEX_IGNORED
        return Skip(path, reason, str(rule))

    def reincluding(self, path: str, *, repository: str | None) -> Rule | None:
        """The rule that re-includes a path which an earlier rule names, or None."""
        rule = self._ruling(repository).match(path, is_folder=False)
        return rule if rule is not None and rule.negated else None

    def judge(self, path: str, *, repository: str | None, rule: str) -> SourceFile | Skip | None:
        """What becomes of a path that is no folder: a file to index, a skip, or None where nothing is there.

        Args:
            path: Relative to the folder.
            repository: As in ``skip_ignored``.
            rule: What admits it if nothing leaves it out, in words.
        """
        if (skip := self.skip_ignored(path, repository=repository)) is not None:
            return skip
        file = f"{self.root}/{path}"
        try:
            status = os.lstat(file)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as e:
            return Skip(path, SkipReason.UNREADABLE, e.strerror or "")
        if not stat.S_ISREG(status.st_mode):
            return irregular(path, status.st_mode, file)
        skip = self.rules.skip_by_name(path) or self.rules.skip_by_size(path, status.st_size)
        return skip or SourceFile(path, *size_and_times(status), rule)

    def _ruling(self, repository: str | None) -> IgnoreRules:
        if repository is None:
            return self._with_defaults
        return self._repositories.get(repository, self._written)


def irregular(path: str, mode: int, file: str) -> Skip:
    """The skip of what is no regular file.

    Args:
        path: Relative to the folder.
        mode: ``st_mode``, links not followed.
        file: The same path for the system, to read a link; shown only, never followed.
    """
    if stat.S_ISLNK(mode):
        return Skip(path, SkipReason.SYMLINK, _link_target(file))
    return Skip(path, SkipReason.NOT_REGULAR, _KINDS.get(stat.S_IFMT(mode), "a special file"))


def _link_target(file: str) -> str:
    link = Path(file)
    try:
        target = link.readlink()
    except OSError:
        return ""
    return f"to {target}" if _exists(link) else f"dangling, to {target}"


def _exists(link: Path) -> bool:
    try:
        return link.exists()
    except OSError:  # links in a circle
        return False


def _global_rules(rules: DiscoveryRules) -> Sequence[Rule]:
    file = rules.global_ignore_file
    lines = read_ignore_file(file, follow=True) if file else None
    return parse_rules(lines, source=str(file)) if lines else []


def _own_rules(folder: Folder, rules: DiscoveryRules, *, base: str) -> Sequence[Rule]:
    place = f"{base}/{rules.ignore_file}" if base else rules.ignore_file
    lines = read_ignore_file(folder.root / place)
    return parse_rules(lines, source=place, base=base) if lines else []
