"""``remove`` takes a folder out of the settings and out of the index, both or neither."""

from __future__ import annotations

import errno
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from gnomon.cli.shell import run_command_line
from gnomon.corpus import Corpus


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """Settings with one folder."""
    (tmp_path / "docs").mkdir()
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"defaultRoots": ["docs"]}), "utf-8")
    return file


@pytest.fixture
def forgotten(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the folders whose text was forgotten."""
    names: list[str] = []

    def forget(_corpus: Corpus, folder: Any, **_: object) -> int:
        names.append(folder.name)
        return 3

    monkeypatch.setattr(Corpus, "forget", forget)
    return names


def _remove(settings: Path) -> int:
    return run_command_line(("remove", "docs", "--config", str(settings)), program="gnomon")


def _refuse(*_: object, **__: object) -> Any:
    raise OSError(errno.EROFS, "Read-only file system")


def test_folder_is_removed_from_both(settings: Path, forgotten: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """And said so."""
    assert _remove(settings) == 0
    assert forgotten == ["docs"]
    assert json.loads(settings.read_text("utf-8")) == {"defaultRoots": []}
    assert "3 documents forgotten" in capsys.readouterr().out


@pytest.mark.parametrize("step", ["lock", "write"])
def test_settings_that_cannot_be_written_keep_the_text(
    settings: Path,
    forgotten: list[str],
    step: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing is forgotten of a folder that stays in the settings."""
    if step == "lock":
        monkeypatch.setattr("filelock.FileLock.acquire", _refuse)
    else:
        monkeypatch.setattr(tempfile, "mkstemp", _refuse)
    assert _remove(settings) == 2
    assert forgotten == []
    assert f"cannot write the settings file {settings}" in capsys.readouterr().err
    assert json.loads(settings.read_text("utf-8")) == {"defaultRoots": ["docs"]}


def test_index_that_cannot_forget_keeps_the_folder(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings stay as they were, with nothing beside them."""
    monkeypatch.setattr(Corpus, "forget", _refuse)
    before = settings.read_bytes()
    assert _remove(settings) == 2
    assert settings.read_bytes() == before
    assert not [each for each in settings.parent.glob(".settings.json.*") if each.suffix != ".lock"]


def test_text_that_went_though_the_settings_stayed_is_said(
    settings: Path, forgotten: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the last step fails, which nothing could foresee."""
    monkeypatch.setattr(Path, "replace", _refuse)
    assert _remove(settings) == 2
    assert forgotten == ["docs"]
    assert "is forgotten" in capsys.readouterr().err
