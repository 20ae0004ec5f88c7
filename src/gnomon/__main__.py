"""The program ``gnomon``, also started as ``semantic-search`` and ``docs-rag``."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command line of this process; returns its exit code (see ``errors``), or ends the process with it."""
    code = run()
    if "gnomon.cli.search" in sys.modules:
        _end(code)
    return code


def run() -> int:
    """The same, and always returns."""
    from gnomon import __version__

    if sys.argv[1:] in (["--version"], ["-V"]):
        # The commonest probe of agents and installers; nothing else needs to be imported for it.
        print(f"gnomon {__version__}")
        return 0
    from gnomon.cli.shell import run_command_line

    return run_command_line(sys.argv[1:], program=sys.argv[0])


def _end(code: int) -> None:
    """End the process without taking down the engine first: 30 ms of a search, for what the system frees anyway."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return  # whoever reads is gone: Python's own end knows what to say
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
