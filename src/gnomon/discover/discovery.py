"""A folder to its files: every path is yielded once, as a file to index or as a skip with its reason."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator

from gnomon.discover.admit import Admission
from gnomon.discover.rules import DiscoveryRules
from gnomon.errors import FolderError
from gnomon.values import Folder, Skip, SkipReason, SourceFile

Warn = Callable[[str], None]
Found = SourceFile | Skip


def discover(
    folder: Folder, rules: DiscoveryRules, *, warn: Warn | None = None, list_ignored: bool = True
) -> Iterator[Found]:
    """List the files of a folder that are ours to index, and the paths that are not, with the reason.

    In a git work tree git is asked; elsewhere the folder is walked, and a repository met on the way is listed by its
    own rules. Folders that are left out as a whole are one skip. What is below a skipped folder is not mentioned, nor
    are ``.git`` and files that git knows of but the disk does not have.

    Args:
        folder: Its root is a real path.
        rules: What is left out.
        warn: Called with one sentence for each thing the user should know: git could not be asked, nothing was
            found. By default they go to the log.
        list_ignored: Whether paths that git ignores are yielded as skips; it costs a second git process, run
            beside the first.

    Returns:
        Sorted by path, each path once. Memory does not grow with the number of files outside git; git's listing is
        held as paths.

    Raises:
        FolderError: The folder is missing, not a folder, unreadable, gone before the end, or has an ignore file that
            cannot be read. Raised at the call, or while iterating.
    """
    check_folder(folder)
    run = _Run(folder, rules, warn or _log, list_ignored=list_ignored)
    return run.found()


def check_folder(folder: Folder) -> None:
    """Raise ``FolderError`` unless the folder is there and can be listed; a lost folder never looks empty."""
    root = folder.root
    try:
        os.scandir(root).close()
    except FileNotFoundError as e:
        raise FolderError(
            f"folder {folder.name} is missing on disk: {root} (bring it back, or: gnomon remove '{root}')"
        ) from e
    except NotADirectoryError as e:
        raise FolderError(f"not a folder: {root} (name the folder that holds it)") from e
    except OSError as e:
        raise FolderError(f"folder cannot be read: {root} ({e.strerror}; check its permissions)") from e


def _log(sentence: str) -> None:
    import logging

    logging.getLogger(__name__).warning(sentence)


class _Run:
    """One discovery of one folder."""

    def __init__(self, folder: Folder, rules: DiscoveryRules, warn: Warn, *, list_ignored: bool) -> None:
        self._folder = folder
        self._warn = warn
        self._list_ignored = list_ignored
        self._admission = Admission(folder, rules)
        self._seen: Counter[SkipReason | None] = Counter()

    def found(self) -> Iterator[Found]:
        for found in self._unit(""):
            self._seen[found.reason if isinstance(found, Skip) else None] += 1
            yield found
        check_folder(self._folder)
        if not self._seen[None]:
            self._warn(self._nothing())

    def _unit(self, base: str) -> Iterator[Found]:
        from gnomon.discover.listed import listed
        from gnomon.discover.units import find_unit
        from gnomon.discover.walk import Walk

        if base:
            self._admission.enter_repository(base)
        unit = find_unit(base, self._folder.root / base)
        if unit.notice:
            self._warn(unit.notice)
        if unit.mode == "git":
            return listed(unit, self._admission, with_ignored=self._list_ignored)
        return Walk(unit, self._admission, self._unit).found()

    def _nothing(self) -> str:
        if not self._seen:
            return f"nothing to index: {self._folder.root} has no files"
        why = ", ".join(f"{count:,} {reason}" for reason, count in self._seen.most_common() if reason is not None)
        return f"nothing to index in {self._folder.root}: {why} (ask about one with: gnomon why PATH)"
