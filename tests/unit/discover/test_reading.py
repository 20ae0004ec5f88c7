"""One file is read through one handle, checked anew, and never beyond its limit."""

from __future__ import annotations

import errno
import os
import shutil
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.discover import DiscoveryRules, read
from gnomon.discover.reading import is_binary
from gnomon.errors import DocumentError, FolderError
from gnomon.values import Folder, SkipReason
from tests.unit.discover.folders import lay_out

RULES = DiscoveryRules()


def refusal(root: Path, path: str, rules: DiscoveryRules = RULES) -> tuple[str, str]:
    """Reason and detail with which a path is refused."""
    with pytest.raises(DocumentError) as caught:
        read(Folder("f", root), path, rules)
    return caught.value.reason, caught.value.detail


def test_bytes_come_with_the_state_before_reading(tmp_path: Path) -> None:
    """What planning compares with the disk next time."""
    lay_out(tmp_path, {"a/b.md": "héllo\r\n"})
    content = read(Folder("f", tmp_path), "a/b.md", RULES)
    status = (tmp_path / "a/b.md").stat()
    assert content.data == "héllo\r\n".encode()
    assert (content.size_bytes, content.mtime_ns, content.ctime_ns) == (8, status.st_mtime_ns, status.st_ctime_ns)


def test_file_at_its_limit_is_read_and_one_above_is_not(tmp_path: Path) -> None:
    """The limit itself is allowed."""
    lay_out(tmp_path, {"a": "12345", "b": "123456"})
    rules = DiscoveryRules(max_file_size_bytes=5)
    assert read(Folder("f", tmp_path), "a", rules).data == b"12345"
    assert refusal(tmp_path, "b", rules) == (SkipReason.TOO_LARGE, "6 bytes; maxFileSizeBytes is 5")


def test_file_that_grows_while_read_cannot_pass_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was small when it was looked at; no more than one byte beyond the limit is ever held."""
    lay_out(tmp_path, {"a": "123"})
    asked = []
    look, take = os.fstat, os.read

    def look_then_grow(handle: int) -> os.stat_result:
        status = look(handle)
        (tmp_path / "a").write_text("1" * 1000)
        return status

    def count(handle: int, size: int) -> bytes:
        asked.append(size)
        return take(handle, size)

    monkeypatch.setattr(os, "fstat", look_then_grow)
    monkeypatch.setattr(os, "read", count)
    reason, detail = refusal(tmp_path, "a", DiscoveryRules(max_file_size_bytes=10))
    assert (reason, max(asked)) == (SkipReason.TOO_LARGE, 11)
    assert detail.endswith("it grew while it was read")


def test_link_is_not_followed_wherever_it_stands(tmp_path: Path) -> None:
    """As the file or as a folder above it, out of the folder or inside it."""
    root = lay_out(tmp_path, {"f/dir/a": "x", "out/a": "s"}) / "f"
    (root / "link").symlink_to("dir/a")
    (root / "to").symlink_to("../out")
    (root / "in").symlink_to("dir")
    assert refusal(root, "link") == (SkipReason.SYMLINK, "to dir/a")
    assert refusal(root, "to/a") == (SkipReason.SYMLINK, "to is a link and is not followed")
    assert refusal(root, "in/a") == (SkipReason.SYMLINK, "in is a link and is not followed")


def test_link_put_there_after_the_look_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between looking at a file and opening it there is time for an attack."""
    root = lay_out(tmp_path, {"f/a": "x", "secret": "s"}) / "f"
    look = os.stat

    def look_then_swap(path: str, *, dir_fd: int | None = None, follow_symlinks: bool = True) -> os.stat_result:
        status = look(path, dir_fd=dir_fd, follow_symlinks=follow_symlinks)
        if path == "a":
            (root / "a").unlink()
            (root / "a").symlink_to("../secret")
        return status

    monkeypatch.setattr(os, "stat", look_then_swap)
    assert refusal(root, "a") == (SkipReason.SYMLINK, "a is a link and is not followed")


def test_what_is_no_regular_file_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pipes, sockets, folders; a pipe put there after the look neither."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dir").mkdir()
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("sock")
    assert refusal(tmp_path, "pipe") == (SkipReason.NOT_REGULAR, "a named pipe")
    assert refusal(tmp_path, "sock") == (SkipReason.NOT_REGULAR, "a socket")
    assert refusal(tmp_path, "dir") == (SkipReason.NOT_REGULAR, "a folder")


def test_pipe_put_there_after_the_look_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening does not block, and the open handle is looked at again."""
    lay_out(tmp_path, {"a": "x"})
    look = os.stat

    def look_then_swap(path: str, *, dir_fd: int | None = None, follow_symlinks: bool = True) -> os.stat_result:
        status = look(path, dir_fd=dir_fd, follow_symlinks=follow_symlinks)
        if path == "a":
            (tmp_path / "a").unlink()
            os.mkfifo(tmp_path / "a")
        return status

    monkeypatch.setattr(os, "stat", look_then_swap)
    assert refusal(tmp_path, "a")[0] == SkipReason.NOT_REGULAR


def test_device_is_refused(tmp_path: Path) -> None:
    """Endless ones too."""
    assert refusal(Path("/dev"), "zero") == (SkipReason.NOT_REGULAR, "a device")


def test_gone_file_and_gone_folder_are_told_apart(tmp_path: Path) -> None:
    """One costs a document; the other must stop the run."""
    root = lay_out(tmp_path / "f", {"a": ""})
    assert refusal(root, "b")[0] == SkipReason.VANISHED
    assert refusal(root, "a/b")[0] == SkipReason.VANISHED
    shutil.rmtree(root)
    with pytest.raises(FolderError, match="missing on disk"):
        read(Folder("f", root), "a", RULES)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (errno.EACCES, SkipReason.UNREADABLE),
        (errno.EIO, SkipReason.UNREADABLE),
        (errno.ENXIO, SkipReason.NOT_REGULAR),
        (errno.ENOENT, SkipReason.VANISHED),
    ],
)
def test_refusal_of_the_system_has_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, reason: SkipReason
) -> None:
    """No permission, a broken disk, a socket, gone this moment."""
    lay_out(tmp_path, {"a": ""})

    def refuse(*_: object, **__: object) -> int:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("gnomon.discover.reading.read_capped", refuse)
    assert refusal(tmp_path, "a")[0] == reason


@pytest.mark.parametrize("path", ["", ".", "..", "../x", "a/../../x", "/etc/passwd", "a//b", "a\0b", "a/./b"])
def test_path_that_is_none_of_the_folder_is_refused(tmp_path: Path, path: str) -> None:
    """Even if a caller forgot to ask ``confine``."""
    assert refusal(tmp_path, path)[0] == SkipReason.VANISHED


@pytest.mark.parametrize(
    ("path", "reason"), [("id_rsa", SkipReason.SECRET_FILE), ("a.png", SkipReason.BINARY_EXTENSION)]
)
def test_names_are_judged_here_too(tmp_path: Path, path: str, reason: SkipReason) -> None:
    """Whoever reads a path that discovery did not list gets no secret."""
    lay_out(tmp_path, {path: "x"})
    assert refusal(tmp_path, path)[0] == reason


def test_nul_in_the_first_4_kb_makes_a_file_binary(tmp_path: Path) -> None:
    """One later does not; in a document it means nothing."""
    (tmp_path / "a").write_bytes(b"x" * 4095 + b"\0")
    (tmp_path / "b").write_bytes(b"x" * 4096 + b"\0")
    (tmp_path / "c.pdf").write_bytes(b"\0")
    assert refusal(tmp_path, "a")[0] == SkipReason.BINARY_CONTENT
    assert read(Folder("f", tmp_path), "b", RULES).size_bytes == 4097
    assert read(Folder("f", tmp_path), "c.pdf", RULES).data == b"\0"


@pytest.mark.parametrize(
    "text",
    [
        "hello world\n",
        "a",
        "Straße, Größe\n",
        "佐藤太郎、東京。 A\n",
        "привет мир\n" * 400,
        "x = 1\r\n" * 900,
        "한국어 글 1\n",
    ],
)
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-16", "utf-32"])
def test_wide_text_is_text_with_and_without_a_mark(text: str, codec: str) -> None:
    """Its NUL bytes are halves of letters."""
    assert not is_binary(text.encode(codec))


@pytest.mark.parametrize(
    "data",
    [
        b"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00",
        b"\0",
        b"\0" * 4096,
        b"PK\x03\x04\x14\0\x08\0\x08\0",
        b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0",
        bytes(range(256)) * 20,
        b"plain text\0with a terminator",
        b"".join(i.to_bytes(2, "little") for i in range(2000)),
        b"".join((i * 7919 % 65521).to_bytes(2, "big") for i in range(2048)),
        b"".join(i.to_bytes(4, "little") for i in range(1000)),
    ],
)
def test_numbers_and_programs_are_binary(data: bytes) -> None:
    """Tables of numbers have NUL bytes on one side too, but read as no text."""
    assert is_binary(data)


@given(st.binary(max_size=5000))
def test_bytes_without_nul_are_never_binary(data: bytes) -> None:
    """Legacy encodings are for the next step to tell."""
    assert not is_binary(data.replace(b"\0", b"x"))


@pytest.mark.parametrize("path", ["dir/a", "a"])
def test_systems_that_cannot_open_stepwise_read_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Windows: the real path is compared instead."""
    monkeypatch.setattr("gnomon.discover.reading._STEPWISE", False)
    root = lay_out(tmp_path / "f", {"dir/a": "1", "a": "1"})
    (root / "in").symlink_to("dir")
    (root / "link").symlink_to("a")
    assert read(Folder("f", root), path, RULES).data == b"1"
    assert refusal(root, "in/a")[0] == SkipReason.SYMLINK
    assert refusal(root, "link")[0] == SkipReason.SYMLINK
    assert refusal(root, "b")[0] == SkipReason.VANISHED


def test_no_handle_stays_open(tmp_path: Path) -> None:
    """Thirty thousand files are read in one run."""
    lay_out(tmp_path, {"a/b": "x", "id_rsa": "", "big": "x" * 20})
    (tmp_path / "l").symlink_to("big")
    before = open_handles()
    rules = DiscoveryRules(max_file_size_bytes=10)
    for path in ("id_rsa", "big", "l", "a/x", "x/y"):
        refusal(tmp_path, path, rules)
    read(Folder("f", tmp_path), "a/b", rules)
    assert open_handles() == before


def open_handles() -> int:
    """Of this process; the one that looks is among them."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())
