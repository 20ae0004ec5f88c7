"""``gnomon init``: a few questions, and the project's settings are written."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.cli.render import safe_line
from gnomon.cli.scaffold import add_setting_options, given_settings, say_if_apart, show_diffs, show_plan
from gnomon.config import PROJECT_CONFIG, find_config, load_config
from gnomon.config.paths import real
from gnomon.config.settings_file import read_raw
from gnomon.errors import EXIT_DONE, Interrupted, UsageError

if TYPE_CHECKING:
    from gnomon.project.questions import Question


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "init",
        help="answer a few questions and write project settings",
        description="Writes .rag/config.json of this project, and .gitignore lines for its index, which is plain text. "
        "Keys that are there already stay unless you change them.",
    )
    add_setting_options(parser)
    parser.add_argument("--docs", metavar="DIR", help="folder with the documents (default: the whole project)")
    parser.add_argument("--model", metavar="NAME", help="embedding model (default: the one that comes with gnomon)")
    parser.add_argument("--yes", "-y", action="store_true", help="do not ask: take the defaults for what is not given")
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="show what would change, and change nothing; without a terminal, with the defaults",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Ask, plan, write."""
    from gnomon.project.changes import apply, confined
    from gnomon.project.scaffold import plan_git_ignore
    from gnomon.project.settings import plan_settings, relative_vault

    file = find_config(args.config or str(PROJECT_CONFIG))
    root = _project_of(file)
    file = confined(root, PROJECT_CONFIG if _is_usual(file) else file.name)
    given = given_settings(args)
    if args.docs is not None:
        given["vaultPath"] = relative_vault(file, root / args.docs)
    if args.model is not None:
        given["embedModel"] = args.model
    if not args.yes and not (args.dry_run and not sys.stdin.isatty()):
        given = _ask(file, root, given)
    settings = plan_settings(file, root, given)
    plan = [settings, plan_git_ignore(root, settings)]
    if args.dry_run:
        show_diffs(plan)
        return EXIT_DONE
    if any(change.is_needed for change in plan):
        show_plan(plan)
        apply(plan)
        say_if_apart(root, settings)
    for line in _how_it_is_searched(file):
        print(line)
    print("Next: gnomon index, and gnomon scaffold . to register it with agents")
    return EXIT_DONE


def _how_it_is_searched(file: Path) -> list[str]:
    """What the settings mean for searches and is not to be guessed from their file.

    Raises:
        ConfigError: There were settings already, and they make no sense.
    """
    config = load_config(file)
    if config.ranking != "grounded":
        return []
    lines = ["Ranking: grounded, which refuses what is not near enough; --ranking hybrid shows the best there is"]
    if excluded := ", ".join(config["defaultExclude"]):
        lines.append(f"Left out of searches: paths with {safe_line(excluded)} (setting defaultExclude; --all lifts it)")
    return lines


def _is_usual(file: Path) -> bool:
    return file.parts[-2:] == PROJECT_CONFIG.parts


def _project_of(file: Path) -> Path:
    return real(file.parents[1] if _is_usual(file) else file.parent)


def _ask(file: Path, root: Path, given: dict[str, Any]) -> dict[str, Any]:
    """The answers that differ from what is in force, on top of the options.

    Raises:
        UsageError: Nobody is there to answer.
        Interrupted: The user gave up.
    """
    if not sys.stdin.isatty():
        raise UsageError(
            "init asks questions, and there is no terminal to ask on; take the defaults with: gnomon init --yes"
        )
    from gnomon.project.questions import QUESTIONS
    from gnomon.project.settings import new_settings

    present = {**new_settings(file, root), **read_raw(file), **given}
    answers = dict(given)
    for question in QUESTIONS:
        if question.key not in given:
            value = _answer(question, question.show(present, file, root), lambda q, text: q.parse(text, file, root))
            if value is not None:
                answers[question.key] = value
    return answers


def _answer(question: Question, shown: str, parse: Callable[[Question, str], Any]) -> Any:
    """What the user says, asked again until it makes sense; None for what is shown."""
    while True:
        try:
            text = input(f"{question.text} [{shown}]: ").strip()
        except EOFError:
            raise Interrupted("nothing was written") from None
        if not text:
            return None
        try:
            return parse(question, text)
        except UsageError as e:
            print(e, file=sys.stderr)
