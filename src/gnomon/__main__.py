"""The program ``gnomon``, also started as ``semantic-search`` and ``docs-rag``."""

from __future__ import annotations

import sys


def main() -> int:
    """Run one command line; returns its exit code (see ``errors``)."""
    from gnomon import __version__

    if sys.argv[1:] in (["--version"], ["-V"]):
        # The commonest probe of agents and installers; nothing else needs to be imported for it.
        print(f"gnomon {__version__}")
        return 0
    from gnomon.cli.shell import run_command_line

    return run_command_line(sys.argv[1:], program=sys.argv[0])


if __name__ == "__main__":
    sys.exit(main())
