"""What git would ignore, read from its files where git itself cannot be asked.

Which files are tracked is not known then: a tracked file that a rule names is left out, which errs on the safe side.
"""

from __future__ import annotations

from pathlib import Path

from gnomon.config import environment
from gnomon.config.paths import expanded
from gnomon.discover.git import git_directory, main_directory
from gnomon.discover.ignore import IgnoreRules, Rule, parse_rules, read_ignore_file
from gnomon.errors import FolderError


class GitIgnoreFiles:
    """The ``.gitignore`` files of one work tree, read as folders are come to.

    Args:
        top: Root of the work tree.
        root: Folder that paths are relative to, ``top`` or below it.
    """

    def __init__(self, top: Path, root: Path) -> None:
        self._top = top
        inside = root.relative_to(top).as_posix()
        self._prefix = "" if inside == "." else f"{inside}/"
        self._at: dict[str, IgnoreRules] = {}

    def ignoring_rule(self, path: str, *, is_folder: bool) -> Rule | None:
        """The rule that hides a path, itself or by a folder above it; None where git would list it."""
        whole = self._prefix + path
        slash = whole.find("/", len(self._prefix))  # what is above the folder was chosen, not found
        while slash > 0:
            if (rule := self._match(whole[:slash], is_folder=True)) and not rule.negated:
                return rule
            slash = whole.find("/", slash + 1)
        rule = self._match(whole, is_folder=is_folder)
        return rule if rule and not rule.negated else None

    def _match(self, whole: str, *, is_folder: bool) -> Rule | None:
        return self._rules_in(whole.rpartition("/")[0]).match(whole, is_folder=is_folder)

    def _rules_in(self, folder: str) -> IgnoreRules:
        """The rules for what lies directly in a folder: those of the folders above, then its own."""
        missing = []
        while folder not in self._at:
            missing.append(folder)
            if not folder:
                break
            folder = folder.rpartition("/")[0]
        rules = self._at[folder] if folder in self._at else IgnoreRules(self._outermost())
        for place in reversed(missing):
            source = f"{place}/.gitignore" if place else ".gitignore"
            rules = rules.extended(_rules(self._top / source, source, base=place))
            self._at[place] = rules
        return rules

    def _outermost(self) -> list[Rule]:
        settings = environment("XDG_CONFIG_HOME")
        everywhere = (Path(settings) if settings else expanded("~/.config")) / "git" / "ignore"
        rules = _rules(everywhere, str(everywhere), follow=True)
        directory = git_directory(self._top)
        if directory is not None:
            rules += _rules(main_directory(directory) / "info" / "exclude", ".git/info/exclude", follow=True)
        return rules


def _rules(file: Path, source: str, *, base: str = "", follow: bool = False) -> list[Rule]:
    try:
        lines = read_ignore_file(file, follow=follow)
    except FolderError:
        return []  # git too does without a .gitignore that it cannot read
    return parse_rules(lines, source=source, base=base) if lines else []
