"""A run in shares on a cluster: what is asked for in vain, before anything starts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from gnomon.cli.cluster import run_shares
from gnomon.cli.shell import run_command_line
from gnomon.errors import MissingExtraError, StoreError


def run_nothing(count: int = 2) -> None:
    """Shares of a run that must not begin."""
    run_shares(count, [], on_done=lambda share: pytest.fail(f"share {share} ran"))


def test_missing_library_is_answered_with_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """As for every optional part."""
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'gnomon\[ray\]'"):
        run_nothing()


@pytest.mark.slow
def test_cluster_that_is_not_there_is_named_with_the_way_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """None is started unasked: it would open ports and tell its makers of its use."""
    pytest.importorskip("ray", reason="the extra gnomon[ray] is not installed")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with pytest.raises(StoreError, match="no Ray cluster is running here: ray start --head"):
        run_nothing()


@pytest.mark.parametrize("option", [["--force"], ["--shard", "1/2"], ["--max-files", "3"], ["--background"]])
def test_options_of_a_whole_run_do_not_go_with_shares(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: list[str]
) -> None:
    """Each share would do it for itself."""
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps({"defaultRoots": [str(tmp_path)], "indexPath": "index"}), "utf-8")
    assert run_command_line(["index", "--ray", "2", *option, "--config", str(settings)], program="gnomon") == 2
    assert f"{option[0]} does not go with --ray" in capsys.readouterr().err
