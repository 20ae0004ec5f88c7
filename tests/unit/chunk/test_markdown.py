"""Tests of chunk.markdown: headings, code and tables by the block rules of CommonMark."""

from __future__ import annotations

import pytest

from gnomon.chunk.layout import Layout, Table, plain
from gnomon.chunk.markdown import read
from gnomon.chunk.rows import Rows


def layout(text: str, *, setext: bool = True) -> Layout:
    """The layout of a text."""
    return read(Rows(text), 0, setext=setext)


def titles(text: str, *, setext: bool = True) -> list[tuple[int, str]]:
    """Level and title of each heading."""
    return [(heading.level, heading.title) for heading in layout(text, setext=setext).headings]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# One\n## Two ##\n###### Six", [(1, "One"), (2, "Two"), (6, "Six")]),
        ("   # Indented by three", [(1, "Indented by three")]),
        ("#", [(1, "")]),
        ("#\tTab", [(1, "Tab")]),
        ("# A #b", [(1, "A #b")]),
        ("text\n# Interrupts", [(1, "Interrupts")]),
        ("Title\n=====\n\nPart\n---\n", [(1, "Title"), (2, "Part")]),
        ("Two\nlines\n===", [(1, "Two lines")]),
        ("Title\n  =\n", [(1, "Title")]),
    ],
)
def test_headings_are_found(text: str, found: list[tuple[int, str]]) -> None:
    """With marks before or lines below."""
    assert titles(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "#no-space",
        "####### seven",
        "\\# escaped",
        "    # indented code",
        "- # in an item",
        "> # in a quote",
        "---\n",
        "text\n\n---\n",
        "- item\n---\n",
        "> quote\n---\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "<!--\n# commented out\n-->",
        "<pre>\n# raw\n\n# still raw\n</pre>",
        "```\n# code\n",
        "1. item\n\n   ```\n   # code\n   ```\n",
        "> ```\n> # code\n> ```\n",
    ],
)
def test_what_is_no_heading_is_none(text: str) -> None:
    """Code, quotes, lists, rules, tables, comments and raw HTML have no headings of the document."""
    assert titles(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "```\n~~~~^^^^\n# no\n```\n# Yes",
        "~~~~\n~~~\n# no\n~~~~~\n# Yes",
        "````md\n```\n# no\n```\n````\n# Yes",
        "```\n    ```\n# no\n```\n# Yes",
        "``` a`b\n# Yes",
        "- ```\n  # no\n\n# Yes",
        "> ```\n> # no\n# Yes",
        "<!-- one line -->\n# Yes",
        "- item\n# Yes",
        "- item\n\n    more\n\n# Yes",
    ],
)
def test_a_heading_after_a_block_is_found(text: str) -> None:
    """A fence ends with its own mark, as long as it began and not indented as code, or with its container."""
    assert titles(text) == [(1, "Yes")]


def test_underlines_do_not_count_in_extracted_text() -> None:
    """A PDF may have a line of dashes below any line."""
    assert titles("Sum\n---\n\n# Real", setext=False) == [(1, "Real")]


def test_code_is_fences_comments_and_indented_blocks() -> None:
    """Paragraphs, lists and lazy lines are not."""
    text = "text\n\n    code\n\n```\nx\n```\n<!-- a\nb -->\n- item\n\n    of the item\nlazy\n    lazy too\n"

    code = [row for row, is_code in enumerate(layout(text).code) if is_code]

    assert code == [2, 4, 5, 6, 7, 8]


def test_tables_have_a_head_and_a_body() -> None:
    """The row of dashes makes the table; a blank row ends it."""
    text = "Intro | not a table\n\n| a | b |\n|:--|--:|\n| 1 | 2 |\n| 3 | 4 |\n\nx | y\n--|--\n5 | 6\n# End\n"

    assert layout(text).tables == (Table(2, 4, 6), Table(7, 9, 10))


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("The `run` command", "The run command"),
        ("[Link](https://x.y/z) and ![image](i.png)", "Link and image"),
        ("*One* **two** ***three*** __four__", "One two three four"),
        ("snake_case_name and 2*3*4", "snake_case_name and 2*3*4"),
        ("Title {#anchor .class}", "Title"),
        ('<a id="x"></a>Title', "Title"),
        (":ref:`Guide <guide>`", "Guide"),
        ("x" * 500, "x" * 200),
    ],
)
def test_titles_are_plain(title: str, expected: str) -> None:
    """What is shown to people and read by the embedder has no markup."""
    assert plain(title) == expected
