"""Files for service managers."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gnomon.watch.unit import launchd_agent, systemd_unit, unit_name

COMMAND = ["/opt/my python/bin/python", "-m", "gnomon", "watch", "--config", "/home/a/50% $HOME.json"]


def test_each_settings_file_has_a_unit_of_its_own() -> None:
    """The user's own has the plain name."""
    one, two = (unit_name(Path(f"/{name}/config.json"), is_users_own=False) for name in "ab")
    assert len({one, two, unit_name(Path("/a/config.json"), is_users_own=True)}) == 3


def test_systemd_unit_keeps_every_word_of_the_command() -> None:
    """Blanks, specifiers and variables are taken literally."""
    unit = systemd_unit(
        "gnomon-watch",
        COMMAND,
        config_home=Path("/home/a/.config"),
        environment={"XDG_DATA_HOME": '/home/a/$x "y"'},
        settings=Path("/home/a/x\n[Service]\nExecStart=/bin/evil"),
    )
    lines = unit.text.splitlines()
    assert unit.path == Path("/home/a/.config/systemd/user/gnomon-watch.service")
    assert 'ExecStart="/opt/my python/bin/python" "-m" "gnomon" "watch" "--config" "/home/a/50%% $$HOME.json"' in lines
    assert 'Environment="XDG_DATA_HOME=/home/a/$x \\"y\\""' in lines
    assert sum(line.startswith("ExecStart") for line in lines) == 1


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed here")
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    """Its own check of a unit, with a name that holds all that systemd would read as something else."""
    odd = "/home/a $x ${HOME} %h %%n \"q\" 's' b;c \u00e9\n\\x41"
    unit = systemd_unit(
        "gnomon-watch",
        [sys.executable, "-m", "gnomon", "watch", "--config", odd],
        config_home=tmp_path,
        environment={"XDG_DATA_HOME": odd},
        settings=Path(odd),
    )
    unit.path.parent.mkdir(parents=True)
    unit.path.write_text(unit.text, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", str(unit.path)],
        env=os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_launchd_agent_holds_documented_keys_of_their_types() -> None:
    """By launchd.plist(5); what it does not know it ignores, so a slip would go unnoticed."""
    agent = launchd_agent("gnomon-watch", COMMAND, home=Path("/Users/a"), environment={"A": "b"})
    documented = {
        "Label": str,
        "ProgramArguments": list,
        "EnvironmentVariables": dict,
        "RunAtLoad": bool,
        "KeepAlive": dict,
        "ProcessType": str,
        "Nice": int,
    }
    content = plistlib.loads(agent.text.encode())
    assert {key: type(value) for key, value in content.items()} == documented
    assert content["ProcessType"] in {"Background", "Standard", "Adaptive", "Interactive"}
    assert set(content["KeepAlive"]) <= {"SuccessfulExit", "PathState", "OtherJobEnabled", "Crashed"}
    assert -20 <= content["Nice"] <= 20


def test_launchd_agent_is_a_plist_of_the_same_command() -> None:
    """Kept alive unless it ended well."""
    agent = launchd_agent("gnomon-watch", COMMAND, home=Path("/Users/a"), environment={"A": "b"})
    content = plistlib.loads(agent.text.encode())
    assert agent.path == Path("/Users/a/Library/LaunchAgents/gnomon-watch.plist")
    assert content["ProgramArguments"] == COMMAND
    assert content["KeepAlive"] == {"SuccessfulExit": False}
