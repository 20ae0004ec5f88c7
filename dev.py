#!/usr/bin/env python3
"""One entry for people who try or change gnomon; needs only Python 3.11 or newer, git and the package registry.

python3 dev.py try [FOLDER] [QUESTION]   set up, index a folder (default: src) in a scratch place, ask it
python3 dev.py test [PYTEST ARGUMENTS]   set up, run every test: about ten minutes
python3 dev.py quick                     the tests that need no model, in under a minute
python3 dev.py check                     every gate: format, lint, types, imports, reference pages, tests, packaging
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENV = HERE / os.environ.get("GNOMON_VENV", ".venv")
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
QUICK = "not model and not slow"
IN_TWO_PROCESSES = ("-n", "2", "--dist", "loadfile")


def run(*command: str | Path, **environment: str) -> None:
    """Run a command in this folder and end with its exit code if it fails."""
    # Every index of this script is a scratch one: it must not touch the one its user has.
    done = subprocess.run([str(part) for part in command], cwd=HERE, env={**os.environ, **environment}, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def say(what: str) -> None:
    """Tell on standard error what is quiet for a while."""
    sys.stderr.write(f"dev.py: {what}\n")
    sys.stderr.flush()


def set_up(*, development: bool) -> None:
    """Make the environment from the project's own files; quick when it is there already."""
    stamp = VENV / ("development" if development else "runtime")
    wanted = (HERE / "pyproject.toml").read_text("utf-8")
    if stamp.exists() and stamp.read_text("utf-8") == wanted:
        return
    say(f"setting up {VENV.name}, which takes a few minutes the first time")
    if not (BIN / "python").exists():
        venv.create(VENV, with_pip=True)
    pip: list[str | Path] = [BIN / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if development:
        run(*pip, "--upgrade", "pip>=25.1")  # the first that knows dependency groups
        run(*pip, "--group", "dev", "--editable", ".")
    else:
        # Python writes the bytecode of what is used; all of it would be 35 MB.
        run(*pip, "--no-compile", "--editable", ".")
    stamp.write_text(wanted, "utf-8")


def try_it(folder: str = "src", question: str = "how are superseded documents kept out of the results") -> None:
    """Index a folder and ask it something, leaving no trace outside a scratch place."""
    set_up(development=False)
    with tempfile.TemporaryDirectory() as scratch:
        places = {"XDG_CONFIG_HOME": f"{scratch}/config", "XDG_DATA_HOME": f"{scratch}/data"}
        run(BIN / "gnomon", "index", Path(folder).resolve(), **places)
        run(BIN / "gnomon", "search", question, **places)


def test(*arguments: str) -> None:
    """Run the tests."""
    set_up(development=True)
    say("collecting the tests; then a sign for each")
    run(BIN / "python", "-m", "pytest", *arguments)


def check() -> None:
    """Run every gate; the tests in two processes, a file of them at a time, since many wait for disks and servers."""
    set_up(development=True)
    run(BIN / "ruff", "format", "--check", ".")
    run(BIN / "ruff", "check", ".")
    run(BIN / "mypy")
    run(BIN / "lint-imports")
    run(BIN / "python", "tools/reference.py", "--check")
    test(*IN_TWO_PROCESSES, "--durations", "15")


def main() -> None:
    """Dispatch."""
    if sys.version_info < (3, 11):  # noqa: UP036 - it may be run by any Python
        sys.exit(f"gnomon needs Python 3.11 or newer; this is {sys.version.split()[0]}")
    tasks: dict[str, Callable[..., None]] = {
        "try": try_it,
        "test": test,
        "quick": lambda: test("-m", QUICK, *IN_TWO_PROCESSES),
        "check": check,
    }
    task = tasks.get(sys.argv[1] if len(sys.argv) > 1 else "")
    if task is None:
        sys.exit(__doc__)
    task(*sys.argv[2:])


if __name__ == "__main__":
    main()
