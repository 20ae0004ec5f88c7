"""A small folder that lives: files are written, changed, moved, copied and deleted at random, from a seed."""

from __future__ import annotations

import os
import random
import shutil
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

WORDS = ("heron", "otter", "reed", "river", "stork", "minnow", "wombat", "refresh_token", "parseDate", "Größe", "文字")
_NAMES = ("a", "b", "notes", "deep/er/x", "src/tool", "src/lib/util", "z")
_ENDINGS = (".md", ".py", ".txt", ".json")


def clear(place: Path) -> Path:
    """The place, with room for a file: what is in the way goes."""
    for above in place.parents:
        if above.is_file():
            above.unlink()
    if place.is_dir():
        shutil.rmtree(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


class Tree:
    """A folder and every text that any of its files ever had.

    Attributes:
        root: The folder.
        history: All texts of each path, so that a passage can be told from one that nobody wrote.
    """

    def __init__(self, root: Path, seed: int, *, files: int) -> None:
        self.root = root
        self.history: dict[str, set[str]] = defaultdict(set)
        self._random = random.Random(seed)
        root.mkdir(parents=True)
        for number in range(files):
            name, ending = self._random.choice(_NAMES), self._random.choice(_ENDINGS)
            self.write(f"{name}{number}{ending}", self._text())

    def files(self) -> list[str]:
        """Relative paths of what is there."""
        return sorted(path.relative_to(self.root).as_posix() for path in self.root.rglob("*") if path.is_file())

    def write(self, path: str, text: str) -> None:
        """Put a text in a file; what is in the way goes."""
        place = clear(self.root / path)
        place.write_text(text, encoding="utf-8")
        self.history[path].add(text)

    def edit(self, count: int) -> None:
        """Change this many things."""
        changes: tuple[Callable[[str], None], ...] = (
            *(self._rewrite, self._swap_letters, self._delete, self._move, self._copy),
            *(self._become_folder, self._move_folder, self._touch),
        )
        for _ in range(count):
            files = self.files()
            if files:
                self._random.choice(changes)(self._random.choice(files))
            else:
                self.write("again.md", self._text())

    def _text(self) -> str:
        rng = self._random
        paragraphs = [
            " ".join(rng.choices(WORDS, k=rng.randrange(5, 40))) + f" mark{rng.randrange(10**6)}."
            for _ in range(rng.randrange(1, 4))
        ]
        return f"# Note {rng.randrange(99)}\n\n" + "\n\n".join(paragraphs) + "\n"

    def _rewrite(self, path: str) -> None:
        self.write(path, self._text())

    def _swap_letters(self, path: str) -> None:
        """Another text of the same size, written within the same second."""
        text = (self.root / path).read_text("utf-8")
        self.write(path, text.replace("mark", "kram") if "mark" in text else text.replace("kram", "mark"))

    def _delete(self, path: str) -> None:
        (self.root / path).unlink()

    def _move(self, path: str) -> None:
        self._record_move(path, f"moved/{self._random.randrange(10**6)}{Path(path).suffix}", copy=False)

    def _copy(self, path: str) -> None:
        self._record_move(path, f"copied/{self._random.randrange(10**6)}{Path(path).suffix}", copy=True)

    def _record_move(self, path: str, target: str, *, copy: bool) -> None:
        self.history[target] |= self.history[path]
        place = clear(self.root / target)
        if not (self.root / path).is_file():
            return  # it was what stood in the way
        if copy:
            shutil.copy2(self.root / path, place)
        else:
            (self.root / path).rename(place)

    def _become_folder(self, path: str) -> None:
        """A file gives way to a folder of its name; or, if it lies in one, that folder to a file."""
        parent = Path(path).parent.as_posix()
        if parent == ".":
            self.write(f"{path}/inner.md", self._text())
        else:
            self.write(parent, self._text())

    def _move_folder(self, path: str) -> None:
        parent = Path(path).parent.as_posix()
        if parent == ".":
            return
        target = f"folder{self._random.randrange(10**6)}"
        for known in [known for known in self.history if known.startswith(f"{parent}/")]:
            self.history[target + known[len(parent) :]] |= self.history[known]
        (self.root / parent).rename(self.root / target)

    def _touch(self, path: str) -> None:
        """Other times, back or forth: clocks jump."""
        there = (self.root / path).stat()
        jump = self._random.choice((-86_400, -1, 1, 86_400)) * 10**9
        os.utime(self.root / path, ns=(there.st_atime_ns, there.st_mtime_ns + jump))
