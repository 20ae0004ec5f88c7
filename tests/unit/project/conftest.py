"""A user's home and a project, both below the test's own folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.project.agents import Machine


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or writes the files of the user who runs it."""
    place = tmp_path / "home"
    place.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(place))
    for name in (
        *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "CLAUDE_PROJECT_DIR"),
        *("GNOMON_CONFIG_PATH", "SS_CONFIG_PATH", "GNOMON_INDEX_DIR", "SS_INDEX_DIR"),
    ):
        monkeypatch.delenv(name, raising=False)
    return place


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project's folder."""
    place = tmp_path / "My Project"
    place.mkdir()
    return place.resolve()


@pytest.fixture
def machine(home: Path) -> Machine:
    """A Linux machine with that home and an empty environment."""
    return Machine("linux", home, lambda _: "")
