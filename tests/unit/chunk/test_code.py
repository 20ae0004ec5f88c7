"""Code is cut into whole definitions that know their names, with a grammar or without."""

from __future__ import annotations

import pytest

from gnomon.chunk import ChunkLimits, chunk
from gnomon.values import Chunk, Extracted
from tests.fakes.tokens import FakeTokens

DEFINING = {
    "python": ("class Store:\n    def refresh(self):\n        return 1\n", "Store.refresh"),
    "javascript": ("class Store {\n  refresh() { return 1 }\n}\n", "Store.refresh"),
    "typescript": ("export class Store {\n  refresh(): number { return 1 }\n}\n", "Store.refresh"),
    "go": ("func (s *Store) Refresh() int {\n\treturn 1\n}\n", "Store.Refresh"),
    "rust": ("impl Store {\n    pub fn refresh(&self) -> u8 { 1 }\n}\n", "Store.refresh"),
    "java": ("class Store {\n  int refresh() { return 1; }\n}\n", "Store.refresh"),
    "csharp": ("class Store\n{\n    public int? Refresh { get; set; }\n}\n", "Store.Refresh"),
    "c": ("static int refresh(struct store *s)\n{\n  return 1;\n}\n", "refresh"),
    "ruby": ("class Store\n  def refresh\n    1\n  end\nend\n", "Store.refresh"),
    "bash": ("refresh() {\n  echo 1\n}\n", "refresh"),
    "lua": ("function M.refresh(x)\n  return 1\nend\n", "M.refresh"),
    "haskell": ("refresh :: Int -> Int\nrefresh x = x + 1\n", "refresh"),
    "kotlin": ("class Store {\n    fun refresh(): Int = 1\n}\n", "Store.refresh"),
    "swift": ("class Store {\n    func refresh() -> Int { 1 }\n}\n", "Store.refresh"),
}


def _cut(text: str, language: str, limits: ChunkLimits | None = None) -> list[Chunk]:
    limits = limits or ChunkLimits(200, 35, 254)
    return chunk(Extracted(text, "code", language), path="x", tokens=FakeTokens(), limits=limits)


@pytest.mark.parametrize("language", DEFINING)
def test_definition_is_a_symbol(language: str) -> None:
    """What a chunk defines is in its symbols, qualified by what it lies in."""
    text, name = DEFINING[language]
    symbols = [symbol for piece in _cut(text, language) for symbol in piece.symbols]
    assert name in symbols or name.rpartition(".")[2] in symbols


def test_function_stays_whole_with_its_comment_and_decorator() -> None:
    """What belongs to a function is cut with it."""
    one = "# says what\n@cached\ndef one(a):\n" + "    a = a + 1\n" * 6
    two = "# says more\ndef two(b):\n" + "    b = b + 1\n" * 6
    pieces = _cut(f"{one}\n\n{two}", "python", ChunkLimits(45, 0, 60))
    assert [piece.text.splitlines()[0] for piece in pieces] == ["# says what", "# says more"]


def test_later_part_of_a_large_function_knows_its_enclosing() -> None:
    """The part of a definition that does not show its head carries it as context."""
    text = "class Store:\n    def refresh(self):\n" + "".join(f"        self.x{n} = {n}\n" for n in range(60))
    pieces = _cut(text, "python", ChunkLimits(50, 0, 60))
    assert len(pieces) > 2
    assert all("refresh" in piece.context for piece in pieces[2:])


def test_deprecated_definition_is_marked() -> None:
    """A symbol that says it should not be used is known as such."""
    (piece,) = _cut("@deprecated('use other')\ndef old():\n    pass\n", "python")
    assert piece.deprecated


def test_broken_code_still_has_chunks_and_names() -> None:
    """Code that no grammar accepts is cut by its look."""
    text = "def ok():\n    return 1\n\n\nclass (((:\n    ???\n\n\ndef also():\n    return 2\n"
    symbols = {symbol for piece in _cut(text, "python") for symbol in piece.symbols}
    assert {"ok", "also"} <= symbols


def test_small_neighbours_share_a_chunk() -> None:
    """Imports and one-line helpers do not become a chunk each."""
    text = "import a\nimport b\n\nLIMIT = 1\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n"

    (piece,) = _cut(text, "python")

    assert piece.symbols == ("LIMIT", "one", "two")


def test_a_method_knows_its_class() -> None:
    """The embedder reads the class before a method that is cut off from it."""
    methods = "".join(f"    def m{n}(self):\n" + "        self.x = self.y + 1\n" * 4 for n in range(3))

    pieces = _cut(f"class Store(Base):\n    '''Keeps.'''\n\n{methods}", "python", ChunkLimits(40, 0, 50))

    assert pieces[1].context == "class Store(Base)"
    assert pieces[1].signature == "def m0(self)"


def test_a_comment_cut_off_its_function_says_what_it_documents() -> None:
    """A long doc comment is embedded under the signature."""
    comment = "/**\n" + " * Explains in many words what is done here.\n" * 8 + " */\n"

    pieces = _cut(f"{comment}function parse(text) {{\n  return text\n}}\n", "javascript", ChunkLimits(30, 0, 40))

    assert all(piece.context == "function parse(text)" for piece in pieces)
    assert [piece.symbols for piece in pieces][-1] == ("parse",)


def test_a_signature_over_several_lines_is_one_line() -> None:
    """Parameters below each other, as formatters write them."""
    (piece,) = _cut("def run(\n    self,\n    *,\n    fast: bool,\n) -> int:\n    return 1\n", "python")

    assert piece.signature == "def run(self, *, fast: bool) -> int"


def test_a_class_with_one_deprecated_method_is_not() -> None:
    """Only where everything that a chunk defines is."""
    text = "class A:\n    @deprecated('x')\n    def old(self): ...\n\n    def new(self): ...\n"

    (piece,) = _cut(text, "python")

    assert not piece.deprecated


def test_the_inside_of_a_deprecated_class_is_deprecated() -> None:
    """Its methods go with it."""
    body = "".join(f"  void m{n}() {{\n    int a = b + c;\n    int d = e + f;\n  }}\n" for n in range(6))

    pieces = _cut(f"@Deprecated\nclass Old {{\n{body}}}\n", "java", ChunkLimits(30, 0, 40))

    assert len(pieces) > 2
    assert all(piece.deprecated for piece in pieces)


def test_minified_code_is_cut_at_signs() -> None:
    """A line of 20,000 characters has no tree, but chunks within the window."""
    text = "function a(b,c){return b+c};" * 700

    pieces = _cut(text, "javascript", ChunkLimits(50, 0, 60))

    assert len(pieces) > 50
    assert all(piece.start_line == 1 for piece in pieces)
    assert sum(piece.text.endswith((";", "}", "{", ",", ")")) for piece in pieces) > len(pieces) // 2


@pytest.mark.parametrize("brackets", ["(", "{[", "<!-- ", "if (a) ", '"${'])
@pytest.mark.parametrize("language", ["javascript", "go", "kotlin"])
def test_hostile_code_is_chunked_all_the_same(brackets: str, language: str) -> None:
    """Bounded work, and nothing lost."""
    text = brackets * 3_000

    pieces = _cut(text, language, ChunkLimits(200, 0, 254))

    assert "".join(piece.text for piece in pieces).replace(" ", "") == text.replace(" ", "")
