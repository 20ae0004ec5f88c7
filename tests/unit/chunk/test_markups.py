"""Tests of chunk.markups: headings and code of the other markups."""

from __future__ import annotations

import pytest

from gnomon.chunk.markups import read_layout
from gnomon.chunk.rows import Rows

RST = """\
=====
Title
=====

Part
----

A literal::

    Not a part
    ----------

Sub
~~~

.. code-block:: python

   x = 1

.. note::

   Prose in a directive.

Other
-----
"""
ASCIIDOC = "= Title\n\n== Part\n\n----\n== no\n----\n\n====\nexample\n====\n\n=== Sub\n"
ORG = "* TODO [#A] Title :work:\n** Part\n#+BEGIN_SRC sh\n* no\n#+END_SRC\n*** Sub\n"
LATEX = r"""
\chapter{Title}
\section*{Part}\label{p}
\begin{verbatim}
\section{no}
\end{verbatim}
\subsection[s]{Sub}
"""
WIKI = "= Title =\n== Part ==\ntext\n=== Sub ===\n"
TYPST = "= Title\n```\n= no\n```\n== Part\n=== Sub\n"
TEXTILE = "h1. Title\n\nh2(#id). Part\n\nh3. Sub\n"
MAN = '.TH PROG 1\n.SH NAME\nprog\n.SS "Sub part"\n'


def found(text: str, language: str) -> list[tuple[int, str]]:
    """Level and title of each heading."""
    return [(heading.level, heading.title) for heading in read_layout(Rows(text), language).headings]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ASCIIDOC, "asciidoc"),
        (ORG, "org"),
        (WIKI, "mediawiki"),
        (TYPST, "typst"),
        (TEXTILE, "textile"),
    ],
)
def test_marked_headings_have_their_depth(text: str, language: str) -> None:
    """As many marks, so deep; none inside code."""
    assert found(text, language) == [(1, "Title"), (2, "Part"), (3, "Sub")]


def test_levels_of_rest_are_in_order_of_appearance() -> None:
    """A style with an overline is another than one without; a literal block has no titles."""
    assert found(RST, "rst") == [(1, "Title"), (2, "Part"), (3, "Sub"), (2, "Other")]


def test_code_of_rest_is_literals_and_code_directives() -> None:
    """What is under a note is prose."""
    rows = Rows(RST)

    code = [line.strip() for line, is_code in zip(rows.lines, read_layout(rows, "rst").code, strict=True) if is_code]

    assert code == ["Not a part", "----------", ".. code-block:: python", "x = 1"]


def test_latex_sections_have_their_rank() -> None:
    """With a star or a short title too."""
    assert found(LATEX, "latex") == [(2, "Title"), (3, "Part"), (4, "Sub")]


def test_man_pages_have_sections() -> None:
    """Quoted or not."""
    assert found(MAN, "man") == [(1, "NAME"), (2, "Sub part")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Release notes\n=============\n\ntext\n", [(1, "Release notes")]),
        ("Total\n-----------------------------\n12\n", []),
        ("a line\nanother line\n============\n", []),
        ("# no heading in plain text\n", []),
        ("====\n\n====\n", []),
    ],
)
def test_plain_text_has_underlined_titles_of_their_own_width(text: str, expected: list[tuple[int, str]]) -> None:
    """A row of signs under a column of numbers is none."""
    assert found(text, "plain") == expected
    assert found(text, "") == expected


def test_extracted_documents_have_marked_headings() -> None:
    """What reads a format writes its headings as "# "."""
    assert found("# Report\n\nSum\n---\n\n## Part\n", "docx") == [(1, "Report"), (2, "Part")]


@pytest.mark.parametrize("language", ["org", "asciidoc", "latex", "typst", "textile", "man", "mediawiki"])
def test_an_endless_line_is_no_heading(language: str) -> None:
    """It is not even tried: the expressions are not linear."""
    assert found("= * h1. " + " " * 300_000 + "x", language) == []


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("srt", "1\n00:00:01,000 --> 00:00:02,500\n1984 it was\n\n2\n00:00:03,000 --> 00:00:04,000\n12\n"),
        ("vtt", "WEBVTT\n\n00:01.000 --> 00:02.500 align:start\nspoken\n\n01:00:00.000 --> 01:00:01.000\n12\n"),
    ],
)
def test_timings_of_subtitles_are_not_for_the_embedder(language: str, text: str) -> None:
    """Numbers that are spoken are."""
    rows = Rows(text)
    code = read_layout(rows, language).code
    read = [line for line, left_out in zip(rows.lines, code, strict=True) if line and not left_out]
    assert read == {"srt": ["1984 it was", "12"], "vtt": ["WEBVTT", "spoken", "12"]}[language]
