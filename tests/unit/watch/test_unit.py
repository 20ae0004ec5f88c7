"""Files for service managers."""

from __future__ import annotations

import plistlib
from pathlib import Path

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


def test_launchd_agent_is_a_plist_of_the_same_command() -> None:
    """Kept alive unless it ended well."""
    agent = launchd_agent("gnomon-watch", COMMAND, home=Path("/Users/a"), environment={"A": "b"})
    content = plistlib.loads(agent.text.encode())
    assert agent.path == Path("/Users/a/Library/LaunchAgents/gnomon-watch.plist")
    assert content["ProgramArguments"] == COMMAND
    assert content["KeepAlive"] == {"SuccessfulExit": False}
