"""What starts ``gnomon watch`` with the user's session: a systemd user unit or a launchd agent."""

from __future__ import annotations

import hashlib
import plistlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Unit:
    """A file for the system's service manager.

    Attributes:
        path: Where it belongs.
        text: What it holds.
        start: What to type so that it runs from now on.
        stop: What to type so that it no longer does.
    """

    path: Path
    text: str
    start: str
    stop: str


def unit_name(settings: Path, *, is_users_own: bool) -> str:
    """One for each settings file; the user's own has the plain name."""
    if is_users_own:
        return "gnomon-watch"
    return f"gnomon-watch-{hashlib.sha256(str(settings).encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"


def systemd_unit(
    name: str, command: Sequence[str], *, config_home: Path, environment: Mapping[str, str], settings: Path
) -> Unit:
    """See https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html."""
    lines = [
        "[Unit]",
        f"Description=gnomon keeps the index of {_unexpanded(str(settings))} fresh",
        "",
        "[Service]",
        f"ExecStart={' '.join(_quoted(part).replace('$', '$$') for part in command)}",
        *(f"Environment={_quoted(f'{key}={value}')}" for key, value in sorted(environment.items())),
        "Nice=10",
        "IOSchedulingClass=idle",
        "Restart=on-failure",
        "RestartSec=30",
        "",
        "[Install]",
        "WantedBy=default.target",
    ]
    return Unit(
        path=config_home / "systemd" / "user" / f"{name}.service",
        text="\n".join(lines) + "\n",
        start=f"systemctl --user daemon-reload && systemctl --user enable --now {name}.service",
        stop=f"systemctl --user disable --now {name}.service",
    )


def launchd_agent(name: str, command: Sequence[str], *, home: Path, environment: Mapping[str, str]) -> Unit:
    """See ``man launchd.plist``."""
    path = home / "Library" / "LaunchAgents" / f"{name}.plist"
    content = {
        "Label": name,
        "ProgramArguments": list(command),
        "EnvironmentVariables": dict(environment),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ProcessType": "Background",
        "Nice": 10,
    }
    return Unit(
        path=path,
        text=plistlib.dumps(content).decode("utf-8"),
        start=f"launchctl bootstrap gui/$(id -u) '{path}'",
        stop=f"launchctl bootout gui/$(id -u)/{name}",
    )


def _unexpanded(text: str) -> str:
    """With systemd's specifiers doubled and no line end: a name of a folder must not become a setting."""
    return "".join(" " if ord(sign) < 32 else sign for sign in text).replace("%", "%%")


def _quoted(text: str) -> str:
    """One word of a systemd setting.

    >>> _quoted('/a b/100%')
    '"/a b/100%%"'
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped.replace("%", "%%")}"'
