"""What the command line says to somebody who does not know it yet."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from gnomon import errors
from gnomon.analyze import analyze_query
from gnomon.cli.parser import COMMANDS, Parser, add_command, build_parser
from gnomon.cli.shell import run_command_line
from gnomon.errors import EXIT_CODES


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
        ("help", "did you mean --help?"),
        ("--config", "no option --config before a command; those of a command go behind it"),
        ("a\x1b[31mdd", "no command is called a\\x1b[31mdd"),
    ],
)
def test_mistyped_command_gets_the_nearest_ones(typed: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, one line, and the way to the help."""
    assert run_command_line([typed, "x"], program="gnomon") == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.endswith("See: gnomon --help\n")


def test_help_says_what_exit_codes_mean() -> None:
    """A script goes by them."""
    page = build_parser("gnomon", []).format_help()
    assert all(f"\n  {code:<10d} {meaning}" in page for code, meaning in EXIT_CODES.items())
    assert {code for name, code in vars(errors).items() if name.startswith("EXIT_") and name != "EXIT_CODES"} == set(
        EXIT_CODES
    )


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
        (["--", "-40"], ["-40"]),
        (["--", "-std=c++17"], ["-std=c++17"]),
        (["--", " "], [" "]),
        (["--", "-postgres", "backups"], ["-postgres", "backups"]),
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
        (["search", "-postgres"], "to find it, quote it: gnomon search '\"-postgres\"'; to leave it out, name it last"),
        (["search", "--", "-postgres"], "quote it: gnomon search '\"-postgres\"'; to leave it out, name it last"),
        (["search", "--", "-postgres", "-nats"], "no option -postgres; to find it, quote it"),
        (["search", "-rf", "delete"], "gnomon search WORD -rf\n"),
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


def test_way_that_is_named_for_a_word_like_an_exclusion_searches_for_it() -> None:
    """Behind -- it would be left out as soon as another word follows."""
    asked = build_parser("gnomon", ["search"]).parse_args(["search", '"-postgres"', "backups"])
    assert analyze_query(" ".join(asked.query)).phrases == ("-postgres",)
    assert analyze_query("-postgres backups").terms == ("backup",)


def test_name_alone_is_answered_with_the_first_two_commands(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever types it wants to know what to type; a script that forgot the command gets an exit code."""
    assert run_command_line([], program="semantic-search") == 2
    told = capsys.readouterr().err
    assert "semantic-search index ." in told
    assert 'semantic-search search "' in told
    assert "semantic-search --help" in told


def test_grep_takes_the_letter_that_every_grep_has() -> None:
    """Either case is the default; who types -i gets it, and not a complaint."""
    args = build_parser("gnomon", ["grep", "-i", "foo"]).parse_args(["grep", "-i", "foo"])
    assert (args.pattern, args.case_sensitive) == ("foo", False)


_HUGE = "99999999999999999999"


@pytest.mark.parametrize(
    "arguments",
    [
        *(("search", "-k", value, "x") for value in (_HUGE, "0", "-1", "1.5", "many")),
        ("search", "--per-file", _HUGE, "x"),
        ("grep", "--max-results", _HUGE, "x"),
        ("evaluate", "-k", "0", "questions.jsonl"),
        *(("index", option, _HUGE) for option in ("--max-files", "--concurrency", "--threads")),
        *(("mcp", "--http", "--port", value) for value in ("99999", "-1", _HUGE)),
    ],
)
def test_number_out_of_range_is_refused_with_the_range(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """What no database, socket or machine can count is a mistake of typing, not a fault of ours."""
    assert run_command_line(arguments, program="gnomon") == 2
    assert "must be a whole number from" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--min-confidence", "-0.5", "from 0 to 1"),
        ("--min-confidence", "1.5", "from 0 to 1"),
        ("--min-score", "nan", "from -1 to 1"),
    ],
)
def test_threshold_out_of_range_is_refused_with_its_own_range(
    option: str, value: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A confidence is a probability, a cosine is not."""
    assert run_command_line(("search", f"{option}={value}", "x"), program="gnomon") == 2
    assert said in capsys.readouterr().err


def test_address_that_is_none_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name with an empty part cannot even be looked up."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    token = tmp_path / "token"
    token.write_text("secret", "utf-8")
    arguments = ("mcp", "--http", "--host", "a..b", "--token-file", str(token))
    assert run_command_line(arguments, program="semantic-search") == 2
    assert "a..b" in capsys.readouterr().err
