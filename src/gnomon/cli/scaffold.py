"""``gnomon scaffold``: set up a project for its agents."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.cli import render
from gnomon.config import PROJECT_CONFIG, load_config, real_folder, user_config_file
from gnomon.errors import EXIT_DONE, ConfigError, Interrupted, UsageError

if TYPE_CHECKING:
    from gnomon.project.changes import FileChange


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "scaffold",
        help="set up a project for its agents",
        description="Writes .rag/config.json, .mcp.json and .gitignore lines; what is in them already stays. "
        "Running it again changes only what is asked for.",
    )
    parser.add_argument("dir", metavar="DIR", help="the project's folder")
    add_setting_options(parser)
    parser.add_argument("--hook", action="store_true", help="let Claude Code re-index after its edits")
    parser.add_argument("--local", action="store_true", help="register for you on this machine only, not in .mcp.json")
    parser.add_argument("--yes", "-y", action="store_true", help="do not ask")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
    parser.set_defaults(run=run)


def add_setting_options(parser: argparse.ArgumentParser) -> None:
    """Options that become keys of the settings file."""
    parser.add_argument("--name", metavar="NAME", help="name of the server, as agents see it")
    parser.add_argument("--include", metavar="A,B", action="append", help="only these folders or globs of the project")
    parser.add_argument("--desc", metavar="TEXT", help="what is in here: agents decide by it whether to search")


def given_settings(args: argparse.Namespace) -> dict[str, Any]:
    """The keys of the settings file that the options name."""
    from gnomon.project.settings import split_list

    given: dict[str, Any] = {}
    if args.name is not None:
        given["serverName"] = args.name
    if args.include is not None:
        given["include"] = [part for text in args.include for part in split_list(text)]
    if args.desc is not None:
        given["toolDescription"] = args.desc
    return given


def run(args: argparse.Namespace) -> int:
    """Plan, show, ask, write."""
    from gnomon.project.agents import Machine
    from gnomon.project.changes import apply
    from gnomon.project.scaffold import ScaffoldOptions, plan_scaffold

    root = real_folder(args.dir)
    config = Path(args.config) if args.config else PROJECT_CONFIG
    if config.is_absolute():
        if not config.is_relative_to(root):
            raise UsageError(f"the settings must lie inside the project {root}, not at {config}")
        config = config.relative_to(root)
    options = ScaffoldOptions(given_settings(args), config, hook=args.hook, local=args.local)
    plan = plan_scaffold(root, options, Machine())
    if args.dry_run:
        show_diffs(plan)
        return EXIT_DONE
    if any(change.is_needed for change in plan):
        show_plan(plan)
        confirm(yes=args.yes)
        apply(plan)
    if not getattr(args, "quiet", False):
        say_if_apart(root, plan[0])  # the settings come first
        _say_what_is_next(plan, local=args.local)
    return EXIT_DONE


def show_plan(plan: Sequence[FileChange]) -> None:
    """One line per file that will be written, or will go."""
    for change in plan:
        if change.is_needed:
            verb = "create" if change.before is None else "delete" if change.after is None else "change"
            print(f"{verb}  {render.safe_line(str(change.path))}")


def show_diffs(plan: Sequence[FileChange]) -> None:
    """The plan as one patch, and nothing where there is nothing to do."""
    from gnomon.project.changes import unified_diff

    for change in plan:
        print(render.safe(unified_diff(change)), end="")
    if not any(change.is_needed for change in plan):
        print("Nothing to change.")


def confirm(*, yes: bool) -> None:
    """Ask a person before anything is written; a script is taken at its word.

    Raises:
        Interrupted: The answer is no.
    """
    if yes or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return
    try:
        answer = input("Write this? [Y/n] ").strip().lower()
    except EOFError:
        answer = "n"
    if answer not in {"", "y", "yes"}:
        raise Interrupted("nothing was written")


def say_if_apart(root: Path, settings: FileChange) -> None:
    """Say of a project that the user's own index may hold already that its new settings begin another one.

    Args:
        root: The project.
        settings: As they were planned and written.
    """
    own = user_config_file()
    if settings.before is not None or settings.path != root / PROJECT_CONFIG:
        return
    try:
        above = next((folder for folder in load_config(own).folders if root.is_relative_to(folder.root)), None)
    except ConfigError:
        return  # whoever uses those settings is told then
    if above:
        print(
            f"{render.safe_line(str(above.root))} is in the settings {render.safe_line(str(own))} too. In this project "
            "commands use an index of its own from now on, which is empty until: gnomon index"
        )


def _say_what_is_next(plan: Sequence[FileChange], *, local: bool) -> None:
    if not any(change.is_needed for change in plan):
        print("Everything is set up already; nothing was written.")
    if not local and shutil.which("gnomon") is None:
        print(
            "Note: agents will start `gnomon` by name, but it is not in the PATH here (pipx or uv tool put it there)."
        )
    print("Next: gnomon index")
