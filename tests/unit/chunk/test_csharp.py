"""Members of C# types are known by the look of their lines, since the grammar is not in the default install."""

from __future__ import annotations

import pytest

from gnomon.chunk.indent import outline
from gnomon.chunk.rows import Rows


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("public int? Count { get; set; }", "Count"),
        ("public override MemberKind Kind", "Kind"),
        ("private XContainer Container => (XContainer)WrappedNode!;", "Container"),
        ("public virtual Task<bool> ReadAsync(CancellationToken cancellationToken = default)", "ReadAsync"),
        ("public IEnumerable<T> Annotations<T>() where T : class", "Annotations"),
        ("public Store(string name, bool open = true)", "Store"),
        ("public delegate void Failed(object sender, ErrorContext error);", "Failed"),
        ("void Rename(string name);", "Rename"),
        ("string? Name { get; }", "Name"),
        ("public const int MaxDepth = 64;", "MaxDepth"),
    ],
)
def test_member_is_a_definition(line: str, name: str) -> None:
    """Properties, methods with defaults, members of interfaces, constants."""
    found = outline(Rows(f"class Store\n{{\n    {line}\n}}\n"), "csharp").definitions
    assert [definition.name.rpartition(".")[2] for definition in found[1:]] == [name]


@pytest.mark.parametrize(
    "line",
    [
        "return Create(name);",
        "writer.WriteValue(value);",
        "var i = 0;",
        "await Task.Delay(1);",
        "private readonly TextReader _reader;",
        "if (x == null) { throw new ArgumentNullException(nameof(x)); }",
    ],
)
def test_statement_is_none(line: str) -> None:
    """Calls, locals and private fields are not what people ask for by name."""
    assert len(outline(Rows(f"class Store\n{{\n    {line}\n}}\n"), "csharp").definitions) == 1
