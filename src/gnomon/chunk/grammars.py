"""The grammars: which package has each, and which of its nodes define names. A language is one row.

A grammar that is not installed, or that this tree-sitter cannot load, is as if it were not in the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from gnomon.chunk import names
from gnomon.chunk.names import Namer, Role

if TYPE_CHECKING:
    from tree_sitter import Language


@dataclass(frozen=True, slots=True)
class Grammar:
    """One row.

    Attributes:
        package: What is imported.
        entry: The function in it that gives the grammar.
        roles: What a type of node is; types that are absent define nothing.
        namers: How to name the types whose name is not their field ``name``; a namer also settles the role.
        leading: Types that belong to the definition after them: comments, decorators, attributes.
        bodies: Types that begin on a line of their own and belong to the line before: a Python block, an Allman brace.
    """

    package: str
    entry: str
    roles: Mapping[str, Role]
    namers: Mapping[str, Namer] = field(default_factory=dict)
    leading: frozenset[str] = frozenset({"comment"})
    bodies: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Kind:
    """What a grammar says of one type of node.

    Attributes:
        type: Its name.
        is_named: It is more than a mark or a word of the language.
        is_leading: See ``Grammar.leading``.
        is_body: See ``Grammar.bodies``.
        role: See ``Grammar.roles``; None where it defines nothing.
        namer: See ``Grammar.namers``.
    """

    type: str
    is_named: bool
    is_leading: bool
    is_body: bool
    role: Role | None
    namer: Namer | None


class Kinds(dict[int, Kind]):
    """The types of a grammar by their numbers: to ask each node for its type's name is half the time of a walk."""

    def __init__(self, language: Language, grammar: Grammar) -> None:
        super().__init__()
        self._language = language
        self._grammar = grammar

    def __missing__(self, number: int) -> Kind:
        """The type of a node met for the first time."""
        name, grammar = self._language.node_kind_for_id(number) or "", self._grammar
        kind = self[number] = Kind(
            type=name,
            is_named=self._language.node_kind_is_named(number),
            is_leading=name in grammar.leading,
            is_body=name in grammar.bodies,
            role=grammar.roles.get(name),
            namer=grammar.namers.get(name),
        )
        return kind


def _grammar(
    package: str,
    roles: Mapping[Role, str],
    *,
    namers: Mapping[str, Namer] | None = None,
    leading: str = "comment",
    bodies: str = "block",
    entry: str = "language",
) -> Grammar:
    by_type = {name: role for role, types in roles.items() for name in types.split()}
    return Grammar(
        package,
        entry,
        by_type,
        namers or {},
        frozenset(leading.split()),
        frozenset(bodies.split()),
    )


_JS_ROLES: dict[Role, str] = {
    "scope": (
        "class_declaration class abstract_class_declaration interface_declaration enum_declaration internal_module"
    ),
    "space": "module",
    "function": (
        "function_declaration generator_function_declaration function_expression method_definition function_signature"
        " method_signature abstract_method_signature assignment_expression pair public_field_definition"
        " field_definition"
    ),
    "closure": "arrow_function",
    "value": "type_alias_declaration",
    "global": "variable_declarator",
    "wrap": "export_statement lexical_declaration variable_declaration expression_statement ambient_declaration",
    "inner": "class_body interface_body object program",
}
_JS_NAMERS: dict[str, Namer] = {
    "variable_declarator": names.js_declarator,
    "assignment_expression": names.js_assignment,
    "pair": names.js_property,
    "public_field_definition": names.js_property,
    "field_definition": names.js_property,
}
_C_ROLES: dict[Role, str] = {
    "scope": "struct_specifier union_specifier enum_specifier class_specifier concept_definition",
    "function": "function_definition preproc_function_def",
    "value": "preproc_def type_definition alias_declaration",
    "wrap": "template_declaration linkage_specification declaration",
    "inner": "declaration_list field_declaration_list preproc_ifdef preproc_if namespace_definition",
}
_C_NAMERS: dict[str, Namer] = {
    "function_definition": names.c_declarator,
    "type_definition": names.c_declarator,
    "struct_specifier": names.with_body,
    "union_specifier": names.with_body,
    "enum_specifier": names.with_body,
    "class_specifier": names.with_body,
}

GRAMMARS: dict[str, Grammar] = {
    "python": _grammar(
        "tree_sitter_python",
        {
            "scope": "class_definition",
            "function": "function_definition",
            "global": "assignment type_alias_statement",
            "wrap": "decorated_definition expression_statement",
        },
        namers={"assignment": names.python_assignment, "type_alias_statement": names.python_assignment},
        leading="comment decorator",
    ),
    "javascript": _grammar(
        "tree_sitter_javascript", _JS_ROLES, namers=_JS_NAMERS, leading="comment decorator", bodies="statement_block"
    ),
    "typescript": _grammar(
        "tree_sitter_typescript",
        _JS_ROLES,
        namers=_JS_NAMERS,
        leading="comment decorator",
        bodies="statement_block",
        entry="language_typescript",
    ),
    "tsx": _grammar(
        "tree_sitter_typescript",
        _JS_ROLES,
        namers=_JS_NAMERS,
        leading="comment decorator",
        bodies="statement_block",
        entry="language_tsx",
    ),
    "go": _grammar(
        "tree_sitter_go",
        {
            "scope": "type_spec type_alias",
            "function": "function_declaration method_declaration method_elem",
            "closure": "func_literal",
            "value": "const_spec var_spec",
            "wrap": "type_declaration const_declaration var_declaration",
            "inner": "interface_type",
        },
        namers={"method_declaration": names.go_method},
        bodies="block statement_list",
    ),
    "rust": _grammar(
        "tree_sitter_rust",
        {
            "scope": "struct_item enum_item union_item trait_item mod_item",
            "space": "impl_item",
            "function": "function_item function_signature_item macro_definition",
            "value": "const_item static_item type_item",
            "inner": "declaration_list",
            "opaque": "macro_invocation",
        },
        namers={"impl_item": names.rust_impl, "mod_item": names.with_body},
        leading="line_comment block_comment attribute_item",
    ),
    "java": _grammar(
        "tree_sitter_java",
        {
            "scope": (
                "class_declaration interface_declaration enum_declaration record_declaration"
                " annotation_type_declaration"
            ),
            "function": "method_declaration constructor_declaration compact_constructor_declaration",
            "value": "field_declaration constant_declaration",
            "inner": "class_body interface_body enum_body enum_body_declarations annotation_type_body",
        },
        namers={"field_declaration": names.java_field},
        leading="line_comment block_comment",
        bodies="block constructor_body class_body",
    ),
    "c": _grammar(
        "tree_sitter_c", _C_ROLES, namers=_C_NAMERS, bodies="compound_statement field_declaration_list enumerator_list"
    ),
    "cpp": _grammar(
        "tree_sitter_cpp",
        _C_ROLES,
        namers=_C_NAMERS,
        bodies="compound_statement field_declaration_list enumerator_list",
    ),
    "csharp": _grammar(
        "tree_sitter_c_sharp",
        {
            "scope": ("class_declaration struct_declaration interface_declaration enum_declaration record_declaration"),
            "function": (
                "method_declaration constructor_declaration property_declaration delegate_declaration"
                " local_function_statement event_declaration"
            ),
            "value": "field_declaration",
            "inner": "declaration_list namespace_declaration file_scoped_namespace_declaration",
        },
        namers={"field_declaration": names.java_field},
        bodies="block declaration_list accessor_list",
    ),
    "ruby": _grammar(
        "tree_sitter_ruby",
        {
            "scope": "class module",
            "function": "method singleton_method call",
            "value": "assignment",
            "inner": "body_statement singleton_class argument_list",
        },
        namers={
            "assignment": names.ruby_assignment,
            "call": names.ruby_call,
        },
        bodies="body_statement then do_block",
    ),
    "php": _grammar(
        "tree_sitter_php",
        {
            "scope": "class_declaration interface_declaration trait_declaration enum_declaration",
            "function": "function_definition method_declaration",
            "value": "const_declaration",
            "inner": "declaration_list enum_declaration_list namespace_definition",
        },
        namers={"const_declaration": names.first_name},
        leading="comment attribute_list",
        bodies="compound_statement declaration_list",
        entry="language_php",
    ),
    "bash": _grammar(
        "tree_sitter_bash",
        {"function": "function_definition", "global": "declaration_command"},
        namers={"declaration_command": names.shell_variable},
        bodies="compound_statement do_group",
    ),
    "lua": _grammar(
        "tree_sitter_lua",
        {
            "function": "function_declaration field",
            "closure": "function_definition",
            "global": "assignment_statement",
            "wrap": "variable_declaration return_statement",
            "inner": "table_constructor expression_list",
        },
        namers={"assignment_statement": names.lua_assignment, "field": names.js_property},
    ),
    "elixir": _grammar(
        "tree_sitter_elixir",
        {"function": "call", "inner": "do_block"},
        namers={"call": names.elixir_call},
        leading="comment unary_operator",
        bodies="",
    ),
    "zig": _grammar(
        "tree_sitter_zig",
        {
            "scope": "variable_declaration",
            "function": "function_declaration",
            "inner": "struct_declaration enum_declaration union_declaration opaque_declaration",
        },
        namers={"variable_declaration": names.zig_variable},
    ),
    "kotlin": _grammar(
        "tree_sitter_kotlin",
        {
            "scope": "class_declaration object_declaration",
            "space": "companion_object",
            "function": "function_declaration",
            "closure": "lambda_literal anonymous_function",
            "value": "property_declaration type_alias",
            "inner": "class_body enum_class_body",
        },
        namers={"property_declaration": names.kotlin_property, "type_alias": names.first_name},
        leading="line_comment block_comment",
        bodies="function_body block",
    ),
    "swift": _grammar(
        "tree_sitter_swift",
        {
            "scope": "class_declaration protocol_declaration",
            "function": (
                "function_declaration protocol_function_declaration init_declaration subscript_declaration"
                " macro_declaration"
            ),
            "closure": "lambda_literal",
            "value": "property_declaration typealias_declaration",
            "inner": "class_body enum_class_body protocol_body",
        },
        namers={
            "class_declaration": names.swift_type,
            "init_declaration": names.swift_init,
            "subscript_declaration": names.swift_init,
        },
        leading="comment multiline_comment",
        bodies="function_body statements",
    ),
    "haskell": _grammar(
        "tree_sitter_haskell",
        {
            "scope": "class data_type newtype data_family",
            "routine": "function bind signature instance",
            "value": "type_synonym type_family pattern_synonym",
            "inner": "class_declarations instance_declarations declarations",
        },
        namers={
            "function": names.haskell_function,
            "bind": names.haskell_function,
            "signature": names.haskell_function,
            "instance": names.nameless,
        },
        leading="comment haddock pragma signature",
        bodies="local_binds",
    ),
    "scala": _grammar(
        "tree_sitter_scala",
        {
            "scope": "class_definition object_definition trait_definition enum_definition package_object",
            "space": "extension_definition",
            "function": "function_definition function_declaration given_definition",
            "closure": "lambda_expression block",
            "value": "val_definition var_definition type_definition val_declaration",
            "inner": "template_body with_template_body enum_body",
        },
        namers={"val_definition": names.scala_value, "var_definition": names.scala_value},
        leading="comment block_comment annotation",
    ),
}
GRAMMARS["starlark"] = GRAMMARS["python"]
GRAMMARS["cuda"] = GRAMMARS["cpp"]


@lru_cache(maxsize=64)
def load(language: str) -> tuple[Language, Kinds] | None:
    """The grammar of a language, ready to parse with, and its types; None where there is none."""
    grammar = GRAMMARS.get(language)
    if grammar is None:
        return None
    try:
        from tree_sitter import Language as LoadedLanguage

        loaded = LoadedLanguage(getattr(import_module(grammar.package), grammar.entry)())
    except (ImportError, AttributeError, TypeError, ValueError, OSError):
        # Not installed, or built for another tree-sitter: the line chunker serves all languages.
        return None
    return loaded, Kinds(loaded, grammar)
