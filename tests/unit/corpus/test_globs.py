"""Globs as they are typed, and the files that they find."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.corpus.globs import placed_glob
from gnomon.discover import matches_in
from gnomon.values import Folder

_FILES = (
    *("notes/vpn.md", "notes/docs/a.md", "code/httpie/setup.cfg", "code/httpie/httpie/core.py"),
    *("code/httpie/docs/b.md", "code/httpie/pages/[slug].md"),
)


@pytest.fixture
def folders(tmp_path: Path) -> list[Folder]:
    """``notes`` and ``code/httpie`` below one place."""
    top = tmp_path.resolve()
    for path in _FILES:
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text("x", "utf-8")
    return [Folder("notes", top / "notes"), Folder("httpie", top / "code" / "httpie")]


@pytest.mark.parametrize(
    ("here", "typed", "found"),
    [
        (".", "docs/*.md", ["notes/docs/a.md", "code/httpie/docs/b.md"]),
        (".", "*.cfg", ["code/httpie/setup.cfg"]),
        (".", "{top}/notes/docs", ["notes/docs/a.md"]),
        (".", "{top}/notes/*.md", ["notes/vpn.md"]),
        (".", "{top}/notes/", ["notes/vpn.md", "notes/docs/a.md"]),
        (".", "{top}/code/httpie/pages/[slug].md", ["code/httpie/pages/[slug].md"]),
        (".", "notes/**/*.md", ["notes/vpn.md", "notes/docs/a.md"]),
        (".", "code/httpie/docs/", ["code/httpie/docs/b.md"]),
        (".", "code/httpie/setup.cfg", ["code/httpie/setup.cfg"]),
        (".", "httpie/*.cfg", []),
        (".", "httpie/setup.cfg", ["code/httpie/setup.cfg"]),
        ("notes", "../code/httpie/*.cfg", ["code/httpie/setup.cfg"]),
        ("notes", "../notes/docs", ["notes/docs/a.md"]),
        (".", "{top}/code/httpie/doc", []),
        (".", "{top}/notes", ["notes/vpn.md", "notes/docs/a.md"]),
        (".", "{top}/notes/../notes/docs/../*.md", ["notes/vpn.md"]),
        (".", "/etc/*", []),
        (".", "scr/**", []),
    ],
)
def test_typed_glob_finds_the_files_it_means(folders: list[Folder], here: str, typed: str, found: list[str]) -> None:
    """Relative to a folder, as is; else from the working directory, from the root, or by a folder's name."""
    top = folders[0].root.parent
    glob = placed_glob(folders, typed.format(top=top), here=(top / here).resolve())
    placed = [
        (f, (top / path).relative_to(f.root).as_posix())
        for path in _FILES
        for f in folders
        if f.root in (top / path).parents
    ]
    assert [
        (f.root / path).relative_to(top).as_posix() for f, path in placed if matches_in(str(f.root), path, glob)
    ] == found
    assert placed_glob(folders, glob) == glob


def test_name_of_a_folder_is_known_without_a_working_directory(folders: list[Folder]) -> None:
    """An agent has none; what the server's own happens to be says nothing."""
    assert placed_glob(folders, "notes/*.md") == f"{folders[0].root}/*.md"
    assert placed_glob(folders, "code/httpie/*.cfg") == "code/httpie/*.cfg"


@pytest.mark.parametrize(
    "typed", ["/a\0b/*.md", "notes/\0", "notes/\ud800/*.md", "/" + "x" * 5000 + "/*", "", "/", "~nobody-at-all/x"]
)
def test_what_is_no_path_of_this_system_stays_as_it_is(folders: list[Folder], typed: str) -> None:
    """It matches nothing, and is no fault."""
    glob = placed_glob(folders, typed, here=folders[0].root)
    assert glob == typed
    matches_in(str(folders[0].root), "vpn.md", glob)
