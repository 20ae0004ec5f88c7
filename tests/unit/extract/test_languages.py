"""Language and kind follow from name, extension and shebang."""

from __future__ import annotations

import pytest

from gnomon.extract import is_document_format, kind_of, language_of
from gnomon.extract.languages import DOCUMENT_LANGUAGES, TEXT_LANGUAGES


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("src/a.py", "python"),
        ("a.d.ts", "typescript"),
        ("App.TSX", "tsx"),
        ("README.md", "markdown"),
        ("README", "plain"),
        ("LICENSE", "plain"),
        ("Makefile", "make"),
        ("Dockerfile", "dockerfile"),
        ("deploy/Dockerfile.prod", "dockerfile"),
        ("requirements-dev.txt", "requirements"),
        ("notes.txt", "plain"),
        (".bashrc", "bash"),
        (".env.local", "dotenv"),
        ("go.mod", "gomod"),
        ("CMakeLists.txt", "cmake"),
        ("a.yml", "yaml"),
        ("a.b.c.rs", "rust"),
        ("scan.PDF", "pdf"),
        ("no_extension", ""),
        ("ends-with-dot.", ""),
        ("x.unknownthing", ""),
    ],
)
def test_name_gives_the_language(path: str, language: str) -> None:
    """File names and extensions are looked up without regard to case."""
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("head", "language"),
    [
        ("#!/bin/sh\n", "bash"),
        ("#!/usr/bin/env python3\n", "python"),
        ("#! /usr/bin/python3.11 -I\n", "python"),
        ("#!/usr/bin/env -S deno run\n", "typescript"),
        ("#!/usr/bin/env FOO=1 node\n", "javascript"),
        ("#!/opt/unheard/of\n", ""),
        ("# no shebang\n", ""),
        ("", ""),
    ],
)
def test_shebang_gives_the_language_where_the_name_does_not(head: str, language: str) -> None:
    """A script without an extension is what its interpreter reads."""
    assert language_of("bin/tool", head) == language


def test_extension_wins_over_shebang() -> None:
    """An extension that is known is believed."""
    assert language_of("tool.pl", "#!/bin/sh\n") == "perl"


@pytest.mark.parametrize(
    ("path", "head", "language"),
    [
        ("a.m", "#import <UIKit/UIKit.h>\n", "objectivec"),
        ("a.m", "function y = f(x)\n", "matlab"),
        ("a.h", "namespace x {\n", "cpp"),
        ("a.h", "int f(void);\n", "c"),
        ("a.1", ".TH LS 1\n", "man"),
        ("backup.1", "hello\n", ""),
        ("de.ts", '<?xml version="1.0"?>\n<!DOCTYPE TS>', "xml"),
    ],
)
def test_shared_extension_is_settled_by_the_text(path: str, head: str, language: str) -> None:
    """Two languages with one extension are told apart by their first lines."""
    assert language_of(path, head) == language


@pytest.mark.parametrize(
    ("path", "kind"), [("a.go", "code"), ("a.md", "prose"), ("a.json", "data"), ("a.csv", "data"), ("what", "prose")]
)
def test_kind_follows_the_language(path: str, kind: str) -> None:
    """Code, prose and data are told apart; what is unknown is prose."""
    assert kind_of(path) == kind


@pytest.mark.parametrize(
    "path", ["a.pdf", "a.docx", "a.XLSX", "a.odt", "a.epub", "a.rtf", "a.ipynb", "a.eml", "a.pptx"]
)
def test_parsed_formats_are_documents(path: str) -> None:
    """Formats that are parsed have the larger size limit."""
    assert is_document_format(path)


@pytest.mark.parametrize("path", ["a.md", "a.html", "a.csv", "a.py", "docx", "Makefile"])
def test_text_is_no_document_format(path: str) -> None:
    """Plain text keeps the limit of text."""
    assert not is_document_format(path)


def test_every_extension_and_name_means_one_language() -> None:
    """No row is shadowed by another, and there are at least sixty languages."""
    rows = (*TEXT_LANGUAGES, *DOCUMENT_LANGUAGES)
    for field in ("extensions", "names", "interpreters"):
        keys = [key for row in rows for key in getattr(row, field)]
        assert len(keys) == len(set(keys)), [key for key in keys if keys.count(key) > 1]
        assert all(key == key.lower() for key in keys)
    assert len({row.name for row in rows}) == len(rows) >= 60
