"""``dev.py`` says what it is at while nothing else is printed."""

from __future__ import annotations

from pathlib import Path

import pytest

import dev


@pytest.fixture
def nothing_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command is over at once, and the environment is in a place of the test."""
    monkeypatch.setattr(dev, "VENV", tmp_path)
    monkeypatch.setattr(dev, "BIN", tmp_path)
    monkeypatch.setattr(dev, "run", lambda *_, **__: None)
    (tmp_path / "python").touch()


@pytest.mark.usefixtures("nothing_runs")
def test_set_up_says_that_it_takes_long_where_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    """The second time there is nothing to do, and nothing to say of it."""
    for said in (True, False):
        dev.set_up(development=True)
        assert ("takes a few minutes" in capsys.readouterr().err) is said


@pytest.mark.usefixtures("nothing_runs")
def test_tests_say_what_comes_before_their_first_sign(capsys: pytest.CaptureFixture[str]) -> None:
    """Thousands of them take a while to collect."""
    dev.test()
    assert "collecting the tests" in capsys.readouterr().err
