"""Which of the paths that changed on disk can change the index."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gnomon.config import data_dir
from gnomon.config.paths import real
from gnomon.corpus import Corpus
from gnomon.discover import explain
from gnomon.errors import GnomonError
from gnomon.values import Folder

# Written all the time and never ours; whatever else is ignored is found out by its rule.
_NEVER = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".mypy_cache", ".ruff_cache"})
# More questions than this cost more than a run that finds nothing to do.
_MOST_QUESTIONS = 30


class Relevance:
    """Judges changed paths for one set of folders."""

    def __init__(self, corpus: Corpus, folders: Sequence[Folder]) -> None:
        self._corpus = corpus
        # The innermost folder first, where one lies in another.
        self._folders = sorted(folders, key=lambda folder: -len(folder.root.parts))
        # What gnomon writes itself, for this index and for all of the user's.
        self._own = (real(corpus.config.index_dir), real(data_dir()))

    def at_a_glance(self, path: str) -> bool:
        """Without a look at the disk: false for the index itself, for git's own files and the like."""
        place = Path(path)
        found = self._locate(place)
        if found is None or any(place.is_relative_to(own) for own in self._own):
            return False
        return _NEVER.isdisjoint(found[1].parts)

    def of_index(self, changed: Sequence[str]) -> list[Path]:
        """Those that are indexed, should be, or may hold such files; all of them where there are too many to ask."""
        by_parent: dict[Path, list[Path]] = {}
        for path in changed:
            by_parent.setdefault(Path(path).parent, []).append(Path(path))
        if len(by_parent) <= _MOST_QUESTIONS:
            by_parent = {p: paths for p, paths in by_parent.items() if not p.exists() or self._is_ours(p)}
        paths = [path for group in by_parent.values() for path in group]
        if len(paths) <= _MOST_QUESTIONS:
            paths = [path for path in paths if self._is_ours(path) or self._was_ours(path)]
        return sorted(paths)

    def _locate(self, place: Path) -> tuple[Folder, Path] | None:
        """The folder that a place lies in, and the way from there."""
        folder = next((folder for folder in self._folders if place.is_relative_to(folder.root)), None)
        return (folder, place.relative_to(folder.root)) if folder else None

    def _is_ours(self, place: Path) -> bool:
        found = self._locate(place)
        if found is None:
            return False
        folder, way = found
        try:
            return explain(folder, way.as_posix() if way.parts else "", self._corpus.rules).included
        except GnomonError:
            return True  # the run will say what is wrong

    def _was_ours(self, place: Path) -> bool:
        """Whether the index holds it, or files below it: what is gone or ignored now has to be forgotten."""
        found = self._locate(place)
        if found is None:
            return False
        folder, relative = found[0], found[1].as_posix()
        try:
            store = self._corpus.store()
            if store.find_document(str(folder.root), relative) is not None:
                return True
            return not place.exists() and any(p.startswith(f"{relative}/") for p in store.manifest(str(folder.root)))
        except GnomonError:
            return True
