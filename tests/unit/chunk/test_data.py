"""Tests of chunk.data: settings by their keys, tables under their header."""

from __future__ import annotations

import json

from gnomon.chunk import ChunkLimits, chunk
from gnomon.values import Chunk, Extracted
from tests.fakes.tokens import PieceTokens

SMALL = ChunkLimits(target_tokens=24, overlap_tokens=0, hard_tokens=40)


def cut(text: str, language: str) -> list[Chunk]:
    """Chunks of a text of data."""
    return chunk(Extracted(text, "data", language), path="p", tokens=PieceTokens(), limits=SMALL)


def test_rows_of_a_table_know_its_columns() -> None:
    """Every chunk but the first is embedded under the header."""
    text = "id,name,city\n" + "".join(f"{n},Ann {n},Paris\n" for n in range(30))

    chunks = cut(text, "csv")

    assert len(chunks) > 2
    assert [piece.context for piece in chunks] == ["", *["id,name,city"] * (len(chunks) - 1)]


def test_a_header_of_many_columns_is_shortened() -> None:
    """As many columns as fit in a quarter of the window."""
    text = ",".join(f"column_{n}" for n in range(40)) + "\n" + "1,2,3\n" * 40

    context = cut(text, "csv")[-1].context

    assert context.startswith("column_0,")
    assert PieceTokens().count(context) <= SMALL.hard_tokens // 4


def test_json_knows_the_keys_above() -> None:
    """A part of a large object is found by where it stands."""
    text = json.dumps({"name": "x", "scripts": {"build": {f"step{n}": n for n in range(30)}}}, indent=2)

    deep = [piece for piece in cut(text, "json") if piece.breadcrumb == ("scripts", "build")]

    assert deep
    assert all(piece.context == "scripts > build" for piece in deep)


def test_yaml_is_cut_between_its_top_keys() -> None:
    """Each service stays whole."""
    service = "  image: nginx\n  ports:\n    - 80\n  restart: always\n  labels:\n    a: b\n"
    text = "".join(f"service{n}:\n{service}" for n in range(4))

    assert [piece.text.partition(":")[0] for piece in cut(text, "yaml")] == [f"service{n}" for n in range(4)]


def test_toml_sections_keep_their_comments() -> None:
    """The comment above a section goes with it."""
    body = "".join(f"key{n} = {n}\n" for n in range(8))
    text = f"# first\n[one]\n{body}\n# second\n[two.sub]\n{body}"

    assert [piece.text.splitlines()[0] for piece in cut(text, "toml")] == ["# first", "# second"]


def test_a_large_section_says_its_name_in_every_part() -> None:
    """Keys below the cut know their section."""
    text = "[server]\n" + "".join(f"key{n} = {n}\n" for n in range(40))

    chunks = cut(text, "ini")

    assert len(chunks) > 2
    assert {piece.context for piece in chunks[1:]} == {"server"}


def test_data_defines_no_symbols() -> None:
    """A key is no definition: asking for a name finds the code."""
    assert all(not piece.symbols for piece in cut('{"parse": {"class": "Foo"}}', "json"))


def test_broken_data_is_cut_by_lines() -> None:
    """Nothing is parsed, so nothing can fail."""
    text = '{"a": [1, 2\n' * 40

    assert "".join(piece.text + "\n" for piece in cut(text, "json")) == text
