"""What discovery yields outside git, and what every folder has in common."""

from __future__ import annotations

import inspect
import os
import shutil
import socket
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gnomon.discover import DiscoveryRules, check_folder, discover
from gnomon.errors import FolderError
from gnomon.values import Folder, SkipReason, SourceFile
from tests.unit.discover.folders import Finder, lay_out, make_repository


def test_files_come_once_sorted_with_their_state(tmp_path: Path, find: Finder) -> None:
    """Paths are sorted as whole strings, so that a folder does not come before a longer name."""
    lay_out(tmp_path, {"b/x.md": "1", "b.md": "12", "a": "", "b/a/z": "123", "b-c": "", ".hidden": ""})
    found = find(tmp_path)
    assert found.files == sorted(found.files) == [".hidden", "a", "b-c", "b.md", "b/a/z", "b/x.md"]
    status = (tmp_path / "b.md").stat()
    assert found.all[3] == SourceFile("b.md", 2, status.st_mtime_ns, status.st_ctime_ns, "plain file")


def test_built_in_patterns_apply_outside_git_and_folders_are_one_skip(tmp_path: Path, find: Finder) -> None:
    """Ten thousand packages are one line of the report; git's own folder is none."""
    lay_out(tmp_path, {"node_modules/a/b.js": "", "x/__pycache__/c": "", "src/build/d": "", "ok": "", ".git/x": ""})
    found = find(tmp_path)
    assert found.files == ["ok"]
    assert found.skipped(SkipReason.DEFAULT_IGNORED) == ["node_modules", "src/build", "x/__pycache__"]
    assert found.skips["src/build"].detail == "built-in list: build/"


def test_names_above_the_folder_are_not_matched(tmp_path: Path, find: Finder) -> None:
    """A folder under /build/ is no build output."""
    root = lay_out(tmp_path / "build" / "vendor" / "proj", {"a.md": ""})
    assert find(root).files == ["a.md"]


def test_own_ignore_file_hides_and_readmits(tmp_path: Path, find: Finder) -> None:
    """It weighs more than the built-in list, and names its line."""
    lay_out(
        tmp_path, {".indexignore": "# c\n*.log\n!vendor/\n/only\n", "a.log": "", "vendor/b": "", "only/c": "", "d": ""}
    )
    found = find(tmp_path)
    assert found.files == [".indexignore", "d", "vendor/b"]
    assert found.reasons == {"a.log": SkipReason.INDEX_IGNORED, "only": SkipReason.INDEX_IGNORED}
    assert found.skips["a.log"].detail == "line 2 of .indexignore: *.log"


def test_ignore_files_further_down_are_not_loaded(tmp_path: Path, find: Finder) -> None:
    """Only the folder's own counts; other tools' ignore files never do."""
    lay_out(tmp_path, {"x/.indexignore": "*", "x/a": "", ".dockerignore": "*", ".ignore": "*", ".gitignore": "*"})
    assert "x/a" in find(tmp_path).files


def test_global_ignore_file_applies_everywhere_and_weighs_less(tmp_path: Path, find: Finder) -> None:
    """Its patterns are relative to each folder; the folder's own may readmit."""
    everywhere = tmp_path / "settings" / ".indexignore"
    lay_out(tmp_path, {"settings/.indexignore": "*.txt\n/top\n", "f/.indexignore": "!keep.txt\n"})
    root = lay_out(tmp_path / "f", {"a.txt": "", "keep.txt": "", "top/x": "", "x/top/y": ""})
    found = find(root, DiscoveryRules(global_ignore_file=everywhere))
    assert found.files == [".indexignore", "keep.txt", "x/top/y"]
    assert found.skips["a.txt"].detail == f"line 1 of {everywhere}: *.txt"


def test_links_are_never_followed(tmp_path: Path, find: Finder) -> None:
    """To files, to folders, in circles, to nowhere: each is named, with where it points."""
    lay_out(tmp_path, {"f/real": "x", "out/secret": "s"})
    root = tmp_path / "f"
    for name, target in {
        "file": "real",
        "up": "..",
        "loop": "loop",
        "gone": "nowhere",
        "long": "x" * 300,
        "out": "../out",
    }.items():
        (root / name).symlink_to(target)
    found = find(root)
    assert found.files == ["real"]
    assert found.skipped(SkipReason.SYMLINK) == ["file", "gone", "long", "loop", "out", "up"]
    assert (found.skips["gone"].detail, found.skips["out"].detail) == ("dangling, to nowhere", "to ../out")


def test_pipes_and_sockets_are_named_not_opened(special_files: Path, find: Finder) -> None:
    """Opening one would wait for ever."""
    found = find(special_files)
    assert found.files == ["a"]
    assert {p: s.detail for p, s in found.skips.items()} == {"sub/pipe": "a named pipe", "sub/sock": "a socket"}


def test_pipes_and_sockets_are_named_in_a_repository_too(special_files: Path, find: Finder) -> None:
    """Git says nothing of them, also where a folder holds nothing else."""
    make_repository(special_files, {"b": ""})
    found = find(special_files)
    assert found.files == ["a", "b"]
    assert found.skipped(SkipReason.NOT_REGULAR) == ["sub/pipe", "sub/sock"]


@pytest.fixture
def special_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a pipe and a socket."""
    lay_out(tmp_path, {"a": "x", "sub/x": ""})
    (tmp_path / "sub" / "x").unlink()
    os.mkfifo(tmp_path / "sub" / "pipe")
    monkeypatch.chdir(tmp_path)  # a socket's address has 107 bytes at most
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("sub/sock")
        yield tmp_path


def test_sizes_names_and_documents_are_judged(tmp_path: Path, find: Finder) -> None:
    """Each file that is left out says by which rule."""
    lay_out(tmp_path, {"big.txt": "x" * 11, "big.pdf": "x" * 11, "i.png": "", "id_rsa": "", "ok.txt": "x" * 10})
    found = find(tmp_path, DiscoveryRules(max_file_size_bytes=10))
    assert found.files == ["big.pdf", "ok.txt"]
    assert found.reasons == {
        "big.txt": SkipReason.TOO_LARGE,
        "i.png": SkipReason.BINARY_EXTENSION,
        "id_rsa": SkipReason.SECRET_FILE,
    }


@pytest.mark.parametrize("in_git", [False, True])
def test_odd_names_are_distinct_and_come_back_as_they_are(tmp_path: Path, find: Finder, *, in_git: bool) -> None:
    """Whatever bytes the disk has as a name, the path opens the same file."""
    names = [
        b"a b",
        b"a\nb",
        b"a\tb",
        b'"q"',
        b"'q'",
        b"-rf",
        b"--",
        b"*",
        b"?[x]",
        b"$(id)",
        b"a;b",
        b"caf\xe9",
        b"\xff",
    ]
    names += [
        n.encode() for n in ("\u202edcba", "🦊\u200d🔥", "é", "e\u0301", "Readme", "README", ":(top)x", "x" * 255)
    ]
    if in_git:
        make_repository(tmp_path, {})
    for name in names:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(name)
    found = find(tmp_path)
    assert sorted(map(os.fsencode, found.files)) == sorted(names)
    assert all((tmp_path / path).read_bytes() == os.fsencode(path) for path in found.files)


_NAMES = st.binary(min_size=1, max_size=12).filter(lambda n: not set(n) & {0, 47} and n not in {b".", b"..", b".git"})


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.sets(_NAMES, max_size=6), folder=_NAMES)
def test_any_bytes_are_a_name(tmp_path: Path, find: Finder, names: set[bytes], folder: bytes) -> None:
    """Walking and asking git find the same files under the same names."""
    root = tmp_path / "r"
    shutil.rmtree(root, ignore_errors=True)
    place = root / os.fsdecode(folder)
    place.mkdir(parents=True)
    for name in names:
        (place / os.fsdecode(name)).touch()
    plain = DiscoveryRules(binary_extensions=frozenset(), secret_files=(), default_ignore_patterns=())
    walked = find(root, plain).files
    assert walked == sorted(os.fsdecode(folder + b"/" + name) for name in names)
    make_repository(root, {})
    if b".gitignore" not in names | {folder}:
        assert find(root, plain).files == walked


def test_unreadable_folder_is_a_skip(tmp_path: Path, find: Finder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is found, and the report says what could not be listed."""
    lay_out(tmp_path, {"a": "", "locked/b": ""})
    scandir = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("locked"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = find(tmp_path)
    assert found.files == ["a"]
    assert found.skips["locked"].reason is SkipReason.UNREADABLE


def test_file_without_permission_to_look_is_a_skip(
    tmp_path: Path, find: Finder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is on the disk, so it must not go unmentioned."""
    lay_out(tmp_path, {"a": "", "b": ""})
    lstat = os.lstat

    def refuse(path: str) -> os.stat_result:
        if str(path).endswith("/b"):
            raise PermissionError(13, "Permission denied")
        return lstat(path)

    monkeypatch.setattr(os, "lstat", refuse)
    assert find(tmp_path).reasons == {"b": SkipReason.UNREADABLE}


def test_lost_folder_is_an_error_not_an_empty_one(tmp_path: Path) -> None:
    """Else everything indexed from an unplugged disk would be forgotten."""
    with pytest.raises(FolderError, match="missing on disk"):
        discover(Folder("x", tmp_path / "x"), DiscoveryRules())


@pytest.mark.parametrize("in_git", [False, True])
def test_folder_lost_on_the_way_is_an_error(tmp_path: Path, *, in_git: bool) -> None:
    """The end of the listing is not reached silently."""
    root = make_repository(tmp_path / "r", {"a": "", "b": "", "c/d": ""}) if in_git else tmp_path / "r"
    lay_out(root, {"a": "", "b": "", "c/d": ""})
    found = discover(Folder("r", root), DiscoveryRules())
    next(found)
    shutil.rmtree(root)
    with pytest.raises(FolderError, match="missing on disk"):
        list(found)


def test_file_in_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    """The sentence says what to name instead."""
    (tmp_path / "f").touch()
    with pytest.raises(FolderError, match="name the folder that holds it"):
        check_folder(Folder("f", tmp_path / "f"))


def test_folder_without_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence names the cause."""

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(FolderError, match="Permission denied"):
        check_folder(Folder("f", tmp_path))


def test_file_that_vanishes_meanwhile_goes_unmentioned(tmp_path: Path) -> None:
    """It is not on the disk, so there is nothing to report."""
    lay_out(tmp_path, {"a": "", "b": "", "c": ""})
    found = discover(Folder("r", tmp_path), DiscoveryRules())
    first = next(found)
    (tmp_path / "b").unlink()
    assert [f.path for f in (first, *found)] == ["a", "c"]


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({}, "has no files"),
        ({".indexignore": "*\n", "a.md": "", "b/c": ""}, "3 ignored by .indexignore"),
        ({"a.png": ""}, "1 binary by extension"),
    ],
)
def test_folder_with_nothing_to_index_says_why(
    tmp_path: Path, find: Finder, files: dict[str, str], sentence: str
) -> None:
    """An empty answer has a cause, and the person is told."""
    found = find(lay_out(tmp_path, files))
    assert found.files == []
    assert [sentence in warning for warning in found.warnings] == [True]


def test_unreadable_ignore_file_stops_the_run(tmp_path: Path, find: Finder) -> None:
    """What it hides would be indexed otherwise."""
    lay_out(tmp_path, {"a": "", "real": "*"})
    (tmp_path / ".indexignore").symlink_to("real")
    with pytest.raises(FolderError, match="symbolic link"):
        find(tmp_path)


def test_deep_tree_is_walked_to_its_end(tmp_path: Path, find: Finder) -> None:
    """Deeper than Python may call itself."""
    place = tmp_path
    for _ in range(400):
        place = place / "d"
        place.mkdir()
    (place / "a").touch()
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 200)
    try:
        assert find(tmp_path).files == ["d/" * 400 + "a"]
    finally:
        sys.setrecursionlimit(limit)


def test_composed_and_decomposed_names_are_two_files(tmp_path: Path, find: Finder) -> None:
    """Nothing is normalised on the way from the disk."""
    twins = [unicodedata.normalize(form, "é.md") for form in ("NFC", "NFD")]
    lay_out(tmp_path, dict.fromkeys(twins, ""))
    assert sorted(find(tmp_path).files) == sorted(twins)


def test_warnings_go_to_the_log_unless_taken(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing is printed by discovery itself."""
    list(discover(Folder("r", tmp_path), DiscoveryRules()))
    assert "has no files" in caplog.text
