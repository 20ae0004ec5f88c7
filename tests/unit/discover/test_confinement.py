"""One answer to "is this path ours?"."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gnomon.discover import confine
from gnomon.discover.confinement import on_a_line
from gnomon.errors import ConfinementError, UsageError
from gnomon.values import Folder, display_path
from tests.unit.discover.folders import lay_out


@pytest.fixture
def data(tmp_path: Path) -> Folder:
    """A folder with one beside it whose name begins alike."""
    lay_out(tmp_path, {"data/a.md": "", "data/sub/b.md": "", "data-private/c.md": "", "passwd": ""})
    return Folder("data", tmp_path / "data")


@pytest.mark.parametrize(
    "given_path",
    ["sub/b.md", "data/sub/b.md", "./sub/b.md", "sub/../sub/b.md", "{root}/sub/b.md", "{root}/../data/sub//b.md"],
)
def test_path_inside_is_found_however_it_is_spelled(data: Folder, given_path: str) -> None:
    """Relative, absolute, with the folder's name, with detours that stay inside."""
    assert confine([data], given_path.format(root=data.root)) == (data, "sub/b.md")


@pytest.mark.parametrize("given_path", ["{root}", "{root}/", "data", ".", "./"])
def test_folder_itself_is_the_empty_path(data: Folder, given_path: str) -> None:
    """For whoever indexes a folder by its name."""
    assert confine([data], given_path.format(root=data.root)) == (data, "")


@pytest.mark.parametrize(
    "given_path",
    [
        *("../passwd", "sub/../../passwd", "data/../../passwd", "{root}/../passwd", "{root}-private/c.md", "/", ".."),
        *("/etc/passwd", "file:///etc/passwd", "http://x/y", "//server/share/x", "\\\\server\\share"),
        *("a\0b", "", " ", "\ud800x"),
    ],
)
def test_path_outside_is_refused(data: Folder, given_path: str) -> None:
    """By its parts, by its first letters alone, by another scheme, or because it is no path."""
    with pytest.raises(ConfinementError):
        confine([data], given_path.format(root=data.root))


def test_link_that_leads_out_is_refused(data: Folder) -> None:
    """As the file, as a folder above it, and also where nothing is at its end."""
    (data.root / "file").symlink_to("../passwd")
    (data.root / "dir").symlink_to("../data-private")
    (data.root / "gone").symlink_to("/nowhere/x")
    for path in ("file", "dir/c.md", "dir/new.md", "gone", f"{data.root}/dir/c.md"):
        with pytest.raises(ConfinementError, match="leads out"):
            confine([data], path)


def test_link_that_stays_inside_is_ours(data: Folder) -> None:
    """It is a link for ``read`` to refuse and for ``why`` to explain."""
    (data.root / "link").symlink_to("sub/b.md")
    assert confine([data], "link") == (data, "link")


def test_folder_reached_through_a_link_is_the_folder(data: Folder, tmp_path: Path) -> None:
    """As /tmp is on some systems."""
    (tmp_path / "alias").symlink_to("data")
    assert confine([data], f"{tmp_path}/alias/sub/b.md") == (data, "sub/b.md")


def test_path_that_does_not_exist_is_placed_all_the_same(data: Folder) -> None:
    """``why`` speaks of files that are to come."""
    assert confine([data], "new/file.md") == (data, "new/file.md")


def test_path_in_several_folders_has_to_be_named(data: Folder, tmp_path: Path) -> None:
    """Guessing would show the wrong file."""
    other = Folder("other", lay_out(tmp_path / "other", {"a.md": "", "only.md": ""}))
    with pytest.raises(UsageError, match=r"data/a\.md, other/a\.md"):
        confine([data, other], "a.md")
    assert confine([data, other], "other/a.md") == (other, "a.md")
    assert confine([data, other], "only.md") == (other, "only.md")
    assert confine([data, other], "other/new.md") == (other, "new.md")
    with pytest.raises(ConfinementError, match="no such file in any folder"):
        confine([data, other], "nowhere.md")


def test_innermost_folder_has_the_path(data: Folder) -> None:
    """Where one folder lies in another."""
    inner = Folder("sub", data.root / "sub")
    assert confine([data, inner], f"{data.root}/sub/b.md") == (inner, "b.md")


def test_no_folders_mean_nothing_is_ours() -> None:
    """The sentence says where to look."""
    with pytest.raises(ConfinementError, match="gnomon list"):
        confine([], "a.md")


def test_shown_form_of_an_undecodable_name_finds_it(data: Folder) -> None:
    """What was printed can be typed; a file that is really called so comes first."""
    name = os.fsdecode(b"caf\xe9.md")
    lay_out(data.root, {f"d/{name}": "x"})
    assert confine([data], f"d/{display_path(name)}") == (data, f"d/{name}")
    lay_out(data.root, {"d/caf\\xe9.md": ""})
    assert confine([data], "d/caf\\xe9.md") == (data, "d/caf\\xe9.md")


@pytest.mark.parametrize("name", ["new\nline.md", "tab\there.md", "\x1b[31m.md", "\u202emd.md", "two\r\n \n.md"])
def test_name_as_it_is_shown_within_a_line_finds_the_file(data: Folder, name: str) -> None:
    """An agent that reads it in an answer can pass it on; a file that is really called so comes first."""
    shown = on_a_line(name)
    assert len(shown.splitlines()) == 1
    lay_out(data.root, {f"d/{name}": "x"})
    assert confine([data], f"d/{shown}") == (data, f"d/{name}")
    assert confine([data], f"{data.root}/d/{shown}") == (data, f"d/{name}")
    lay_out(data.root, {f"d/{shown}": ""})
    assert confine([data], f"d/{shown}") == (data, f"d/{shown}")


def test_root_as_it_is_shown_within_a_line_is_found(tmp_path: Path) -> None:
    """Folders may have such names, too."""
    folder = Folder("odd", tmp_path / "new\nroot")
    lay_out(folder.root, {"a.md": "x"})
    assert confine([folder], on_a_line(f"{folder.root}/a.md")) == (folder, "a.md")
    assert confine([folder], on_a_line(str(folder.root))) == (folder, "")


def test_other_form_of_composed_letters_finds_the_file(data: Folder) -> None:
    """A Mac writes them apart; with both on disk each is its own."""
    composed, apart = (unicodedata.normalize(form, "é.md") for form in ("NFC", "NFD"))
    lay_out(data.root, {apart: ""})
    assert confine([data], composed) == (data, apart)
    lay_out(data.root, {composed: ""})
    assert confine([data], composed) == (data, composed)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["..", ".", "", "sub", "a.md", "data", "link", "x"]), max_size=6), st.booleans())
def test_nothing_confined_is_outside(data: Folder, parts: list[str], absolute: bool) -> None:  # noqa: FBT001
    """Whatever is typed, what comes back resolves to a place in the folder."""
    if not os.path.lexists(data.root / "link"):
        (data.root / "link").symlink_to("..")
    typed = "/".join(([str(data.root)] if absolute else []) + parts)
    try:
        folder, path = confine([data], typed)
    except ConfinementError:
        return
    assert Path(os.path.realpath(folder.root / path)).is_relative_to(data.root)
