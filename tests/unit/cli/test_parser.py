"""What the command line says to somebody who does not know it yet."""

from __future__ import annotations

import argparse

import pytest

from gnomon.cli.parser import COMMANDS, Parser, add_command, build_parser
from gnomon.cli.shell import run_command_line


def _parser(name: str) -> argparse.ArgumentParser:
    return add_command(Parser(prog="gnomon").add_subparsers(parser_class=Parser), name)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_argument_of_every_command_has_help(name: str) -> None:
    """A line in ``--help`` without a text leaves its reader to guess."""
    silent = [a.dest for a in _parser(name)._actions if not a.help]
    assert silent == []


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_the_name_that_was_typed(name: str) -> None:
    """Also where it is an alias."""
    assert _parser(name).format_usage().startswith(f"usage: gnomon {name} ")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("serach", "no command is called serach; did you mean search?"),
        ("idnex", "did you mean index?"),
        ("xyzzy", "gnomon: no command is called xyzzy\n"),
        ("a\x1b[31mdd", "no command is called a\\x1b[31mdd"),
    ],
)
def test_mistyped_command_gets_the_nearest_ones(typed: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, one line, and the way to the help."""
    assert run_command_line([typed, "x"], program="gnomon") == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.endswith("See: gnomon --help\n")


def test_since_says_which_date_is_meant() -> None:
    """A document has two: its own, and that of its file."""
    assert "else that of the file" in " ".join(_parser("search").format_help().split())


@pytest.mark.parametrize(
    ("typed", "query"),
    [
        (["database", "-restic"], ["database", "-restic"]),
        (["database", "-kubernetes", "-k", "3", "-hash"], ["database", "-kubernetes", "-hash"]),
        (["a", "--lang", "python", "b", "--ranking=grounded", "-k5", "c"], ["a", "b", "c"]),
        (["--", "--follow"], ["--follow"]),
        (["--words", "-40"], ["-40"]),
    ],
)
def test_words_of_a_query_may_start_with_a_dash(typed: list[str], query: list[str]) -> None:
    """An exclusion is taken behind the first word, whatever options stand around it."""
    assert build_parser("gnomon", ["search", *typed]).parse_args(["search", *typed]).query == query


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["search", "--follow"], "a query that starts with - goes behind --: gnomon search -- --follow"),
        (["search", "git", "log", "--follow"], "no option --follow; a query that starts with -"),
        (["search", "git", "-n", "5"], "no option -n; "),
        (["grep", "-foo"], "a pattern that starts with - goes behind --: gnomon grep -- -foo"),
        (["grep", "-n", "foo"], "no option -n; "),
        (["why", "a.md", "--x"], "gnomon why: unrecognized arguments: --x"),
    ],
)
def test_word_that_is_no_option_names_the_way_and_the_help_of_its_command(
    typed: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The help of all commands does not tell about the options of one."""
    assert run_command_line(typed, program="gnomon") == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.endswith(f"See: gnomon {typed[0]} --help\n")


def test_grep_takes_the_letter_that_every_grep_has() -> None:
    """Either case is the default; who types -i gets it, and not a complaint."""
    args = build_parser("gnomon", ["grep", "-i", "foo"]).parse_args(["grep", "-i", "foo"])
    assert (args.pattern, args.case_sensitive) == ("foo", False)
