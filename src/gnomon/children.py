"""How a process of our own that works for this one is started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]


def start(module: str) -> subprocess.Popen[bytes]:
    """A process that runs ``module.main()`` with pipes as standard input and output.

    What this interpreter was told to leave aside, its child leaves aside too; and a folder that is indexed can never
    lend a module to it.
    """
    code = f"import sys; sys.path.insert(0, {str(_ROOT)!r}); from {module} import main; main()"
    flags = [("-E", sys.flags.ignore_environment), ("-s", sys.flags.no_user_site), ("-S", sys.flags.no_site)]
    return subprocess.Popen(  # noqa: S603 - our own interpreter and our own code
        [sys.executable, "-P", *(flag for flag, is_set in flags if is_set), "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
