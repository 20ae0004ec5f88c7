"""``gnomon watch``: keep the index fresh while files change."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.cli.render import safe
from gnomon.cli.session import open_config, open_corpus, settings_file
from gnomon.config import environment, home_dir, load_config, user_config_file
from gnomon.errors import EXIT_DONE, FolderError, UsageError

if TYPE_CHECKING:
    from gnomon.config import Config
    from gnomon.watch.unit import Unit

_NICENESS = 10
# What may move settings, index or models; a service does not inherit them.
_PASSED_ON = (
    *("GNOMON_INDEX_DIR", "SS_INDEX_DIR", "GNOMON_MODEL_CACHE_DIR", "SS_MODEL_CACHE_DIR"),
    *("GNOMON_STORE_BACKEND", "SS_STORE_BACKEND", "XDG_CONFIG_HOME", "XDG_DATA_HOME"),
)


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "watch",
        help="keep the index fresh while files change",
        description="Waits for a checkout, rebase or merge to end, and never takes a folder that is away for empty.",
    )
    parser.add_argument(
        "--install", action="store_true", help="write a systemd user unit or launchd agent that does it"
    )
    parser.add_argument("--uninstall", action="store_true", help="remove that file")
    parser.add_argument("--dry-run", action="store_true", help="print the file and where it belongs; write nothing")
    parser.add_argument("--quiet", "-q", action="store_true", help="print nothing but errors")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Watch until interrupted, or install what does."""
    if args.install or args.uninstall or args.dry_run:
        return _install(args)
    from gnomon.watch.keeper import Keeper
    from gnomon.watch.watching import watch

    corpus = open_corpus(args)
    if not corpus.folders and not corpus.config.missing:
        raise FolderError("no folder to watch; add one: gnomon add PATH")
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    file = settings_file(args)
    keeper = Keeper(lambda: _trusted(file), stop, lambda line: _tell(line, quiet=args.quiet))
    if not args.quiet:
        print(f"watching {', '.join(safe(str(f.root)) for f in corpus.folders) or 'nothing yet'}; Ctrl-C ends it")
        sys.stdout.flush()
    watch(keeper, stop)
    return EXIT_DONE


def _trusted(file: Path) -> Config:
    from gnomon.trust import require_trust

    config = load_config(file)
    require_trust(config)
    return config


def _tell(line: str, *, quiet: bool) -> None:
    if not quiet or "not indexed" in line or "kept" in line:
        print(safe(line), file=sys.stderr if quiet else sys.stdout, flush=True)


def _install(args: argparse.Namespace) -> int:
    from gnomon.trust import require_trust

    config = open_config(args)
    require_trust(config)
    unit = _unit(config.file.absolute())
    if args.dry_run:
        print(f"{'would remove' if args.uninstall else 'would write'} {unit.path}")
        print(unit.text if not args.uninstall else "", end="")
    elif args.uninstall:
        there = unit.path.exists()
        unit.path.unlink(missing_ok=True)
        print(f"removed {unit.path}" if there else f"there is no {unit.path}")
        print(f"end the one at work with: {unit.stop}")
    else:
        unit.path.parent.mkdir(parents=True, exist_ok=True)
        unit.path.write_text(unit.text, encoding="utf-8", errors="surrogateescape")
        print(f"wrote {unit.path}\nstart it with: {unit.start}")
    return EXIT_DONE


def _unit(settings: Path) -> Unit:
    from gnomon.watch.unit import launchd_agent, systemd_unit, unit_name

    command = [sys.executable, "-m", "gnomon", "watch", "--quiet", "--config", str(settings)]
    name = unit_name(settings, is_users_own=settings == user_config_file().absolute())
    passed_on = {key: value for key in _PASSED_ON if (value := environment(key))}
    if sys.platform == "darwin":
        return launchd_agent(name, command, home=home_dir(), environment=passed_on)
    if sys.platform == "win32":
        raise UsageError(f"no service manager is known here; let the Task Scheduler start: {' '.join(command)}")
    config_home = Path(environment("XDG_CONFIG_HOME") or home_dir() / ".config")
    return systemd_unit(name, command, config_home=config_home, environment=passed_on, settings=settings)
