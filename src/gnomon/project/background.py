"""Processes that outlive the one that starts them."""

from __future__ import annotations

import subprocess
import sys
from os import SEEK_END
from pathlib import Path

from gnomon.project.hook import Outcome

_MAX_OUTPUT_BYTES = 4096
_NO_WINDOW, _NEW_GROUP = 0x08000000, 0x00000200  # flags of Windows, named by subprocess only there
# -P: the project's folder, where the processes run, is no place to import modules from.
_GNOMON = (sys.executable, "-P", "-m", "gnomon")


def start_worker(config_file: Path) -> None:
    """Start the hook's worker; it keeps no file, terminal or process group of this process.

    Raises:
        OSError: The process cannot be started.
    """
    windows = sys.platform == "win32"
    subprocess.Popen(  # noqa: S603 - our own program, no shell
        [*_GNOMON, "hook", "--worker", "--config", str(config_file)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=config_file.parent,
        creationflags=_NO_WINDOW | _NEW_GROUP if windows else 0,
        start_new_session=not windows,
    )


def run_index(config_file: Path) -> Outcome:
    """Bring the index up to date in a process of its own and wait for it; the end of what it says is kept."""
    from tempfile import TemporaryFile  # the side that must return at once does without

    with TemporaryFile() as output:
        code = subprocess.run(  # noqa: S603 - our own program, no shell
            [*_GNOMON, "index", "--config", str(config_file), "--quiet"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=config_file.parent,
            check=False,
        ).returncode
        output.seek(max(0, output.seek(0, SEEK_END) - _MAX_OUTPUT_BYTES))
        return Outcome(code, output.read().decode("utf-8", "replace"))
