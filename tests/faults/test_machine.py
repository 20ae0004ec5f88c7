"""Whatever happens to a folder, and wherever runs are stopped, a whole run brings the index in step with the disk."""

from __future__ import annotations

import hashlib
import itertools
import shutil
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from gnomon.config import load_config
from gnomon.corpus import Corpus
from gnomon.index.run import IndexOptions
from tests.fakes.embedder import FakeEmbedder
from tests.faults.tree import clear
from tests.unit.store.invariants import assert_consistent

PATHS = ["a.md", "b.py", "deep/c.md", "deep/er/d.txt", "a.md/e.md"]
NAMES = st.sampled_from(PATHS)
TEXTS = st.sampled_from(["heron in the reeds", "otter in the river", "HERON IN THE REEDS", "stork\n\nminnow\n", ""])


class DiskMachine(RuleBasedStateMachine):
    """A git work tree and its index; ``self.indexed`` is what a whole run found, until something changes."""

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp())
        self.root = self.home / "docs"
        self.history: dict[str, set[str]] = defaultdict(set)
        self.in_step = False
        subprocess.run(["git", "init", "-q", "-b", "main", str(self.root)], check=True)
        (self.home / "config.json").write_text('{"defaultRoots": ["docs"], "indexPath": "index"}', encoding="utf-8")
        self.corpus = self.open()

    def open(self) -> Corpus:
        """The corpus as another process would have it."""
        corpus = Corpus(load_config(self.home / "config.json"))
        corpus._embedder = FakeEmbedder()
        return corpus

    def git(self, *arguments: str) -> None:
        """Run git; what it refuses changes nothing."""
        who = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *arguments], cwd=self.root, check=False, capture_output=True)

    def files(self) -> dict[str, str]:
        """Digest of each file, empty ones left out."""
        return {
            path.relative_to(self.root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in self.root.rglob("*")
            if path.is_file() and ".git" not in path.parts and path.stat().st_size
        }

    def note(self) -> None:
        """Something changed on disk."""
        self.in_step = False
        for path, digest in self.files().items():
            self.history[path].add(digest)

    @rule(path=NAMES, text=TEXTS)
    def write(self, path: str, text: str) -> None:
        """A file, new or changed, perhaps with the same size; folders give way to it and files to its folders."""
        clear(self.root / path).write_text(text, encoding="utf-8")
        self.note()

    @rule(path=NAMES, goal=NAMES)
    def move(self, path: str, goal: str) -> None:
        """A file or a folder, onto whatever the system lets it."""
        if (self.root / path).exists() and (self.root / goal).parent.is_dir():
            try:
                (self.root / path).replace(self.root / goal)
            except OSError:
                return
            self.note()

    @rule(path=NAMES)
    def delete(self, path: str) -> None:
        """A file or a folder."""
        place = self.root / path
        if place.is_dir():
            shutil.rmtree(place)
        else:
            try:
                place.unlink()
            except OSError:
                return
        self.note()

    @rule()
    def commit(self) -> None:
        """All there is."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")
        self.note()

    @rule(branch=st.sampled_from(["main", "other"]))
    def check_out(self, branch: str) -> None:
        """A branch, made where it is missing; what is not committed goes."""
        self.git("branch", branch)
        self.git("checkout", "-q", "-f", branch)
        self.note()

    @rule(path=st.sampled_from(["deep/", "*.md"]))
    def ignore(self, path: str) -> None:
        """What git ignores is no longer indexed, unless it is tracked."""
        (self.root / ".gitignore").write_text(f"{path}\n", encoding="utf-8")
        self.note()

    @rule(asked=st.integers(0, 4))
    def stopped_run(self, asked: int) -> None:
        """A run that is told to stop when it asks for the so-manieth time."""
        count = itertools.count()
        self.corpus.index(stop=lambda: next(count) >= asked)

    @rule(files=st.integers(1, 3))
    def short_run(self, files: int) -> None:
        """A run that may read a few files only."""
        self.corpus.index(options=IndexOptions(max_files=files))

    @rule()
    def run(self) -> None:
        """A whole run; where all files are gone at once it keeps what it had, and says so."""
        (report,) = self.corpus.index().folders
        self.in_step = not any("has no files any more" in warning for warning in report.warnings)

    @rule()
    def missing_root(self) -> None:
        """The folder is away while a run looks for it: nothing is forgotten."""
        if not self.corpus.index_file.exists():
            return
        before = self.stored()
        self.root.rename(self.home / "away")
        self.root.mkdir()
        self.corpus.index()
        self.root.rmdir()
        (self.home / "away").rename(self.root)
        assert self.stored() == before

    @rule()
    def another_process(self) -> None:
        """Nothing is kept in memory only."""
        self.corpus.close()
        self.corpus = self.open()

    def stored(self) -> dict[str, str]:
        """Digest of each document in the index."""
        rows = self.corpus.store().manifest(str(self.root))
        return {path: row.sha256 for path, row in rows.items() if row.skip is None}

    @invariant()
    def index_tells_no_lie(self) -> None:
        """It holds what is or was on disk, and after a whole run just what is there, with all vectors."""
        if not self.corpus.index_file.exists():
            return
        stored = self.stored()
        assert all(digest in self.history[path] for path, digest in stored.items())
        if self.in_step:
            ignored = self.ignored()
            assert stored == {path: digest for path, digest in self.files().items() if path not in ignored}
            assert self.corpus.store().status().vectors_missing == 0

    def ignored(self) -> set[str]:
        """What git says it ignores."""
        command = ["git", "ls-files", "-z", "--others", "--ignored", "--exclude-standard"]
        listed = subprocess.run(command, cwd=self.root, check=True, capture_output=True, encoding="utf-8").stdout
        return set(listed.split("\0"))

    def teardown(self) -> None:
        """The tables agree; nothing is left behind."""
        self.corpus.close()
        if self.corpus.index_file.exists():
            assert_consistent(self.corpus.index_file)
        shutil.rmtree(self.home)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_index_equals_disk_after_whatever_happened() -> None:
    """Fifteen lives of up to 25 steps."""
    case = DiskMachine.TestCase
    case.settings = settings(max_examples=15, stateful_step_count=25, suppress_health_check=list(HealthCheck))
    case().runTest()
