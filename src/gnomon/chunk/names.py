"""The name that a syntax node defines, where it is not simply its field ``name``; and what the node then is.

One function per habit of a grammar. Each answers for one node and looks at a bounded number of others.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tree_sitter import Node

# scope     a name that qualifies what is inside: class, trait, module
# space     qualifies what is inside, but nobody looks for it here: impl, extension, instance
# function  a name; what is inside is local
# closure   a function without a name; what is inside is local
# routine   a function where it is not local; elsewhere nobody looks for it: a binding of Haskell
# value     a name where it is not local: constants, type aliases, variables
# global    a name only where nothing is around it
# wrap      carries a definition, and its first row is the definition's: decorators, export
# inner     is looked into even on one line: bodies
# opaque    the grammar does not read what is inside: arguments of macros
Role = Literal["scope", "space", "function", "closure", "routine", "value", "global", "wrap", "inner", "opaque"]
Named = tuple[str, Role]
Text = Callable[["Node"], str]
Namer = Callable[["Node", Text], Named | None]

_MAX_STEPS = 12
_FUNCTIONS = frozenset(
    [
        "function_expression",
        "function",
        "arrow_function",
        "generator_function",
        "function_definition",
        "anonymous_function",
    ]
)
_CLASSES = frozenset({"class", "class_expression"})


def _field(node: Node, name: str, text: Text) -> str:
    found = node.child_by_field_name(name)
    return text(found) if found else ""


_IMPORTS = re.compile(r"(?:await\s+)?(?:require|import|@import|@cImport|__importDefault)\b")


def imports(value: str) -> bool:
    """Whether a value is another module: the name bound to it is defined elsewhere."""
    return bool(_IMPORTS.match(value))


def by_field(node: Node, text: Text) -> Named | None:
    """The usual case; the role is the one of the table."""
    return _field(node, "name", text), "function"


def _valued(value: Node | None) -> Role | None:
    """What a name is that is bound to this value: a function, a class, or (None) something else."""
    if value is None:
        return None
    if value.type in _FUNCTIONS:
        return "function"
    return "scope" if value.type in _CLASSES else None


def js_declarator(node: Node, text: Text) -> Named | None:
    """``const f = () => …``: a function; ``const x = 1``: a value at the outermost level."""
    value, name = node.child_by_field_name("value"), node.child_by_field_name("name")
    if name is None or name.type != "identifier" or (value and imports(text(value))):
        return None
    return text(name), _valued(value) or "global"


_JS_OWNERS = re.compile(r"^(?:(?:module\.)?exports|this|window|globalThis|self)\.|\.prototype(?=\.|$)")


def js_assignment(node: Node, text: Text) -> Named | None:
    """``app.handle = function``, ``Foo.prototype.bar = …``, ``module.exports = function f``."""
    right = node.child_by_field_name("right")
    for _ in range(_MAX_STEPS):  # a = b = function
        if right is None or right.type != "assignment_expression":
            break
        right = right.child_by_field_name("right")
    role = _valued(right)
    left = node.child_by_field_name("left")
    if left is None or left.type not in {"member_expression", "identifier"}:
        return None
    target = text(left)
    if role is None:
        exported = target.startswith(("exports.", "module.exports."))
        if not exported or right is None or right.type == "identifier" or imports(text(right)):
            return None
        return _JS_OWNERS.sub("", target), "global"
    if target == "module.exports" and right:
        target = _field(right, "name", text)
    return _JS_OWNERS.sub("", target), role


def js_property(node: Node, text: Text) -> Named | None:
    """``handle: function () {…}`` in an object, ``handle = () => …`` in a class."""
    role = _valued(node.child_by_field_name("value"))
    if role is None:
        return None
    name = _field(node, "key", text) or _field(node, "name", text) or _field(node, "property", text)
    return name.strip("'\""), role


def c_declarator(node: Node, text: Text) -> Named | None:
    """The identifier at the core of a C or C++ declarator; ``Foo::bar`` stays qualified."""
    found = node.child_by_field_name("declarator")
    for _ in range(_MAX_STEPS):
        if found is None:
            return None
        inner = found.child_by_field_name("declarator")
        if inner is None and found.type in {"parenthesized_declarator", "reference_declarator"}:
            inner = next(iter(found.named_children), None)
        if inner is None:
            break
        found = inner
    name = re.sub(r"<[^<>]*>", "", text(found)) if found else ""
    return name, "value" if node.type == "type_definition" else "function"


def with_body(node: Node, text: Text) -> Named | None:
    """A struct, module or record that is defined here, not only mentioned."""
    return (_field(node, "name", text), "scope") if node.child_by_field_name("body") else None


_GO_RECEIVER = re.compile(r"(\w+)\s*(?:\[[^\]]*\])?\s*\)$")


def go_method(node: Node, text: Text) -> Named | None:
    """``func (s *Store) Get``: ``Store.Get``."""
    owner = _GO_RECEIVER.search(_field(node, "receiver", text))
    name = _field(node, "name", text)
    return (f"{owner[1]}.{name}" if owner else name), "function"


def rust_impl(node: Node, text: Text) -> Named | None:
    """The type that an ``impl`` is for, without path and parameters."""
    name = _field(node, "type", text).split("<")[0].split("::")[-1]
    return name.lstrip("&").strip(), "space"


def java_field(node: Node, text: Text) -> Named | None:
    """A constant of a class; other fields are not what one looks for."""
    modifiers = next((child for child in node.children if child.type in {"modifiers", "modifier"}), None)
    if modifiers is None or not re.search(r"\b(?:static|const)\b", text(node)[:_MODIFIER_CHARS]):
        return None
    declarator = node.child_by_field_name("declarator")
    if declarator is None:
        inner = next((child for child in node.children if child.type == "variable_declaration"), node)
        declarator = next((child for child in inner.children if child.type == "variable_declarator"), None)
    return (_field(declarator, "name", text), "value") if declarator else None


_MODIFIER_CHARS = 200


def ruby_assignment(node: Node, text: Text) -> Named | None:
    """A constant."""
    left = node.child_by_field_name("left")
    return (text(left), "value") if left and left.type == "constant" else None


def ruby_call(node: Node, text: Text) -> Named | None:
    """``define_method(:name)``, ``attr_accessor :name``, ``Name = Struct.new``."""
    method = _field(node, "method", text)
    if method not in {"define_method", "attr_accessor", "attr_reader", "attr_writer", "alias_method"}:
        return None
    arguments = node.child_by_field_name("arguments")
    first = next(iter(arguments.named_children), None) if arguments else None
    return (text(first).lstrip(":\"'").rstrip("\"'"), "function") if first else None


def python_assignment(node: Node, text: Text) -> Named | None:
    """A constant or variable of the module, or ``type Name = …``."""
    left = node.child_by_field_name("left")
    if left is None or left.type not in {"identifier", "type"}:
        return None
    return text(left).split("[")[0], "global"


def first_name(node: Node, text: Text) -> Named | None:
    """The first name-like child: ``const A = 1`` of PHP, ``A=1`` of shells."""
    for child in node.named_children[:_MAX_STEPS]:
        if child.type in {"name", "identifier", "variable_name", "type_identifier"}:
            return text(child), "value"
        if child.type in {"const_element", "variable_assignment"}:
            return first_name(child, text)
    return None


def shell_variable(node: Node, text: Text) -> Named | None:
    """``readonly NAME=…`` and ``export NAME=…`` of a script."""
    found = first_name(node, text)
    return (found[0], "global") if found else None


def lua_assignment(node: Node, text: Text) -> Named | None:
    """``M.f = function`` and ``local f = function``; other values at the outermost level."""
    names, values = node.named_children[:1], node.named_children[1:2]
    if not names or not names[0].named_children:
        return None
    value = values[0].named_children[0] if values and values[0].named_children else None
    if value and imports(text(value)):
        return None
    return text(names[0].named_children[0]), _valued(value) or "global"


_ELIXIR: dict[str, Role] = {
    "defmodule": "scope",
    "defprotocol": "scope",
    "defimpl": "scope",
    "def": "function",
    "defp": "function",
    "defmacro": "function",
    "defmacrop": "function",
    "defguard": "function",
    "defguardp": "function",
    "defdelegate": "function",
    "defn": "function",
}


def elixir_call(node: Node, text: Text) -> Named | None:
    """``def name(…) when … do``, ``defmodule A.B do``: definitions are calls of macros."""
    target = node.child_by_field_name("target")
    role = _ELIXIR.get(text(target)) if target and target.type == "identifier" else None
    arguments = next((child for child in node.named_children if child.type == "arguments"), None) if role else None
    if role is None or arguments is None or not arguments.named_children:
        return None
    head: Node | None = arguments.named_children[0]
    for _ in range(_MAX_STEPS):
        if head is None or head.type not in {"binary_operator", "call"}:
            break
        head = head.child_by_field_name("left") or head.child_by_field_name("target")
    return (text(head), role) if head else None


_ZIG_CONTAINERS = frozenset(["struct_declaration", "enum_declaration", "union_declaration", "opaque_declaration"])


def zig_variable(node: Node, text: Text) -> Named | None:
    """``const Store = struct {…}`` is a type; other constants are values."""
    children = node.named_children[:_MAX_STEPS]
    name = next((child for child in children if child.type == "identifier"), None)
    if name is None or imports(text(children[-1])):
        return None
    return text(name), "scope" if any(child.type in _ZIG_CONTAINERS for child in children) else "value"


def swift_type(node: Node, text: Text) -> Named | None:
    """A class, struct, enum or actor; an ``extension`` only qualifies."""
    kind = text(node.children[0]) if node.children else ""
    extends = any(child.type == "extension" for child in node.children[:3]) or kind == "extension"
    return _field(node, "name", text), "space" if extends else "scope"


def swift_init(node: Node, _text: Text) -> Named | None:
    """``init`` and ``subscript`` have no name of their own."""
    return ("init" if node.type == "init_declaration" else "subscript"), "function"


def kotlin_property(node: Node, text: Text) -> Named | None:
    """``val name``, also of an extension property."""
    variable = next((child for child in node.named_children if child.type == "variable_declaration"), None)
    first = next(iter(variable.named_children), None) if variable else None
    return (text(first), "value") if first else None


def haskell_function(node: Node, text: Text) -> Named | None:
    """An equation, an operator in infix form too."""
    name = _field(node, "name", text)
    if not name:
        infix = next((child for child in node.named_children if child.type == "infix"), None)
        name = _field(infix, "operator", text) if infix else ""
    return name.strip("()`"), "routine"


def nameless(_node: Node, _text: Text) -> Named | None:
    """An instance: what is in it implements names that are defined elsewhere."""
    return "", "routine"


def scala_value(node: Node, text: Text) -> Named | None:
    """``val name = …``."""
    return _field(node, "pattern", text), "value"
