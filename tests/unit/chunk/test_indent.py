"""Tests of chunk.indent: names and nesting by the look of the lines, for languages without a grammar."""

from __future__ import annotations

import pytest

from gnomon.chunk import indent
from gnomon.chunk.outline import Outline, joints
from gnomon.chunk.patterns import BY_LANGUAGE, FAMILIES
from gnomon.chunk.rows import Rows

DEFINED: dict[str, tuple[str, list[str]]] = {
    "csharp": (
        """\
public class Store<T> : Base
{
    private const int Max = 1;
    public void Refresh(int a)
    {
        var local = Call(a);
        return Other(local);
    }
}
""",
        ["Store", "Store.Max", "Store.Refresh"],
    ),
    "kotlin": (
        """\
data class User(val id: Int) {
    suspend fun <T> load(x: T): T = x
}

fun List<User>.ids() = map { it.id }
object Cache
typealias Ids = List<Int>
""",
        ["User", "User.load", "ids", "Cache", "Ids"],
    ),
    "swift": (
        """\
public final class Session {
    let queue = 1
    func start() -> Int {
        let local = 1
    }
}
extension Session {
    func stop() {}
}
protocol Delegate {}
""",
        ["Session", "Session.queue", "Session.start", "Session.stop", "Delegate"],
    ),
    "scala": (
        """\
object Main extends App {
  def run[T](x: T): T = x
}
case class P(a: Int)
""",
        ["Main", "Main.run", "P"],
    ),
    "haskell": (
        """\
module A where

data Shape = Circle | Square

area :: Shape -> Double
area Circle = 1
area Square = 2

class Draw a where
  draw :: a -> IO ()
""",
        ["A", "Shape", "area", "Draw", "Draw.draw"],
    ),
    "ocaml": (
        """\
module M = struct
  let rec f x = x
end
type t = int
""",
        ["M", "M.f", "t"],
    ),
    "erlang": (
        """\
-module(store).
-record(user, {id}).

refresh(A, B) ->
    A + B.
""",
        ["store", "user", "refresh"],
    ),
    "clojure": (
        """\
(ns app.core)

(defn refresh [x]
  (inc x))

(def ^:private limit 1)
""",
        ["app.core", "refresh", "limit"],
    ),
    "perl": (
        """\
package Store;

sub refresh {
    my $x = 1;
}
""",
        ["Store", "refresh"],
    ),
    "r": (
        """\
refresh <- function(x) {
  y <- 1
}
limit <- 3
""",
        ["refresh", "limit"],
    ),
    "julia": (
        """\
struct Point
    x
end

function norm(p)
    1
end

f(x) = x + 1
""",
        ["Point", "norm", "f"],
    ),
    "sql": (
        """\
CREATE TABLE IF NOT EXISTS users (
  id INT
);

create or replace function total() returns int
""",
        ["users", "total"],
    ),
    "powershell": (
        """\
function Get-Store {
    param($x)
}
""",
        ["Get-Store"],
    ),
    "hcl": (
        """\
resource "aws_vpc" "main" {
  cidr = 1
}

variable "region" {}
""",
        ["main", "region"],
    ),
    "protobuf": (
        """\
message User {
  int32 id = 1;
}

service Store {
  rpc Get(Id) returns (User);
}
""",
        ["User", "Store", "Store.Get"],
    ),
    "graphql": (
        """\
type Query {
  user: User
}

enum Role { ADMIN }
""",
        ["Query", "Role"],
    ),
    "scss": (
        """\
@mixin card($x) {
  a: b;
}

.button {
  color: red;
}
""",
        ["card", ".button"],
    ),
    "make": (
        """\
CC = gcc

build: main.c
	$(CC) main.c
""",
        ["CC", "build"],
    ),
    "cmake": (
        """\
function(add_thing name)
endfunction()

add_library(core a.c)
""",
        ["add_thing", "core"],
    ),
    "vim": (
        """\
function! s:Refresh(x) abort
  return 1
endfunction
""",
        ["s:Refresh"],
    ),
    "tcl": (
        """\
proc refresh {x} {
  return 1
}
""",
        ["refresh"],
    ),
    "verilog": ("module counter(input clk);\nendmodule\n", ["counter"]),
    "pascal": (
        """\
procedure TStore.Refresh;
begin
end;

function Total: Integer;
begin
end;
""",
        ["TStore.Refresh", "Total"],
    ),
    "fortran": (
        """\
subroutine refresh(x)
  real :: x
end subroutine

pure function total(y)
end function
""",
        ["refresh", "total"],
    ),
    "vb": (
        """\
Public Class Store
    Private Sub Refresh()
    End Sub
End Class
""",
        ["Store", "Store.Refresh"],
    ),
    "matlab": (
        """\
function y = refresh(x)
y = x;
end
""",
        ["refresh"],
    ),
    "assembly": (
        """\
refresh:
    mov eax, 1
    ret
""",
        ["refresh"],
    ),
    "batch": (
        """\
:refresh
echo 1
goto :eof
""",
        ["refresh"],
    ),
    "nim": (
        """\
proc refresh*(x: int): int =
  x

type
  Store* = ref object
    id: int
""",
        ["refresh", "Store"],
    ),
    "bash": (
        """\
refresh() {
  :
}

@test "it works" {
  true
}
""",
        ["refresh", "it works"],
    ),
    "cython": (
        """\
cdef class Store:
    cpdef int refresh(self, int x):
        return x
""",
        ["Store", "Store.refresh"],
    ),
    "jinja": (
        """\
{% macro card(x) %}
<b>{{ x }}</b>
{% endmacro %}
""",
        ["card"],
    ),
    "dart": (
        """\
class Store {
  Future<int> refresh(int x) async {
    return x;
  }
}
""",
        ["Store", "Store.refresh"],
    ),
    "lean": ("theorem add_comm (a b : Nat) : a + b = b + a := by\n  simp\n", ["add_comm"]),
    "just": (
        """\
build target:
  cargo build

version := '1'
""",
        ["build", "version"],
    ),
    "nix": (
        """\
{
  name = "x";
}
""",
        ["name"],
    ),
    "dockerfile": ("FROM python:3 AS build\nRUN x\n", ["build"]),
    "zig": (
        """\
pub const Store = struct {
    pub fn refresh(self: Store) void {
    }
};
""",
        ["Store", "Store.refresh"],
    ),
    "objectivec": (
        """\
@interface Store
- (void)refresh:(int)x;
@end
""",
        ["Store", "refresh"],
    ),
    "elixir": (
        """\
defmodule Store do
  def refresh?(x) do
    x
  end
end
""",
        ["Store", "Store.refresh?"],
    ),
    "never-heard-of": (
        """\
class Store {
  function refresh() {
  }
}
""",
        ["Store", "Store.refresh"],
    ),
}


def outline(text: str, language: str) -> Outline:
    """The outline by indentation."""
    return indent.outline(Rows(text), language)


@pytest.mark.parametrize("language", sorted(DEFINED))
def test_names_are_found_by_the_look_of_their_lines(language: str) -> None:
    """Qualified by the indentation; locals are not among them."""
    text, expected = DEFINED[language]

    found = [item.name for item in outline(text, language).definitions if item.name]

    assert list(dict.fromkeys(found)) == expected


def test_every_family_serves_a_language() -> None:
    """A family that nothing refers to would be dead."""
    assert {id(family) for family in FAMILIES.values()} == {id(family) for family in BY_LANGUAGE.values()}


def test_a_definition_reaches_to_its_closing_line() -> None:
    """With the comments above it, and a body in Allman braces."""
    text = "// says what\nvoid run(int x)\n{\n    go();\n}\n\nvoid next(int y)\n{\n}\n"

    found = [(item.first, item.named, item.last) for item in outline(text, "c").definitions]

    assert found == [(0, 1, 4), (6, 6, 8)]


def test_a_comment_at_the_margin_does_not_end_a_body() -> None:
    """Code commented out in a function is inside of it."""
    text = "sub run {\n    first();\n#   second();\n    third();\n}\n"

    assert outline(text, "perl").depths == [0, 1, 1, 1, 1]


def test_closing_lines_are_glued_to_what_they_close() -> None:
    """No chunk begins with a lone bracket."""
    rows = Rows("function a() {\n  one()\n}\nfunction b() {\n  two()\n}\n")

    strengths = joints(rows, indent.outline(rows, "never-heard-of"))

    assert strengths.index(min(strengths[1:]), 1) == 3
    assert strengths[2] > strengths[1]
    assert strengths[5] > strengths[4]
