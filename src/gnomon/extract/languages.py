"""What a file is: language and kind by name, extension and shebang. One table; a language is one row.

Binary formats are rows too (``documents``), so that one look-up answers for every file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from gnomon.values import Kind


@dataclass(frozen=True, slots=True)
class Language:
    """One row of the table.

    Attributes:
        name: Lower-case name.
        kind: How it is cut and ranked.
        extensions: Lower-case, without the leading dot; "d.ts" wins over "ts".
        names: Lower-case file names that mean it whatever their extension.
        interpreters: Program names in a ``#!`` line that mean it.
    """

    name: str
    kind: Kind
    extensions: tuple[str, ...] = ()
    names: tuple[str, ...] = field(default=())
    interpreters: tuple[str, ...] = field(default=())


def _row(name: str, kind: Kind, extensions: str, *, names: str = "", interpreters: str = "") -> Language:
    return Language(name, kind, tuple(extensions.split()), tuple(names.split()), tuple(interpreters.split()))


TEXT_LANGUAGES: tuple[Language, ...] = (
    # Code.
    _row("ada", "code", "adb ads ada"),
    _row("agda", "code", "agda"),
    _row("apex", "code", "apex trigger"),
    _row("assembly", "code", "asm s nasm"),
    _row("astro", "code", "astro"),
    _row("awk", "code", "awk gawk", interpreters="awk gawk mawk"),
    _row(
        "bash",
        "code",
        "sh bash ksh zsh bats ebuild eclass",
        names=".bashrc .bash_profile .profile .zshrc .zshenv .zprofile configure gradlew apkbuild pkgbuild",
        interpreters="sh bash zsh ksh dash ash",
    ),
    _row("batch", "code", "bat cmd"),
    _row("bicep", "code", "bicep"),
    _row("c", "code", "c h"),
    _row("capnp", "code", "capnp"),
    _row("clojure", "code", "clj cljs cljc edn bb", interpreters="bb clojure"),
    _row("cmake", "code", "cmake", names="cmakelists.txt"),
    _row("cobol", "code", "cob cbl cpy cobol"),
    _row("coffeescript", "code", "coffee"),
    _row("commonlisp", "code", "lisp lsp cl asd", interpreters="sbcl clisp"),
    _row("cpp", "code", "cpp cc cxx c++ hpp hh hxx h++ ipp inl tpp ixx cppm ino"),
    _row("crystal", "code", "cr"),
    _row("csharp", "code", "cs csx cake"),
    _row("css", "code", "css"),
    _row("cuda", "code", "cu cuh"),
    _row("cython", "code", "pyx pxd pxi"),
    _row("d", "code", "d di"),
    _row("dart", "code", "dart"),
    _row("dhall", "code", "dhall"),
    _row("dockerfile", "code", "dockerfile containerfile", names="dockerfile containerfile"),
    _row("elisp", "code", "el", names=".emacs"),
    _row("elixir", "code", "ex exs heex eex leex", interpreters="elixir"),
    _row("elm", "code", "elm"),
    _row("erlang", "code", "erl hrl", names="rebar.config", interpreters="escript"),
    _row("fish", "code", "fish", interpreters="fish"),
    _row("fortran", "code", "f f77 f90 f95 f03 f08 for"),
    _row("fsharp", "code", "fs fsi fsx"),
    _row("gdscript", "code", "gd"),
    _row("gleam", "code", "gleam"),
    _row("glsl", "code", "glsl vert frag geom comp tesc tese hlsl wgsl metal"),
    _row("go", "code", "go"),
    _row("graphql", "code", "graphql gql graphqls"),
    _row("graphviz", "code", "gv"),
    _row("groovy", "code", "groovy gvy gradle", names="jenkinsfile", interpreters="groovy"),
    _row("haskell", "code", "hs lhs hsc", interpreters="runhaskell runghc stack"),
    _row("haxe", "code", "hx"),
    _row("hcl", "code", "tf tfvars hcl nomad"),
    _row("idris", "code", "idr"),
    _row("java", "code", "java"),
    _row("javascript", "code", "js mjs cjs jsx es6 gs", names="jakefile", interpreters="node nodejs bun qjs"),
    _row(
        "jinja",
        "code",
        "j2 jinja jinja2 njk liquid mustache hbs handlebars ejs erb haml slim pug jade twig tmpl gotmpl",
    ),
    _row("jsonnet", "code", "jsonnet libsonnet"),
    _row("julia", "code", "jl", interpreters="julia"),
    _row("just", "code", "just", names="justfile .justfile", interpreters="just"),
    _row("kotlin", "code", "kt kts"),
    _row("lean", "code", "lean"),
    _row("less", "code", "less"),
    _row("lua", "code", "lua luau rockspec", interpreters="lua luajit"),
    _row(
        "make", "code", "mk mak make", names="makefile gnumakefile makefile.am makefile.in kbuild", interpreters="make"
    ),
    _row("matlab", "code", "m"),
    _row("meson", "code", "", names="meson.build meson_options.txt meson.options"),
    _row("mojo", "code", "mojo"),
    _row("move", "code", "move"),
    _row("nim", "code", "nim nims nimble"),
    _row("nix", "code", "nix"),
    _row("objectivec", "code", "mm"),
    _row("ocaml", "code", "ml mli mll mly", names="dune dune-project", interpreters="ocaml"),
    _row("odin", "code", "odin"),
    _row("pascal", "code", "pas pp dpr lpr"),
    _row("perl", "code", "pl pm t pod", names="cpanfile", interpreters="perl"),
    _row("php", "code", "php phtml php3 php4 php5 phps", interpreters="php"),
    _row("powershell", "code", "ps1 psm1 psd1", interpreters="pwsh powershell"),
    _row("prisma", "code", "prisma"),
    _row("prolog", "code", "pro prolog"),
    _row("protobuf", "code", "proto"),
    _row("puppet", "code", "pp1 epp"),
    _row("purescript", "code", "purs"),
    _row(
        "python",
        "code",
        "py pyi pyw pyde bzl star",
        names="sconstruct sconscript wscript snakefile build workspace tiltfile",
        interpreters="python pypy uv",
    ),
    _row("qml", "code", "qml"),
    _row("r", "code", "r", names=".rprofile", interpreters="rscript"),
    _row("racket", "code", "rkt", interpreters="racket"),
    _row("rego", "code", "rego"),
    _row("rescript", "code", "res resi"),
    _row(
        "ruby",
        "code",
        "rb rake gemspec ru podspec jbuilder",
        names="rakefile gemfile guardfile vagrantfile podfile fastfile capfile brewfile dangerfile",
        interpreters="ruby",
    ),
    _row("rust", "code", "rs"),
    _row("sass", "code", "sass"),
    _row("scala", "code", "scala sc sbt", interpreters="scala"),
    _row("scheme", "code", "scm ss", interpreters="guile scheme"),
    _row("scss", "code", "scss"),
    _row("sed", "code", "sed", interpreters="sed"),
    _row("smithy", "code", "smithy"),
    _row("solidity", "code", "sol"),
    _row("sql", "code", "sql ddl dml psql pgsql plsql cql"),
    _row("standardml", "code", "sml sig"),
    _row("starlark", "code", "bazel", names="build.bazel workspace.bazel module.bazel"),
    _row("svelte", "code", "svelte"),
    _row("swift", "code", "swift", interpreters="swift"),
    _row("systemverilog", "code", "sv svh"),
    _row("tcl", "code", "tcl", interpreters="tclsh wish expect"),
    _row("thrift", "code", "thrift"),
    _row("tsx", "code", "tsx"),
    _row("typescript", "code", "ts mts cts", interpreters="deno ts-node tsx"),
    _row("vala", "code", "vala vapi"),
    _row("vb", "code", "vb vbs bas cls"),
    _row("verilog", "code", "v vh"),
    _row("vhdl", "code", "vhd vhdl"),
    _row("vim", "code", "vim", names=".vimrc vimrc .nvimrc"),
    _row("vue", "code", "vue"),
    _row("wat", "code", "wat wast"),
    _row("zig", "code", "zig zon"),
    # Prose. Each keeps its lines; headings are found by the chunker.
    _row("asciidoc", "prose", "adoc asciidoc asc"),
    _row("fountain", "prose", "fountain"),
    _row("html", "prose", "html htm xhtml shtml"),
    _row("latex", "prose", "tex latex ltx sty bib"),
    _row("markdown", "prose", "md markdown mdown mkd mkdn mdx rmd qmd livemd mdc"),
    _row("man", "prose", "man mdoc roff 1 3 5 7 8"),
    _row("mediawiki", "prose", "wiki mediawiki"),
    _row("org", "prose", "org"),
    _row("patch", "prose", "diff patch rej"),
    _row(
        "plain",
        "prose",
        "txt text nfo",
        names="readme license licence copying authors contributors changelog changes news notice todo install history"
        " maintainers thanks credits version codeowners owners",
    ),
    _row("rst", "prose", "rst rest"),
    _row("srt", "prose", "srt"),
    _row("textile", "prose", "textile"),
    _row("typst", "prose", "typ"),
    _row("vtt", "prose", "vtt sbv"),
    # Data.
    _row("csv", "data", "csv"),
    _row("dotenv", "data", "env", names=".env"),
    _row("gitconfig", "data", "", names=".gitattributes .gitignore .gitmodules .gitconfig .dockerignore .npmignore"),
    _row("gomod", "data", "", names="go.mod go.sum go.work"),
    _row("ical", "data", "ics vcf"),
    _row(
        "ini",
        "data",
        "ini cfg conf cnf service timer socket desktop editorconfig",
        names=".editorconfig .npmrc .pylintrc .flake8 .coveragerc",
    ),
    _row(
        "json",
        "data",
        "json jsonc json5 geojson webmanifest avsc har topojson code-workspace sarif",
        names=".eslintrc .prettierrc .babelrc composer.lock pipfile.lock",
    ),
    _row("jsonl", "data", "jsonl ndjson"),
    _row("log", "data", "log out err trace"),
    _row("po", "data", "po pot"),
    _row("properties", "data", "properties"),
    _row("requirements", "data", "", names="requirements.txt constraints.txt requirements.in"),
    _row("svg", "data", "svg"),
    _row("toml", "data", "toml", names="cargo.lock poetry.lock uv.lock pdm.lock pipfile"),
    _row("tsv", "data", "tsv tab"),
    _row(
        "xml",
        "data",
        "xml xsd xsl xslt wsdl rss atom plist csproj vbproj fsproj props targets resx xaml opml kml gpx xlf"
        " xliff ui glade storyboard xib pom nuspec slnx",
    ),
    _row("yaml", "data", "yaml yml cff sublime-syntax", names=".clang-format .clang-tidy .gitlab-ci.yml yarn.lock"),
)

# Formats that are read by a parser; their size limit is that of documents.
DOCUMENT_LANGUAGES: tuple[Language, ...] = (
    _row("doc", "prose", "doc dot"),
    _row("docx", "prose", "docx docm dotx dotm"),
    _row("email", "prose", "eml mht mhtml"),
    _row("epub", "prose", "epub"),
    _row("jupyter", "prose", "ipynb"),
    _row("mbox", "prose", "mbox"),
    _row("msg", "prose", "msg"),
    _row("odp", "prose", "odp otp fodp odg otg fodg"),
    _row("ods", "data", "ods ots fods"),
    _row("odt", "prose", "odt ott fodt"),
    _row("pdf", "prose", "pdf"),
    _row("ppt", "prose", "ppt pps"),
    _row("pptx", "prose", "pptx pptm ppsx ppsm potx potm"),
    _row("rtf", "prose", "rtf"),
    _row("xls", "data", "xls xlt"),
    _row("xlsx", "data", "xlsx xlsm xltx xltm xlsb"),
)

_UNKNOWN = Language("", "prose")
_ROWS = {row.name: row for row in (*TEXT_LANGUAGES, *DOCUMENT_LANGUAGES)}
_BY_EXTENSION = {extension: row for row in _ROWS.values() for extension in row.extensions}
_BY_NAME = {name: row for row in _ROWS.values() for name in row.names}
_BY_INTERPRETER = {program: row for row in _ROWS.values() for program in row.interpreters}
_DOCUMENTS = frozenset(row.name for row in DOCUMENT_LANGUAGES)

# "Dockerfile.prod", "Makefile.am", "requirements-dev.txt", ".env.local": a known name with something after it.
_NAME_PREFIX = re.compile(r"(dockerfile|containerfile|jenkinsfile|makefile|\.env|vagrantfile)[.\-_]")
_REQUIREMENTS = re.compile(r"(requirements|constraints)[\w.\-]*\.(txt|in)")
_SHEBANG = re.compile(r"#!\s*(?:\S*/)?(\w[\w.+-]*)([^\r\n]*)")
_ENV_PROGRAM = re.compile(r"\s+(?:-\S+\s+|\w+=\S*\s+)*(?:\S*/)?(\w[\w+-]*)")
_MAN_PAGE = re.compile(r"^(?:\.\\\"|'\\\"|\.TH |\.Dd )", re.MULTILINE)
_MATLAB = re.compile(r"^\s*(?:%|function\b|classdef\b)", re.MULTILINE)
_OBJECTIVE_C = re.compile(r"^\s*(?:#import|@interface|@implementation|@protocol|@import|#include|//|/\*)", re.MULTILINE)
_CPP_HEADER = re.compile(
    r"^\s*(?:class\s+\w|namespace\b|template\s*<|using\s+\w|(?:public|private|protected):)", re.MULTILINE
)


def language_row(path: str, head: str = "") -> Language:
    """The row for a file; one with the name "" where nothing is known.

    Args:
        path: Relative path or file name.
        head: The first characters of its text, for ``#!`` lines and extensions with two meanings; "" is allowed.
    """
    name = path.rpartition("/")[2].lower()
    row = _by_name(name)
    if row is not None:
        return _settle(row, name, head) if head else row
    return _by_shebang(head) or _UNKNOWN


def language_of(path: str, head: str = "") -> str:
    """Lower-case name of the language ("python", "markdown", "pdf"), "" where unknown."""
    return language_row(path, head).name


def kind_of(path: str, head: str = "") -> Kind:
    """What the chunker and the ranking treat a file as; what is unknown is prose."""
    return language_row(path, head).kind


def is_prose_name(path: str) -> bool:
    """Whether a file is prose by its name; what has no known name, and what a parser reads, is not."""
    row = language_row(path)
    return row.kind == "prose" and bool(row.name) and row.name not in _DOCUMENTS


def is_document_format(path: str) -> bool:
    """Whether a file is of a format that is parsed (PDF, DOCX, mail, notebook …), by its extension."""
    return language_row(path).name in _DOCUMENTS


@lru_cache(maxsize=1024)  # a file is asked for six times on its way into the index
def _by_name(name: str) -> Language | None:
    return _BY_NAME.get(name) or _by_prefix(name) or _by_extension(name)


def _by_extension(name: str) -> Language | None:
    # ".bashrc" is a name without extension; "a.d.ts" has the extension "d.ts", then "ts".
    parts = name.lstrip(".").split(".")[1:]
    return next((row for i in range(len(parts)) if (row := _BY_EXTENSION.get(".".join(parts[i:])))), None)


def _by_prefix(name: str) -> Language | None:
    if match := _NAME_PREFIX.match(name):
        return _BY_NAME[match[1]]
    return _ROWS["requirements"] if _REQUIREMENTS.fullmatch(name) else None


def _by_shebang(head: str) -> Language | None:
    match = _SHEBANG.match(head.removeprefix("\ufeff"))
    if not match:
        return None
    program = match[1].lower()
    if program == "env" and (inner := _ENV_PROGRAM.match(match[2])):
        program = inner[1].lower()
    return _BY_INTERPRETER.get(program) or _BY_INTERPRETER.get(re.sub(r"[\d.]+$", "", program))


def _settle(row: Language, name: str, head: str) -> Language:
    """Look into a file whose extension means two things."""
    if row.name == "man" and not _MAN_PAGE.search(head):
        return _UNKNOWN
    if row.name == "matlab" and _OBJECTIVE_C.search(head) and not _MATLAB.search(head):
        return _ROWS["objectivec"]
    if row.name == "c" and name.endswith(".h") and _CPP_HEADER.search(head):
        return _ROWS["cpp"]
    if row.name == "doc" and name.endswith(".dot"):
        return _ROWS["graphviz"]  # only text has a head: a Word template is read by its parser
    if row.name == "typescript" and head.lstrip().startswith(("<?xml", "<!DOCTYPE TS")):
        return _ROWS["xml"]  # Qt translations share the extension
    return row
