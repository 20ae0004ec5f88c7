"""Every test of discovery runs with git settings of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gnomon.discover import DiscoveryRules, discover
from gnomon.values import Folder
from tests.unit.discover.folders import Finder, Found


@pytest.fixture(autouse=True)
def own_git_settings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without the developer's git settings; also what stands in for git's global excludes file."""
    home = tmp_path_factory.mktemp("home")
    for name in [n for n in os.environ if n.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home


@pytest.fixture
def find() -> Finder:
    """Run discovery to its end and keep its warnings."""

    def run(root: Path, rules: DiscoveryRules | None = None, **options: bool) -> Found:
        warnings: list[str] = []
        found = discover(Folder(root.name, root), rules or DiscoveryRules(), warn=warnings.append, **options)
        return Found(list(found), warnings)

    return run
