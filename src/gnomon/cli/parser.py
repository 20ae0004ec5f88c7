"""The parser of the command line: a row per command, imported only when it is asked for."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from typing import Any, NoReturn

from gnomon import __version__
from gnomon.cli.dashes import is_exclusion, words_last
from gnomon.errors import EXIT_CODES

# Command -> (module of cli, what it does). The help page and the reference are made from this.
COMMANDS: dict[str, tuple[str, str]] = {
    "add": ("folders", "search these folders too"),
    "list": ("folders", "the folders that are searched"),
    "ls": ("folders", ""),
    "remove": ("folders", "stop searching a folder and forget its text"),
    "config": ("config", "where settings, index and models are"),
    "index": ("index", "bring the index in step with the disk"),
    "search": ("search", "find passages by meaning and by words"),
    "related": ("related", "find passages of other files that are near in meaning to one"),
    "grep": ("grep", "find lines by a pattern in the files that are searched"),
    "cat": ("cat", "the text of one indexed file, as search sees it"),
    "status": ("status", "what is indexed, what is not and why"),
    "why": ("why", "the rule that keeps a file in or out"),
    "doctor": ("doctor", "what documents say of their own life, and what is wrong with it"),
    "calibrate": ("calibrate", "measure the noise of this corpus and suggest thresholds"),
    "evaluate": ("evaluate", "score the search on your own questions"),
    "bundle": ("bundle", "hand the vectors of an index to others, so that a team embeds once"),
    "watch": ("watch", "keep the index fresh while files change"),
    "optimize": ("optimize", "tidy the index and give back space"),
    "migrate": ("migrate", "move the index to another kind of store, without embedding again"),
    "mcp": ("mcp", "serve coding agents over the Model Context Protocol"),
    "serve": ("mcp", ""),
    "init": ("init", "answer a few questions and write project settings"),
    "scaffold": ("scaffold", "set up a project for its agents"),
    "hook": ("hook", "re-index after an agent's edit (called by the agent)"),
    "trust": ("trust", "trust the settings of a project"),
    "install": ("install", "register the server with a coding agent"),
}


_OPTIONS = frozenset({"-h", "--help", "-V", "--version"})  # of the program, before a command
# What somebody who typed the name alone is told.
FIRST_COMMANDS = """\
Local search that an agent can trust. In a folder of yours:

  {program} index .                 read it, so that it can be searched
  {program} search "a question"     find the passages that answer it

All commands: {program} --help"""


class Parser(argparse.ArgumentParser):
    """A parser whose complaint names the way to the help.

    Attributes:
        words: What the words of the command are, "query" say, where they may start with a dash; "" elsewhere.
        exclusions: Whether ``-word`` after the first word is one of them.
    """

    words: str = ""
    exclusions: bool = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse does, for a command with words that start with a dash; a command refuses what it does not know.

        Here and not by the parser of all commands, which would name its own help.
        """
        if self.words and args is not None:
            args = words_last(args, self._option_string_actions, exclusions=self.exclusions, refuse=self._refuse_dashed)
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown and self._subparsers is None:
            self.error(f"unrecognized arguments: {' '.join(map(_shown, unknown))}")
        return parsed, unknown

    def _refuse_dashed(self, word: str) -> None:
        shown = _shown(word)
        if self.exclusions and is_exclusion(word):  # behind -- it would be one as soon as another word follows
            way = f"to find it, quote it: {self.prog} '\"{shown}\"'"
            way += f"; to leave it out, name it last: {self.prog} WORD {shown}"
        else:
            way = f"a {self.words} that starts with - goes behind --: {self.prog} -- {shown}"
        self.error(f"no option {shown}; {way}")

    def error(self, message: str) -> NoReturn:
        """End with exit code 2 and one clear line."""
        self.exit(2, f"{self.prog}: {message}\nSee: {self.prog} --help\n")


def build_parser(program: str, arguments: Sequence[str]) -> argparse.ArgumentParser:
    """The parser for one call; only the command that is asked for is imported.

    Args:
        program: Name shown in help.
        arguments: What was typed; the first word that is a command picks it.
    """
    parser = Parser(
        prog=program,
        description="Local search that an agent can trust.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=_command_table(),
    )
    parser.add_argument("--version", "-V", action="version", version=f"gnomon {__version__}")
    # Not told the name, argparse formats a usage line to find it, which imports archive formats by way of shutil.
    commands = parser.add_subparsers(
        prog=program, dest="command", metavar="COMMAND", required=True, parser_class=Parser
    )
    wanted = next((word for word in arguments if not word.startswith("-")), None)
    if arguments and arguments[0].startswith("-") and arguments[0] not in {*_OPTIONS, "--"}:
        parser.error(f"no option {_shown(arguments[0])} before a command; those of a command go behind it")
    if wanted and wanted not in COMMANDS and not _OPTIONS & set(arguments):
        parser.error(_unknown(wanted))
    for name in COMMANDS if wanted not in COMMANDS else [wanted]:
        if wanted == name:
            add_command(commands, name, program=program)
        else:
            commands.add_parser(name)
    return parser


def add_command(
    commands: argparse._SubParsersAction[Parser], name: str, *, program: str = "gnomon"
) -> argparse.ArgumentParser:
    """Add the real parser of one command; its help shows the name it was called by, which may be an alias."""
    module = importlib.import_module(f"gnomon.cli.{COMMANDS[name][0]}")
    module.add_parser(commands)
    parser: argparse.ArgumentParser = commands.choices[name]
    parser.prog = f"{program} {name}"
    parser.add_argument("--config", metavar="FILE", help="settings file to use")
    return parser


def _shown(word: str) -> str:
    """A word as it was typed, harmless to a terminal."""
    return ascii(word)[1:-1]


def _unknown(word: str) -> str:
    from difflib import get_close_matches

    near = [f"--{word}"] if f"--{word}" in _OPTIONS else get_close_matches(word, COMMANDS, n=3, cutoff=0.6)
    return f"no command is called {_shown(word)}" + (f"; did you mean {' or '.join(near)}?" if near else "")


def _command_table() -> str:
    rows = [f"  {name:10s} {meaning}" for name, (_, meaning) in COMMANDS.items() if meaning]
    codes = [f"  {code:<10d} {meaning}" for code, meaning in EXIT_CODES.items()]
    lists = ["commands:", *rows, "", "exit codes:", *codes]
    return "\n".join(lists) + "\n\n`gnomon COMMAND --help` says more."
