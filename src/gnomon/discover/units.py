"""Which repository a place belongs to: how its files are listed, and what belongs to another."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gnomon.discover import git
from gnomon.values import Skip, SkipReason

Mode = Literal["git", "rules", "plain"]


@dataclass(frozen=True, slots=True)
class Unit:
    """One place whose files are listed in one way.

    Attributes:
        base: Relative to the folder; "" for the folder itself.
        root: The same, absolute.
        mode: "git": git lists them; "rules": git's ignore files are read without git; "plain": no repository.
        top: Root of the work tree; None in plain mode.
        listing: What git listed, in git mode.
        notice: One sentence for people where the mode is not the usual one.
    """

    base: str
    root: Path
    mode: Mode
    top: Path | None = None
    listing: git.Listing | None = None
    notice: str = ""

    def relative(self, path: str) -> str:
        """A path of the folder as this unit sees it."""
        return path[len(self.base) + 1 :] if self.base else path

    def full(self, path: str) -> str:
        """A path of this unit as the folder sees it."""
        return f"{self.base}/{path}" if self.base else path

    @property
    def repository(self) -> str | None:
        """Key of the repository for ``Admission``; None outside git."""
        return None if self.mode == "plain" else self.base


def find_unit(base: str, root: Path, *, path: str = "") -> Unit:
    """Find out how the files of a place are listed, and list them where git does.

    Args:
        base: Relative to the folder.
        root: The same, absolute.
        path: List only this path, relative to ``root``.
    """
    top = root if base and git.is_work_tree(root) else git.work_tree_above(root)
    if top is None or ".git" in root.relative_to(top).parts:
        return Unit(base, root, "plain")
    listing = git.list_files(top, root, path)
    if listing.answer.outside:
        return Unit(base, root, "plain")
    if listing.answer.problem:
        notice = (
            f"{listing.answer.problem}; the ignore files under {root} were read without git, so that tracked files "
            "which a rule names are left out"
        )
        return Unit(base, root, "rules", top, notice=notice)
    if top != root and listing.is_empty() and _is_left_to_others(top, root, path):
        notice = f"{root} is itself ignored by the repository {top}, so it is read like a folder outside git"
        return Unit(base, root, "plain", notice=notice)
    return Unit(base, root, "git", top, listing, "; ".join(listing.answer.notices))


def _is_left_to_others(top: Path, root: Path, path: str) -> bool:
    """Whether the repository above ignores the whole folder, which was chosen all the same."""
    _, hides = git.ignoring_rule(top, root, ".")
    return hides and (not path or git.list_files(top, root).is_empty())


def nested_skip(folder: Path, path: str) -> Skip | None:
    """The skip of a repository found outside git, or None where it is to be listed with its own rules.

    Only a linked work tree whose main one is in the same folder is skipped: its files would come twice.
    """
    directory = git.git_directory(folder / path)
    if directory is None:
        return None
    main = git.main_directory(directory)
    if main == directory or git.is_bare(main) or not main.is_relative_to(folder):
        return None
    return Skip(path, SkipReason.NESTED_REPOSITORY, f"work tree of {main.parent}, which is in this folder too")


def foreign_skip(root: str, path: str, *, submodule: bool = False) -> Skip:
    """The skip of a repository inside another one."""
    place = Path(root, path)
    directory = git.git_directory(place)
    if submodule or (directory is not None and "/.git/modules/" in os.path.normpath(directory).replace(os.sep, "/")):
        absent = "" if (place / ".git").exists() else ", not checked out"
        return Skip(path, SkipReason.NESTED_REPOSITORY, f"submodule{absent}; add it as a folder to search it")
    kind = "linked work tree" if directory and git.main_directory(directory) != directory else "repository of its own"
    return Skip(path, SkipReason.NESTED_REPOSITORY, f"{kind}; add it as a folder to search it")
