"""Prose is cut by its headings, and the headings are found as each markup has them."""

from __future__ import annotations

from itertools import pairwise

from gnomon.chunk import ChunkLimits, chunk
from gnomon.values import Chunk, Extracted
from tests.fakes.tokens import FakeTokens

LIMITS = ChunkLimits(target_tokens=20, overlap_tokens=5, hard_tokens=40)
BODY = "Some plain words that make this section large enough to stand alone, because a tiny one joins its child here.\n"


def _cut(text: str, language: str = "markdown", limits: ChunkLimits = LIMITS) -> list[Chunk]:
    return chunk(Extracted(text, "prose", language), path="x.md", tokens=FakeTokens(), limits=limits)


def _crumbs(text: str, language: str = "markdown") -> list[tuple[str, ...]]:
    return [piece.breadcrumb for piece in _cut(text, language)]


def test_breadcrumb_is_the_chain_of_headings() -> None:
    """A section knows what it lies under, and a sibling ends the one before."""
    text = f"# A\n\n{BODY}\n## B\n\n{BODY}\n### C\n\n{BODY}\n## D\n\n{BODY}"
    assert _crumbs(text) == [("A",), ("A", "B"), ("A", "B", "C"), ("A", "D")]


def test_context_names_the_section() -> None:
    """The embedder reads the headings before the text."""
    assert [piece.context for piece in _cut(f"# A\n\n{BODY}\n## B\n\n{BODY}")] == ["A", "A > B"]


def test_heading_with_too_little_below_joins_its_first_subsection() -> None:
    """A title alone is no passage."""
    pieces = _cut(f"# A\n\n## B\n\n{BODY}", limits=ChunkLimits(60, 5, 80))
    assert [piece.breadcrumb for piece in pieces] == [("A", "B")]


def test_setext_headings_count() -> None:
    """Underlined titles are headings; a rule after a blank line is not."""
    assert _crumbs(f"A\n===\n\n{BODY}\n---\n\nB\n---\n\n{BODY}") == [("A",), ("A", "B")]


def test_hash_in_a_fence_is_no_heading() -> None:
    """Comments of code are not headings, also behind a longer fence of the other kind."""
    fence = "```sh\n# not a heading\n~~~~^^^^\n# nor this\n```\n"
    assert _crumbs(f"# A\n\n{BODY}\n{fence}\n## B\n\n{BODY}")[-1] == ("A", "B")


def test_fence_is_closed_by_its_own_kind_and_length_only() -> None:
    """A shorter or other fence inside does not end a block."""
    text = f"# A\n\n{BODY}\n````\n```\n# inside\n```\n````\n\n## B\n\n{BODY}"
    assert ("inside",) not in [crumbs[-1:] for crumbs in _crumbs(text)]


def test_code_is_not_embedded_but_kept() -> None:
    """B3: code blocks are removed from the embedded text, not from the passage."""
    (piece,) = _cut(f"# A\n\n{BODY}\n```\nprint(1)\n```\n", limits=ChunkLimits(100, 10, 120))
    assert "print(1)" in piece.text
    assert "print(1)" not in piece.embedded
    assert "Some plain words" in piece.embedded


def test_code_alone_is_embedded() -> None:
    """A section that is nothing but code is still found by meaning."""
    (piece,) = _cut("# A\n\n```\nprint(1)\n```\n", limits=ChunkLimits(100, 10, 120))
    assert "print(1)" in piece.embedded


def test_later_rows_of_a_table_keep_its_header() -> None:
    """A table that has to be cut is embedded with its header in each part."""
    rows = "".join(f"| cell {n} | value {n} |\n" for n in range(30))
    pieces = _cut(f"# T\n\n| Name | Price |\n|---|---|\n{rows}", limits=ChunkLimits(40, 0, 60))
    assert len(pieces) > 2
    assert all("Name" in piece.embedded for piece in pieces)


def test_large_section_is_packed_with_overlap() -> None:
    """Paragraphs are packed, and a part begins with some of what came before it where the window has room."""
    text = "# A\n\n" + "\n\n".join(f"word{n} and a few more words" for n in range(20))
    pieces = _cut(text, limits=ChunkLimits(20, 8, 40))
    assert len(pieces) > 3
    assert any(b.span.start < a.span.end for a, b in pairwise(pieces))


def test_japanese_is_cut_at_its_sentences() -> None:
    """Text without blanks is no single word."""
    pieces = _cut("これは短い文です。" * 60, "plain", ChunkLimits(8, 0, 10))
    assert all(piece.text.endswith("。") for piece in pieces)


def test_restructured_text_levels_come_by_appearance() -> None:
    """The first adornment is the outermost level, overlined or not."""
    text = f"=====\nTitle\n=====\n\n{BODY}\nPart\n----\n\n{BODY}\nOther\n-----\n\n{BODY}"
    assert _crumbs(text, "rst") == [("Title",), ("Title", "Part"), ("Title", "Other")]


def test_asciidoc_and_org_headings() -> None:
    """Equals signs and stars make sections; inside a listing they do not."""
    assert _crumbs(f"= A\n\n{BODY}\n----\n= no\n----\n\n== B\n\n{BODY}", "asciidoc")[-1] == ("A", "B")
    assert _crumbs(f"* A\n\n{BODY}\n** B\n\n{BODY}", "org") == [("A",), ("A", "B")]


def test_markup_in_headings_is_dropped() -> None:
    """Links, emphasis and anchors do not get into the breadcrumb."""
    assert _crumbs(f"# `run` a **[job](x.md)** {{#job}}\n\n{BODY}")[0] == ("run a job",)


def test_tiny_sections_beside_each_other_share_a_chunk() -> None:
    """Three lines of a glossary are one passage under what they have in common."""
    text = f"# Words\n\n{BODY}{BODY}\n" + "".join(f"## Term {n}\n\nIt means {n}.\n\n" for n in range(3))

    pieces = _cut(text, limits=ChunkLimits(60, 0, 80))

    assert [piece.breadcrumb for piece in pieces] == [("Words",), ("Words",)]
    assert pieces[1].text.count("## Term") == 3


def test_sections_of_some_length_stay_apart() -> None:
    """What one section says must not blur another."""
    text = "".join(f"## Part {n}\n\n{BODY}{BODY}\n" for n in range(3))

    assert len(_cut(text, limits=ChunkLimits(300, 0, 320))) == 3


def test_a_heading_stays_with_its_first_paragraph() -> None:
    """No chunk ends in a heading."""
    paragraphs = "\n\n".join("word " * 12 for _ in range(6))

    pieces = _cut(f"# Title\n\n{paragraphs}\n", limits=ChunkLimits(15, 0, 30))

    assert "word" in pieces[0].text


def test_what_introduces_a_list_stays_with_it() -> None:
    """A line that ends in a colon belongs to what follows."""
    text = f"# T\n\n{'word ' * 20}\n\nThe steps are these:\n\n- one two three\n- four five six\n"

    pieces = _cut(text, limits=ChunkLimits(25, 0, 30))

    assert pieces[-1].text.startswith("The steps are these:")


def test_overlap_begins_at_a_sentence() -> None:
    """The part repeats the last sentence before it, not half of one."""
    text = "# A\n\n" + "\n\n".join(f"Alpha {n} beta gamma. Delta {n} eps." for n in range(12))

    pieces = _cut(text, limits=ChunkLimits(24, 6, 40))

    assert all(piece.text.startswith("Delta") for piece in pieces[1:])


def test_no_overlap_reaches_into_code_or_tables() -> None:
    """A half of a code block before a paragraph would be noise."""
    code = "```\n" + "x = 1\n" * 4 + "```\n"

    pieces = _cut(f"# A\n\n{BODY}\n{code}\n{BODY}\n{code}\n", limits=ChunkLimits(22, 10, 40))

    assert all(not piece.text.startswith("x =") for piece in pieces)


def test_a_paragraph_above_the_window_is_cut_at_sentences() -> None:
    """Before it is cut at words."""
    text = "One two three four five six. " * 30

    pieces = _cut(text, "plain", ChunkLimits(20, 0, 24))

    assert all(piece.text.endswith("six.") for piece in pieces)


def test_a_context_of_long_headings_keeps_the_innermost() -> None:
    """The nearest heading says most."""
    text = f"# {'outer ' * 30}\n\n## Inner\n\n{BODY}"

    assert _cut(text, limits=ChunkLimits(100, 0, 120))[-1].context == "Inner"


def test_front_matter_is_in_no_chunk() -> None:
    """Lines still count from the top of the file."""
    text = f"---\nstatus: draft\n---\n# A\n\n{BODY}"

    (piece,) = chunk(
        Extracted(text, "prose", "markdown"), path="x", tokens=FakeTokens(), limits=LIMITS, body_start=text.index("#")
    )

    assert piece.start_line == 4
    assert piece.breadcrumb == ("A",)


def test_code_of_a_notebook_is_embedded() -> None:
    """In a notebook the code is the content; in other prose it is left to the words."""
    text = f"# A\n\n{BODY}\n```python\nfit(model)\n```\n"
    limits = ChunkLimits(60, 5, 80)

    assert "fit(model)" in _cut(text, "jupyter", limits)[0].embedded
    assert "fit(model)" not in _cut(text, "markdown", limits)[0].embedded
