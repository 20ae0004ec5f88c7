"""Tests of chunk.syntax: the names that a syntax tree gives, and the bounds of reading one."""

from __future__ import annotations

import tracemalloc

import pytest

from gnomon.chunk import grammars, indent, syntax
from gnomon.chunk.grammars import GRAMMARS
from gnomon.chunk.outline import Outline
from gnomon.chunk.rows import Rows

DEFAULT = [
    *("python", "javascript", "typescript", "tsx", "go", "rust", "java", "c", "cpp", "ruby", "php", "bash", "lua"),
    *("elixir", "zig"),
]

# Languages whose grammars share their rows of types.
SHARING = {
    **dict.fromkeys(("javascript", "typescript", "tsx"), ("javascript", "typescript")),
    **dict.fromkeys(("c", "cpp", "cuda"), ("c", "cpp")),
}

DEFINED: dict[str, tuple[str, list[str]]] = {
    "python": (
        """\
A: int = 1
B, C = 2, 3
class K(Base):
    x = 1
    @property
    def p(self):
        def inner(): ...
async def f():
    local = 1
""",
        ["A", "K", "K.p", "K.p.inner", "f"],
    ),
    "javascript": (
        """\
var http = require('http')
const LIMIT = 1, go = (a) => a
app.handle = function handle(req) {}
Foo.prototype.bar = function () {}
module.exports = function main() {}
exports.made = create()
exports.again = again
class A extends B {
  get = () => 1
  static s() { const local = 1 }
}
defineGetter(req, 'secure', function secure() {
  return 1
})
const o = {
  run: function () {}, x: 1,
  go2() {}
}
""",
        ["LIMIT", "go", "app.handle", "Foo.bar", "main", "made", "A", "A.get", "A.s", "secure", "o", "o.run", "o.go2"],
    ),
    "typescript": (
        """\
export interface I {
  m(): void
  p: string
}
export abstract class C<T> {
  abstract f(): void
  private g(x: number) { return 1 }
}
export type T = 1
enum E { A }
export const z = object({})
namespace N {
  export function q() {}
}
""",
        ["I", "I.m", "C", "C.f", "C.g", "T", "E", "z", "N", "N.q"],
    ),
    "go": (
        """\
package p

func (s *Store[T]) Get(k string) int { return 1 }

type (
	A struct{ X int }
	I interface {
		M()
	}
)

const (
	K = iota
	L
)

var v = 1

func f() {
	var local = 1
}
""",
        ["Store.Get", "A", "I", "I.M", "K", "L", "v", "f"],
    ),
    "rust": (
        """\
impl<T> Display for Foo<T> {
    fn fmt(&self) {
        const LOCAL: u8 = 1;
    }
}
pub struct S;
mod u;
mod t {
    pub fn inside() {}
}
trait T {
    fn sig(&self);
}
macro_rules! m { () => {} }
cfg_rt! {
    pub fn spawn<T>(f: T) {
        let x = 1;
    }
}
""",
        ["Foo.fmt", "S", "t", "t.inside", "T", "T.sig", "m"],
    ),
    "java": (
        """\
package a;

public class A<T> {
  static final int X = 1;
  private int y;
  A() {}
  @Override
  public <T> void m(int a) {}
  enum E { P }
  record R(int a) {}
}

interface I {
  void q();
}
""",
        ["A", "A.X", "A.A", "A.m", "A.E", "A.R", "I", "I.q"],
    ),
    "c": (
        """\
#define MAX 1
#define F(x) (x)

typedef struct foo_s {
  int a;
} foo_t;

struct bar { int b; };
struct bar *make(void);

static int *
fn(int a)
{
  return 0;
}

enum e { A, B };
""",
        ["MAX", "F", "foo_s", "foo_t", "bar", "fn", "e"],
    ),
    "cpp": (
        """\
namespace a::b {
template <class T>
class Foo : public X {
  void m() {}
};
}

int Foo<T>::m(int x) {
  return 1;
}

Foo::~Foo() {}

using Alias = int;
""",
        ["Foo", "Foo.m", "Foo::m", "Foo::~Foo", "Alias"],
    ),
    "ruby": (
        """\
module A
  class B < C
    K = 1
    attr_reader :x
    def m?(a) = 1
    def self.s; end
    private def z; end
  end
end
""",
        ["A", "A.B", "A.B.K", "A.B.x", "A.B.m?", "A.B.s", "A.B.z"],
    ),
    "php": (
        r"""<?php
namespace A\B;

abstract class C extends D {
    const K = 1;
    public static function m(int $a): void {}
}

function f() {}

interface I {
    function q();
}
""",
        ["C", "C.K", "C.m", "f", "I", "I.q"],
    ),
    "bash": (
        """\
readonly LIMIT=1

foo() {
  local x=1
}

function bar {
  :
}
""",
        ["LIMIT", "foo", "bar"],
    ),
    "lua": (
        """\
local utils = require "utils"
local M = {}

function M.a.b(x)
  local y = 1
end

function M:c() end

M.e = function() end

return {
  g = function() end,
}
""",
        ["M", "M.a.b", "M:c", "M.e", "g"],
    ),
    "elixir": (
        """\
defmodule A.B do
  @doc false
  def f(a) when a > 1, do: 1
  defp g, do: 2

  defmacro m(x) do
    x
  end
end
""",
        ["A.B", "A.B.f", "A.B.g", "A.B.m"],
    ),
    "zig": (
        """\
const std = @import("std");
pub const S = struct {
    x: u8,

    pub fn m(self: S) void {
        const z = 1;
    }
};
var g: u8 = 1;
""",
        ["S", "S.m", "g"],
    ),
}


def outline(text: str, language: str) -> Outline:
    """The outline by syntax tree, which is there."""
    found = syntax.outline(Rows(text), language)
    assert found is not None
    return found


def names(text: str, language: str) -> list[str]:
    """Names in order of their row."""
    return [item.name for item in sorted(outline(text, language).definitions, key=lambda item: item.named) if item.name]


@pytest.mark.parametrize("language", DEFAULT)
def test_the_default_grammars_are_installed(language: str) -> None:
    """A wheel that does not load would go unnoticed: every language has the line chunker."""
    assert grammars.load(language) is not None


@pytest.mark.parametrize("language", sorted(GRAMMARS))
def test_every_type_of_the_table_is_one_of_the_grammar(language: str) -> None:
    """A misspelt or renamed type would silently define nothing."""
    found = [loaded for name in SHARING.get(language, (language,)) if (loaded := grammars.load(name))]
    if not found:
        pytest.skip(f"the grammar of {language} is not installed")
    grammar = GRAMMARS[language]
    types = {*grammar.roles, *grammar.namers, *grammar.leading, *grammar.bodies}

    unknown = {name for name in types if all(known.id_for_node_kind(name, True) is None for known, _ in found)}

    assert unknown == set()


@pytest.mark.parametrize("language", sorted(DEFINED))
def test_names_are_those_that_people_ask_for(language: str) -> None:
    """Qualified by what is around them; locals, imports, mere mentions and properties are not among them."""
    text, expected = DEFINED[language]

    assert names(text, language) == expected


def test_a_definition_begins_with_what_leads_it() -> None:
    """Comments, decorators and the export belong to it; a comment after a blank line does not."""
    text = "// apart\n\n// says what\n@deco\nexport class A {}\n"

    (found,) = outline(text, "typescript").definitions

    assert (found.first, found.named, found.last) == (2, 4, 4)


def test_a_doc_comment_leads_over_one_blank_line() -> None:
    """As in the sources of Express."""
    (found,) = outline("/**\n * Says what.\n */\n\nfunction f() {}\n", "javascript").definitions

    assert found.first == 0


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("@deprecated('x')\ndef f(): ...\n", "python"),
        ("def f():\n    '''Deprecated: use g.'''\n", "python"),
        ("/** @deprecated use g */\nfunction f() {}\n", "javascript"),
        ("// Deprecated: use G.\nfunc F() {}\n", "go"),
        ('#[deprecated(since = "1")]\npub fn f() {}\n', "rust"),
        ("class A {\n  @Deprecated\n  void f() {}\n}\n", "java"),
        ("[[deprecated]] void f() {}\n", "cpp"),
    ],
)
def test_a_definition_says_that_it_is_deprecated(text: str, language: str) -> None:
    """By the means of its language."""
    assert [item.deprecated for item in outline(text, language).definitions][-1]


def test_deprecated_words_elsewhere_mean_nothing() -> None:
    """A function that warns of something deprecated is not."""
    (found,) = outline("def warn():\n    log('this is deprecated')\n", "python").definitions

    assert not found.deprecated


def test_rows_are_right_beyond_ascii_and_for_every_line_end() -> None:
    """Offsets of the tree are characters, and CR alone ends a comment."""
    text = "# größe 漢字 \U0001f600\rdef größe():\r    return '\U0001f600'\r\ndef ok(): ...\n"

    found = outline(text, "python").definitions

    assert [(item.name, item.named) for item in found] == [("größe", 1), ("ok", 3)]


def test_names_in_macros_and_errors_are_found_by_their_look() -> None:
    """What the grammar does not read is marked, and read line by line."""
    rows = Rows("cfg_rt! {\n    pub fn spawn(f: u8) {\n    }\n}\n")

    assert outline(rows.text, "rust").broken == [(0, 3), (0, 3)] or outline(rows.text, "rust").broken == [(0, 3)]
    assert [item.name for item in indent.find_callables(rows, "rust")] == ["spawn"]


_CLOSURES = {
    "typescript": """\
export const kept = 1;
test("it", async () => {
  const result = run();
  function helper() {}
});
""",
    "javascript": """\
const kept = 1;
(() => {
  let inside = 2;
})();
""",
    "go": """\
package x

var kept = func() {
\tconst inside = 1
\tvar other = 2
}
""",
    "lua": """\
kept = 1
describe('it', function()
  local inside = 2
end)
""",
    "kotlin": """\
val kept = make {
    val inside = 1
}
val other = fun() {
    val inner = 1
}
""",
    "swift": """\
let kept = make {
    let inside = 1
    return inside
}
""",
    "scala": """\
object kept {
  test("it") {
    val inside = 1
  }
  val other = (x: Int) => {
    val inner = 2
    x }
}
""",
}


@pytest.mark.parametrize("language", list(_CLOSURES))
def test_values_in_functions_without_a_name_are_local(language: str) -> None:
    """What a test or a callback calls "result" is no definition; a function in it is one."""
    if grammars.load(language) is None:
        pytest.skip(f"the grammar of {language} is not installed")

    found = [item.name for item in outline(_CLOSURES[language], language).definitions]

    assert found[0] == "kept"
    assert set(found) <= {"kept", "helper", "other", "kept.other"}


def test_one_long_line_does_not_hide_the_others() -> None:
    """A picture in a constant of a file that somebody wrote."""
    text = f'const picture = "{"x" * (syntax.MAX_LINE_CHARS + 1)}";\n' + "export function show() {}\n" * 300

    assert syntax.outline(Rows(text), "typescript") is not None


@pytest.mark.parametrize(
    "text",
    [
        "(" * 400_000,
        "{[" * 200_000,
        "x = 1\n" * 200_000,
        "a" * (syntax.MAX_LINE_CHARS + 1),
    ],
)
def test_what_no_person_wrote_is_not_parsed(text: str) -> None:
    """Nesting, size and lines have bounds; the line chunker takes over."""
    assert syntax.outline(Rows(text), "go") is None


def test_a_parse_that_makes_no_way_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser is asked how far it is, and let go."""
    monkeypatch.setattr(syntax, "_LEAST_QUESTIONS", 0)
    monkeypatch.setattr(syntax, "_CHARS_PER_QUESTION", 10**9)

    assert syntax.outline(Rows("x = [1, 2, 3]\n" * 500), "python") is None


def test_a_thread_that_cannot_start_costs_the_tree_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the address space has no room for a deep stack."""

    def refuse(_thread: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", refuse)

    assert syntax.outline(Rows("x = [1, 2, 3]\n" * 2_000), "python") is None


def test_parsing_keeps_no_memory() -> None:
    """The binding keeps what its reader returns: that must not be the source."""
    found = grammars.load("python")
    assert found is not None
    source = b"def f(x):\n    return [x, 1]\n\n" * 1_500
    syntax._parse(source, found[0])
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(10):
            syntax._parse(source, found[0])
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()

    assert grown < len(source) / 2


def test_an_absent_grammar_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The language is outlined by its indentation."""
    grammars.load.cache_clear()
    monkeypatch.setattr(grammars, "import_module", lambda _name: (_ for _ in ()).throw(ImportError))
    try:
        assert syntax.outline(Rows("x = 1\n"), "python") is None
    finally:
        grammars.load.cache_clear()
