"""Folders and repositories that the tests of discovery are made of."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from gnomon.values import Skip, SkipReason, SourceFile


def git(place: Path, *command: str) -> None:
    """Run git with an identity, quietly."""
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", "-C", str(place), *identity, *command], check=True, capture_output=True)


def lay_out(root: Path, files: dict[str, str]) -> Path:
    """Write files with their folders."""
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return root


def make_repository(root: Path, tracked: dict[str, str], untracked: dict[str, str] | None = None) -> Path:
    """A repository with one commit."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q", "-b", "main")
    lay_out(root, tracked)
    git(root, "add", "-A", "-f")
    git(root, "commit", "-q", "-m", "x", "--allow-empty")
    return lay_out(root, untracked or {})


class Found:
    """What one discovery yielded."""

    def __init__(self, found: list[SourceFile | Skip], warnings: list[str]) -> None:
        self.all = found
        self.files = [f.path for f in found if isinstance(f, SourceFile)]
        self.skips = {s.path: s for s in found if isinstance(s, Skip)}
        self.reasons = {path: skip.reason for path, skip in self.skips.items()}
        self.warnings = warnings

    def skipped(self, reason: SkipReason) -> list[str]:
        """Paths skipped for this reason."""
        return [path for path, r in self.reasons.items() if r is reason]


Finder = Callable[..., Found]
