"""The files of a git work tree, as git lists them."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Container, Iterator

from gnomon.discover.admit import Admission, irregular
from gnomon.discover.git import list_ignored
from gnomon.discover.units import Unit, foreign_skip
from gnomon.figures import things
from gnomon.values import Skip, SkipReason, SourceFile

TRACKED = "tracked by git"
UNTRACKED = "not ignored by git"

# Above this many ignored files in one folder, one line with their number says it better.
_IGNORED_PER_FOLDER = 50


def listed(unit: Unit, admission: Admission, *, with_ignored: bool) -> Iterator[SourceFile | Skip]:
    """Judge each path of git's listing; sorted.

    Args:
        unit: In git mode.
        admission: Of the folder the unit is in.
        with_ignored: Whether what git ignores is yielded as skips; it costs a second git process.
    """
    listing = unit.listing
    if listing is None:
        return
    folders = FoldersAbove(admission, unit)
    skips = _ignored(unit, folders) if with_ignored else {}
    for path in listing.submodules | listing.repositories:
        full = unit.full(path)
        if os.path.lexists(f"{admission.root}/{full}"):
            skips[full] = foreign_skip(admission.root, full, submodule=path in listing.submodules)
    rules = dict.fromkeys(map(unit.full, listing.untracked), UNTRACKED)
    rules |= dict.fromkeys(map(unit.full, listing.tracked), TRACKED)
    # "src/*" stands for many ignored files, but may be a file of that name as well.
    skips = {p: skip for p, skip in skips.items() if p not in rules or skip.reason is not SkipReason.GIT_IGNORED}
    for path in list(rules):
        if (above := folders.skip_above(path)) is not None:
            skips[above.path] = above
            del rules[path]
    if with_ignored:
        skips |= {path: skip for path, skip in _special(folders, skips) if path not in rules}
    for path in sorted(rules.keys() | skips.keys()):
        found = skips.get(path) or admission.judge(path, repository=unit.repository, rule=rules.get(path, ""))
        # A folder where git tracks a file: what is in it has been listed by itself.
        if found is not None and not _is_folder(found):
            yield found


def _is_folder(found: SourceFile | Skip) -> bool:
    return isinstance(found, Skip) and found.reason is SkipReason.NOT_REGULAR and found.detail == "a folder"


def _ignored(unit: Unit, folders: FoldersAbove) -> dict[str, Skip]:
    if unit.top is None:
        return {}
    paths = list_ignored(unit.top, unit.root)
    in_folder = Counter(path.rpartition("/")[0] for path in paths if not path.endswith("/"))
    skips = {}
    for path in paths:
        above = path.rpartition("/")[0]
        full, detail = unit.full(path.rstrip("/")), "everything in it" if path.endswith("/") else ""
        if not path.endswith("/") and in_folder[above] > _IGNORED_PER_FOLDER:
            full, detail = (
                unit.full(f"{above}/*" if above else "*"),
                f"{in_folder[above]:,} {things(in_folder[above], 'file')}",
            )
        if folders.skip_above(full) is None:
            skips[full] = Skip(full, SkipReason.GIT_IGNORED, detail)
    return skips


def _special(folders: FoldersAbove, skips: Container[str]) -> Iterator[tuple[str, Skip]]:
    """Pipes, sockets and devices, of which git does not speak: found by listing the folders that it does speak of."""
    waiting = folders.looked_into()
    seen = set(waiting)
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(f"{folders.root}/{folder}") as entries:
                odd = [e for e in entries if not e.is_symlink() and not e.is_file(follow_symlinks=False)]
        except OSError:
            continue
        for entry in odd:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if not entry.is_dir(follow_symlinks=False):
                yield path, irregular(path, entry.stat(follow_symlinks=False).st_mode, entry.path)
            elif path not in seen and path not in skips and entry.name != ".git":
                seen.add(path)
                if folders.skip_of(path) is None:
                    waiting.append(path)


class FoldersAbove:
    """Whether what lies below a folder is left out because of the folder itself; each folder is looked at once."""

    def __init__(self, admission: Admission, unit: Unit) -> None:
        self._admission = admission
        self._unit = unit
        self._known: dict[str, Skip | None] = {"": None, unit.base: None}
        self.root = admission.root

    def looked_into(self) -> list[str]:
        """Every folder of the unit asked about so far that is not left out."""
        base = self._unit.base
        return [f for f, skip in self._known.items() if skip is None and (not base or f"{f}/".startswith(f"{base}/"))]

    def skip_above(self, path: str) -> Skip | None:
        """The skip of the outermost folder above ``path`` that is left out; None where there is none."""
        folder = path.rpartition("/")[0]
        missing = []
        while folder not in self._known:
            missing.append(folder)
            folder = folder.rpartition("/")[0]
        skip = self._known[folder]
        for below in reversed(missing):
            skip = skip or self.skip_of(below)
            self._known[below] = skip
        return skip

    def skip_of(self, folder: str) -> Skip | None:
        """The skip of a folder for what it is itself."""
        skip = self._admission.skip_ignored(folder, repository=self._unit.repository, is_folder=True)
        if skip is not None:
            return skip
        place = f"{self._admission.root}/{folder}"
        try:
            mode = os.lstat(place).st_mode
        except OSError:
            return None  # the file itself will tell
        if stat.S_ISLNK(mode):
            return irregular(folder, mode, place)
        # Git lists files below a repository that was made after they were tracked; they belong to that one now.
        return foreign_skip(self._admission.root, folder) if os.path.lexists(f"{place}/.git") else None
