"""Runs one command line: parse, dispatch, and turn what went wrong into one clear line and an exit code."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from gnomon.errors import EXIT_FAULT, EXIT_INTERRUPTED, EXIT_USER, GnomonError

PROGRAMS = ("gnomon", "semantic-search", "docs-rag")


def run_command_line(arguments: Sequence[str], *, program: str) -> int:
    """Run a command; never raises.

    Args:
        arguments: Without the program's name.
        program: How it was called; ``semantic-search`` ignores project settings, ``docs-rag`` ranks grounded.
    """
    name = Path(program).stem
    name = name if name in PROGRAMS else "gnomon"
    _make_output_safe()
    signal.signal(signal.SIGINT, end_at_once)
    try:
        return _dispatch(arguments, name)
    except GnomonError as e:
        _say(f"{name}: {e}")
        return e.exit_code
    except KeyboardInterrupt:
        _say(f"{name}: interrupted")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader has what it wanted (head, less). Python would complain again while closing standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE if hasattr(signal, "SIGPIPE") else EXIT_USER
    except OSError as e:
        # A full disk, a name too long, a folder that went: the system's word is what the user can act on.
        _say(f"{name}: {e.strerror or e}{f': {e.filename}' if e.filename else ''}")
        _abandon_output()
        return EXIT_USER
    except Exception as e:  # noqa: BLE001 - the last resort of the program
        return _report_fault(name, e)


def _dispatch(arguments: Sequence[str], name: str) -> int:
    from gnomon.cli.parser import FIRST_COMMANDS, build_parser

    if not arguments:
        print(FIRST_COMMANDS.format(program=name), file=sys.stderr)
        return EXIT_USER
    try:
        args = build_parser(name, arguments).parse_args(arguments)
    except SystemExit as e:  # argparse ends the process by itself
        return e.code if isinstance(e.code, int) else EXIT_USER
    args.program = name
    code: int = args.run(args)
    sys.stdout.flush()
    return code


def end_at_once(_number: int = 0, _frame: object = None) -> None:
    """Answer Ctrl-C by ending the process: an exception inside a library's import would be taken for its fault.

    Every write is a transaction and the writer's lock dies with the process, so nothing is lost.
    """
    with suppress(OSError):
        print("interrupted", file=sys.stderr)
    os._exit(EXIT_INTERRUPTED)


def _abandon_output() -> None:
    """Keep Python from failing once more when it closes a standard output that takes nothing."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _make_output_safe() -> None:
    """Consoles that are not UTF-8, names that are not, and closed streams must never end a run."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - open as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - open as long as the process
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _say(text: str) -> None:
    """Print an error; whatever path is in it, no terminal obeys it."""
    from gnomon.cli.render import safe

    with suppress(OSError):
        print(safe(text), file=sys.stderr)


def _report_fault(name: str, error: Exception) -> int:
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile("w", prefix="gnomon-fault-", suffix=".txt", delete=False, encoding="utf-8") as log:
        log.write(traceback.format_exc())
    _say(f"{name}: a fault of ours: {type(error).__name__}: {error}\nPlease report it with the file {log.name}")
    return EXIT_FAULT
