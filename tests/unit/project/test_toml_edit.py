"""Editing a TOML text changes one table and keeps what people wrote around it."""

from __future__ import annotations

import tomllib

import pytest

from gnomon.project.toml_edit import TomlEditError, remove_toml_table, set_toml_value

PATH = ("mcp_servers", "gnomon")
ENTRY = {"command": "gnomon", "args": ["mcp"]}
WRITTEN = '[mcp_servers.gnomon]\ncommand = "gnomon"\nargs = ["mcp"]\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", WRITTEN),
        ('model = "x" # mine\n', 'model = "x" # mine\n\n' + WRITTEN),
        ('model = "x"', 'model = "x"\n\n' + WRITTEN),
        ("[mcp_servers.a]\nb = 1\n\n# about other\n[other]\nc = 1\n", None),
        ('[mcp_servers]\na = { command = "x" } # inline\n', None),
        ("a = 1\r\n", "a = 1\r\n\r\n" + WRITTEN.replace("\n", "\r\n")),
        ("\ufeffa = 1\n", "\ufeffa = 1\n\n" + WRITTEN),
    ],
)
def test_new_table_goes_to_the_end(before: str, after: str | None) -> None:
    """All that was there stays in front of it, letter for letter."""
    changed = set_toml_value(before, PATH, ENTRY)
    assert changed == (after or before + "\n" + WRITTEN)
    assert set_toml_value(changed, PATH, ENTRY) == changed


@pytest.mark.parametrize(
    "before", ['mcp_servers = { a = { command = "x" } } # c\n', "mcp_servers.a.command = 'x' # c\n"]
)
def test_table_in_an_unusual_spelling_gets_its_sibling(before: str) -> None:
    """Where no table can be added at the end, the entry goes where the others are."""
    changed = set_toml_value(before, PATH, ENTRY)
    assert tomllib.loads(changed) == {"mcp_servers": {"a": {"command": "x"}, "gnomon": ENTRY}}
    assert "# c" in changed
    assert tomllib.loads(remove_toml_table(changed, PATH)) == tomllib.loads(before)


def test_value_is_replaced_in_its_place() -> None:
    """Comments beside and around it stay."""
    before = '# top\n[mcp_servers.gnomon] # ours\n# why\ncommand = "old" # path\nenv = { A = "1" }\n# end\n'
    changed = set_toml_value(before, (*PATH, "command"), "new")
    assert changed == before.replace('"old"', '"new"')


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (WRITTEN, ""),
        ("a = 1\n\n" + WRITTEN, "a = 1\n"),
        (WRITTEN + "\n# about b\n[b]\nc = 1\n", "\n# about b\n[b]\nc = 1\n"),
        (
            "[a]\nx = 1\n\n" + WRITTEN + '\n[mcp_servers.gnomon.env]\nK = "v"\n\n[b]\nc = 1\n',
            "[a]\nx = 1\n\n[b]\nc = 1\n",
        ),
        ('[mcp_servers."gnomon"]\nargs = [\n  "[mcp]",\n]\n[b]\n', "[b]\n"),
        (
            '[mcp_servers]\ngnomon = { command = "gnomon" }\nb = { command = "x" } # c\n',
            '[mcp_servers]\nb = { command = "x" } # c\n',
        ),
        ("a = 1\r\n\r\n[mcp_servers.gnomon]\r\ncommand = 'x'\r\n", "a = 1\r\n"),
    ],
)
def test_table_is_removed_with_the_tables_inside_it(before: str, after: str) -> None:
    """What others wrote, comments in front of the next table included, stays."""
    assert remove_toml_table(before, PATH) == after


def test_header_inside_a_string_is_no_header() -> None:
    """A text that only looks like the table is left alone."""
    before = 'a = """\n[mcp_servers.gnomon]\n"""\n\n' + WRITTEN
    assert tomllib.loads(remove_toml_table(before, PATH)) == {"a": "[mcp_servers.gnomon]\n"}


def test_text_that_cannot_be_edited_safely_is_refused() -> None:
    """A list in the place of the tables is no place for an entry."""
    with pytest.raises(TomlEditError):
        set_toml_value("[[mcp_servers]]\na = 1\n", PATH, ENTRY)
