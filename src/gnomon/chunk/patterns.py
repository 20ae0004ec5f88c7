r"""What a line that defines a name looks like, by family of languages: for files that no grammar reads.

Each pattern is tried at the start of a line of at most ``MAX_LINE_CHARS`` characters; its one group is the name. No
pattern nests unbounded repetitions over the same characters, so a line costs at most its length squared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from gnomon.chunk import csharp
from gnomon.chunk.names import Role

MAX_LINE_CHARS = 300

Patterns = tuple[tuple[Role, str], ...]
# Most are never asked: all of them together take 26 ms, a tenth of what a process needs to be ready.
compiled = cache(re.compile)


@dataclass(frozen=True, slots=True)
class Family:
    """How definitions look in some languages.

    Attributes:
        patterns: Tried in order, ``compiled``; the first that matches counts.
        flat: Bodies are not indented: a definition reaches to the next one.
    """

    patterns: Patterns
    flat: bool = False


def _family(*patterns: tuple[Role, str], flat: bool = False, ignore_case: bool = False) -> Family:
    flags = "(?i)" if ignore_case else ""
    return Family(tuple((role, flags + pattern) for role, pattern in patterns), flat)


# Words that may stand before the keyword of a definition.
_MODIFIERS = (
    r"\s*(?:(?:export|default|declare|public|private|protected|internal|static|abstract|final|async|open|override|sealed"
    r"|inline|suspend|unsafe|const|data|value|partial|readonly|virtual|extern|pub(?:\([^)]*\))?|comptime|noinline|lazy"
    r"|fileprivate|mutating|nonisolated|indirect|convenience|required|implicit|case|local|transient|native|inner"
    r"|annotation|external|expect|actual|tailrec|operator|infix|@\w+(?:\([^)]*\))?)\s+)*"
)
_NAME = r"([A-Za-z_$][\w$]*"
_TYPE_WORDS = (
    r"(?:class|interface|enum(?:\s+(?:class|struct))?|struct|record(?:\s+(?:class|struct))?|trait|protocol|object|actor|union"
    r"|namespace|module|mixin|contract|library|message|service)"
)
_TYPES: tuple[Role, str] = ("scope", rf"{_MODIFIERS}{_TYPE_WORDS}\s+{_NAME}(?:(?:\.|::)\w+)*)")
_FUNCTION_WORDS = (
    r"(?:fun|func|fn|function\*?|def|sub|proc|method|macro|iterator|template|task|procedure|subroutine|modifier|event|rpc"
    r"|operator|let rec)"
)
_FUNCTIONS: tuple[Role, str] = (
    "function",
    (
        rf"{_MODIFIERS}{_FUNCTION_WORDS}(?:\s*<[^<>]{{0,80}}>)?\s+(?:\([^()]{{0,80}}\)\s*|(?:\w+(?:<[^<>]{{0,40}}>)?\??\.)(?=\w))?"
        rf"`?{_NAME}(?:(?:\.|::|:)\w+)*[?!]?)"
    ),
)
_VALUES: tuple[Role, str] = (
    "value",
    rf"{_MODIFIERS}(?:const|val|var|let|static|type|typealias|typedef|alias)\s+(?:mut\s+)?{_NAME})",
)
_EXTENSIONS: tuple[Role, str] = ("space", rf"{_MODIFIERS}(?:extension|impl(?:<[^<>]{{0,80}}>)?)\s+{_NAME}(?:\.\w+)*)")
# "int parse(const char *text)", "public List<String> names(int x) {": words, a name, an open bracket, no statement.
_NO_STATEMENT = (
    r"(?!\s*(?:return|else|new|throw|await|yield|if|for|while|switch|case|goto|delete|do|using|import|assert)\b)"
)
_C_FUNCTION: tuple[Role, str] = (
    "function",
    _NO_STATEMENT
    + r"\s{0,12}[A-Za-z_][\w<>\[\],.?&*: \t]{0,120}[\s*&>\]?](~?[A-Za-z_]\w*(?:(?:::|\.)~?\w+)*)\s*\([^;=]*$",
)
_C_MACRO: tuple[Role, str] = ("value", r"\s*#\s*define\s+(\w+)")
_C_TYPEDEF: tuple[Role, str] = ("value", r"(?:typedef\b[^;(]{0,200}?|\}\s*)\b(\w+)\s*(?:\[\w*\]\s*)?;")

_BRACES = _family(_TYPES, _EXTENSIONS, _FUNCTIONS, _C_FUNCTION, _VALUES)
_KEYWORDS = _family(_TYPES, _EXTENSIONS, _FUNCTIONS, _VALUES)
_SCRIPT = _family(
    _TYPES,
    _FUNCTIONS,
    (
        "function",
        (
            rf"{_MODIFIERS}(?:(?:const|let|var)\s+)?(?:(?:module\.)?exports\.|this\.)?{_NAME}(?:\.\w+)*)\s*[=:]\s*"
            r"(?:async\s+)?(?:function\b|\([^()]{0,120}\)\s*=>|\w+\s*=>)"
        ),
    ),
    (
        "function",
        (
            rf"\s+(?:(?:static|async|get|set|public|private|protected)\s+)*(?!(?:if|for|while|switch|catch)\b){_NAME})"
            r"\s*\([^;]*\)\s*(?::[^;{]+)?\{\s*$"
        ),
    ),
    _VALUES,
)

FAMILIES: dict[str, Family] = {
    "braces": _BRACES,
    "csharp": _family(_TYPES, *csharp.MEMBERS, _C_FUNCTION),
    "keywords": _KEYWORDS,
    "script": _SCRIPT,
    "c": _family(
        (
            "scope",
            r"\s*(?:typedef\s+)?(?:template\s*<.*>\s*)?(?:class|struct|union|enum(?:\s+class)?|namespace)\s+(?:\w+\s+)?(\w+(?:::\w+)*)\s*(?::[^:;]*)?(?:\{|$)",
        ),
        _C_MACRO,
        ("function", _C_FUNCTION[1]),
        _C_TYPEDEF,
        ("value", r"using\s+(\w+)\s*="),
    ),
    "objc": _family(
        ("scope", r"@(?:interface|implementation|protocol)\s+(\w+)"),
        ("function", r"[-+]\s*\([^)]*\)\s*(\w+)"),
        _C_MACRO,
        _C_FUNCTION,
    ),
    "python": _family(
        ("scope", r"\s*(?:cdef\s+)?(?:class|class_name)\s+(\w+)"),
        ("function", r"\s*(?:async\s+)?(?:def|cpdef|cdef|func)\s+(?:inline\s+)?(?:[\w.*\[\]]+\s+)*\**(\w+)\s*\("),
        ("value", r"(?:const\s+|var\s+)?([A-Za-z_]\w*)\s*(?::[^=]{0,80})?=(?!=)"),
    ),
    "ruby": _family(
        ("scope", r"\s*(?:class|module|struct|lib|enum)\s+(?!<<)([A-Z]\w*(?:::\w+)*)"),
        ("function", r"\s*(?:(?:private|protected|public|memoize)\s+)?(?:def|macro|fun)\s+(?:self\.)?([\w]+[?!=]?)"),
        ("function", r"\s*(?:attr_(?:accessor|reader|writer)|define_method|property|getter)\s*\(?\s*:(\w+)"),
        ("value", r"\s*([A-Z][A-Z0-9_]*)\s*="),
    ),
    "shell": _family(
        ("function", r"\s*(?:function\s+)([\w:.+-]+)"),
        ("function", r"\s*([\w:.+-]+)\s*\(\s*\)"),
        ("function", r"\s*@test\s+[\"'](.+?)[\"']"),
        ("value", r"(?:readonly|export|declare(?:\s+-\w+)*|typeset(?:\s+-\w+)*|set\s+-\w+)\s+([A-Za-z_]\w*)"),
    ),
    "lua": _family(
        ("function", r"\s*(?:local\s+)?function\s+([\w.:]+)"),
        ("function", r"\s*(?:local\s+)?([\w.]+)\s*=\s*function\b"),
        ("value", r"(?:local\s+)?([A-Za-z_][\w.]*)\s*=(?!=)"),
    ),
    "haskell": _family(
        ("scope", r"(?:data|newtype|class)\s+(?:\(?[^=]{0,120}=>\s*)?([A-Z][\w']*)"),
        ("space", r"(?:instance|derive)\b.*?([A-Z][\w']*)"),
        ("value", r"(?:type(?:\s+(?:family|alias|instance))?|pattern)\s+([A-Z][\w']*)"),
        ("value", r"module\s+([\w.]+)"),
        ("function", r"\s{0,4}([a-z_][\w']*|\([^\w\s()]+\))\s*(?:,\s*[\w']+\s*)*::?\s"),
        (
            "function",
            r"(?!(?:import|where|let|in|if|then|else|case|of|do|infix[lr]?|foreign)\b)([a-z_][\w']*)\s[^=|]{0,160}[=|]",
        ),
        flat=True,
    ),
    "lean": _family(
        (
            "scope",
            r"(?:@\[[^\]]*\]\s*)?(?:private\s+|protected\s+|noncomputable\s+)*(?:structure|class|inductive|namespace)\s+([\w.']+)",
        ),
        (
            "function",
            r"(?:@\[[^\]]*\]\s*)?(?:private\s+|protected\s+|noncomputable\s+)*(?:def|theorem|lemma|abbrev|instance|axiom)\s+([\w.']+)",
        ),
    ),
    "ml": _family(
        (
            "scope",
            r"\s*(?:module|type|class|exception|namespace)\s+(?:rec\s+|type\s+|private\s+)*(?:'\w+\s+|\([^)]*\)\s+)?([\w.']+)",
        ),
        ("function", r"\s*(?:let|and|val|external)\s+(?:rec\s+|inline\s+|mutable\s+|private\s+|!)*([a-zA-Z_][\w']*)"),
        ("function", r"\s*(?:static\s+|abstract\s+|override\s+|default\s+)*member\s+(?:\w+\.)?(\w+)"),
    ),
    "erlang": _family(
        ("value", r"-(?:module|record|define|type|opaque|callback)\s*\(?\s*(\w+)"),
        ("function", r"([a-z]\w*)\s*\([^.]{0,200}(?:->|when\b|,\s*$|\($)"),
        flat=True,
    ),
    "elixir": _family(
        ("scope", r"\s*def(?:module|protocol|impl)\s+([\w.]+)"),
        ("function", r"\s*def(?:p|macro|macrop|guard|guardp|delegate|n|np)?\s+([\w]+[?!]?)"),
    ),
    "lisp": _family(
        (
            "function",
            r"\s{0,2}\(\s*(?:cl-)?(?:def\w*[*!]?|define(?:-[\w-]+|/\w+)?|def-[\w-]+|ns|in-ns|struct)\s+\(?(?:\^\S+\s+)?([^\s()\[\]]+)",
        ),
    ),
    "perl": _family(("scope", r"\s*package\s+([\w:]+)"), ("function", r"\s*sub\s+([\w:]+)"), flat=False),
    "r": _family(
        ("function", r"\s*([\w.]+)\s*(?:<-|=)\s*(?:function\b|\\\()"),
        ("function", r"\s*(?:setGeneric|setMethod|setClass|setRefClass|R6Class)\s*\(\s*[\"'](\S+?)[\"']"),
        ("value", r"([A-Za-z][\w.]*)\s*(?:<-|=)\s"),
    ),
    "julia": _family(
        ("scope", r"\s*(?:mutable\s+)?(?:struct|module|baremodule|abstract\s+type|primitive\s+type)\s+(\w+)"),
        ("function", r"\s*(?:@\w+\s+)?(?:function|macro)\s+([\w.!]+)"),
        ("function", r"(?:@\w+\s+)?([\w.!]+)\([^=]{0,160}\)(?:::\w+)?(?:\s+where\s+\S+)?\s*=(?!=)"),
        ("value", r"const\s+(\w+)"),
    ),
    "sql": _family(
        (
            "function",
            (
                r"\s*(?:create|alter)\s+(?:or\s+replace\s+)?(?:(?:temp(?:orary)?|unique|materialized|external|global|virtual)\s+)*"
                r"(?:table|view|function|procedure|trigger|index|type|schema|sequence|database|domain|policy|extension|role)\s+"
                r"(?:if\s+(?:not\s+)?exists\s+)?([\w.\"`\[\]]+)"
            ),
        ),
        ignore_case=True,
        flat=True,
    ),
    "powershell": _family(
        ("scope", r"\s*(?:class|enum)\s+(\w+)"),
        ("function", r"\s*(?:function|filter|workflow)\s+([\w:-]+)"),
        ignore_case=True,
    ),
    "hcl": _family(
        ("scope", r"(?:resource|data|ephemeral)\s+\"[^\"]+\"\s+\"([^\"]+)\""),
        ("scope", r"(?:module|variable|output|provider|check|job|group|task|block|param|resource|type)\s+\"?([\w.-]+)"),
    ),
    "schema": _family(
        (
            "scope",
            (
                r"\s*(?:extend\s+)?(?:message|enum|service|interface|input|union|scalar|struct|exception|typedef|const|model|datasource"
                r"|generator|fragment|query|mutation|subscription|directive|operation|resource|structure|list|map|type)\s+@?(\w+)"
            ),
        ),
        ("function", r"\s*(?:rpc|oneof)\s+(\w+)"),
    ),
    "css": _family(
        ("function", r"\s*@(?:mixin|function|keyframes|include|layer|container)\s+([\w-]+)"),
        ("function", r"\s*(?:[\w*>+~: ,-]{0,60})([.#%][\w-]+)[^;]*(?:\{|,)\s*$"),
        ("value", r"\s*([$@][\w-]+|--[\w-]+)\s*:"),
    ),
    "make": _family(
        ("function", r"(?:define\s+)([\w.-]+)"),
        (
            "function",
            r"(?!(?:if|else|endif|ifeq|ifneq|include)\b)@?([\w./%$(){}-]+)(?:\s+[\w.=\"'*+-]+){0,8}\s*::?(?!=)",
        ),
        ("value", r"(?:export\s+)?([A-Za-z_][\w.-]*)\s*[:?+!]?="),
    ),
    "cmake": _family(
        (
            "function",
            r"\s*(?:function|macro|add_library|add_executable|add_custom_target|option|project)\s*\(\s*([\w:.-]+)",
        ),
        ignore_case=True,
    ),
    "docker": _family(("function", r"FROM\s+\S+\s+AS\s+(\S+)"), flat=True, ignore_case=True),
    "nix": _family(("value", r"\s{0,4}([\w.'-]+)\s*=(?!=)")),
    "vim": _family(
        ("function", r"\s*(?:export\s+)?(?:function|def)!?\s+([\w:#.]+)"),
        ("function", r"\s*command!?\s+(?:-\S+\s+)*(\w+)"),
    ),
    "tcl": _family(
        ("scope", r"\s*(?:namespace\s+eval|oo::class\s+create)\s+([\w:]+)"),
        ("function", r"\s*(?:proc|method)\s+([\w:.-]+)"),
    ),
    "hardware": _family(
        ("scope", r"\s*(?:module|interface|package|class|entity|component|program)\s+(?:static\s+|automatic\s+)?(\w+)"),
        ("scope", r"\s*architecture\s+(\w+)"),
        (
            "function",
            r"\s*(?:pure\s+|impure\s+|virtual\s+)*(?:function|task|procedure)\s+(?:automatic\s+|static\s+)?(?:[\w\[\]:]+\s+)?(\w+)\s*(?:\(|;|is\b|return\b|$)",
        ),
        ("value", r"\s*(?:localparam|parameter|constant|typedef)\b[^=;]{0,80}?(\w+)\s*(?:=|;)"),
        ignore_case=True,
    ),
    "pascal": _family(
        ("function", r"\s*(?:class\s+)?(?:procedure|function|constructor|destructor)\s+([\w.]+)"),
        ("scope", r"\s*(?:unit|program|library)\s+([\w.]+)"),
        ("value", r"\s*(\w+)\s*=\s*(?:packed\s+)?(?:class|record|interface|object)\b"),
        ignore_case=True,
        flat=True,
    ),
    "words": _family(
        (
            "function",
            (
                r"\s*(?:(?:public|private|protected|friend|shared|static|overridable|overrides|pure|elemental|recursive|module"
                r"|not\s+overriding|overriding|generic|integer|real|logical|double\s+precision|character\S*)\s+)*"
                r"(?:sub|function|subroutine|procedure|property(?:\s+(?:get|let|set))?)\s+(\w+)"
            ),
        ),
        (
            "scope",
            (
                r"\s*(?:(?:public|private|protected|friend|partial|abstract|shared|mustinherit)\s+)*"
                r"(?:class|module(?!\s+procedure)|structure|interface|enum|namespace|program|submodule|package(?:\s+body)?|task(?:\s+(?:type|body))?|type)"
                r"(?:\s*,[^:]*)?(?:\s*::)?\s+([\w.]+)"
            ),
        ),
        ignore_case=True,
    ),
    "matlab": _family(
        ("scope", r"\s*classdef\s+(?:\([^)]*\)\s*)?(\w+)"),
        ("function", r"\s*function\s+(?:(?:\[[^\]]*\]|\w+)\s*=\s*)?([\w.]+)"),
        flat=True,
    ),
    "assembly": _family(
        ("function", r"([A-Za-z_.$][\w.$@]*):"),
        ("function", r"\s*(\w+)\s+(?:proc|macro)\b"),
        flat=True,
        ignore_case=True,
    ),
    "batch": _family(("function", r":(\w[\w.-]*)"), flat=True),
    "template": _family(
        ("function", r"\s*\{%-?\s*(?:macro|block|call)\s+(\w+)"),
        ("function", r"\s*\{\{-?\s*(?:define|block)\s+\"([^\"]+)\""),
        *_SCRIPT.patterns,
    ),
    "just": _family(("function", r"@?([\w-]+)(?:\s+[\w$*+='\"-]+){0,8}\s*:(?!=)"), ("value", r"([\w-]+)\s*:=")),
    "zig": _family(
        (
            "scope",
            r"\s*(?:pub\s+)?(?:const|var)\s+(\w+)(?:\s*:[^=]{0,80})?\s*=\s*(?:extern\s+|packed\s+)?(?:struct|enum|union|opaque|error)\b",
        ),
        ("function", r"\s*(?:pub\s+)?(?:export\s+|extern\s+|inline\s+|noinline\s+)*fn\s+(\w+)"),
        ("value", r"\s*(?:pub\s+)?(?:threadlocal\s+)?(?:const|var)\s+(\w+)"),
    ),
    "nim": _family(
        ("function", r"\s*(?:proc|func|method|template|macro|iterator|converter)\s+`?([\w]+)"),
        (
            "scope",
            r"\s+(\w+)\*?(?:\[[^\]]*\])?(?:\s*\{\.[^}]*\.\})?\s*=\s*(?:ref\s+|ptr\s+)?(?:object|enum|tuple|concept|distinct)\b",
        ),
        ("value", r"(?:const|let|var)\s+(\w+)"),
    ),
}

_LANGUAGES = {
    "braces": "java dart groovy apex d vala haxe solidity php",
    "csharp": "csharp",
    "keywords": "kotlin swift scala rust go move odin gleam mojo vb6 starlark_rust capnp wat glsl",
    "script": "javascript typescript tsx vue svelte astro coffeescript qml rescript",
    "c": "c cpp cuda",
    "objc": "objectivec",
    "python": "python cython starlark gdscript meson",
    "ruby": "ruby crystal",
    "shell": "bash fish awk sed",
    "lua": "lua",
    "haskell": "haskell elm purescript idris agda dhall",
    "lean": "lean",
    "ml": "ocaml fsharp standardml",
    "erlang": "erlang",
    "elixir": "elixir",
    "lisp": "clojure commonlisp elisp scheme racket",
    "perl": "perl",
    "r": "r",
    "julia": "julia",
    "sql": "sql",
    "powershell": "powershell",
    "hcl": "hcl bicep",
    "schema": "protobuf graphql thrift prisma smithy",
    "css": "css scss sass less",
    "make": "make",
    "just": "just",
    "cmake": "cmake",
    "docker": "dockerfile",
    "nix": "nix",
    "vim": "vim",
    "tcl": "tcl",
    "hardware": "verilog systemverilog vhdl",
    "pascal": "pascal",
    "words": "vb fortran ada",
    "matlab": "matlab",
    "assembly": "assembly",
    "batch": "batch",
    "template": "jinja",
    "zig": "zig",
    "nim": "nim",
}
BY_LANGUAGE: dict[str, Family] = {
    language: FAMILIES[name] for name, languages in _LANGUAGES.items() for language in languages.split()
}


def family_of(language: str) -> Family:
    """The family of a language; keywords that many languages share where it has no row."""
    return BY_LANGUAGE.get(language, _KEYWORDS)
