"""One file to its bytes: opened once, not through links, not larger than allowed, not binary."""

from __future__ import annotations

import codecs
import errno
import os
import stat
import unicodedata
from dataclasses import dataclass

from gnomon.config.paths import real
from gnomon.discover.admit import irregular
from gnomon.discover.handles import NO_LINK, READ_FLAGS, read_capped
from gnomon.discover.rules import DiscoveryRules
from gnomon.errors import DocumentError, FolderError
from gnomon.values import Folder, Skip, SkipReason, SourceFile, size_and_times

SAMPLE_BYTES = 4096
_FOLDER_FLAGS = READ_FLAGS | NO_LINK | getattr(os, "O_DIRECTORY", 0)
_STEPWISE = os.open in os.supports_dir_fd
_WIDE_BOMS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WIDE_CODECS = (("utf-32-le", 4), ("utf-32-be", 4), ("utf-16-le", 2), ("utf-16-be", 2))
_ASCII = frozenset(b"\t\n\r" + bytes(range(0x20, 0x7F)))
# Text has a blank, a line end or an ideographic blank, comma or full stop at least this often; random pairs do not.
_CHARS_PER_BREAK = 200
_BREAKS = frozenset(" \n\u3000\u3001\u3002\uff0c")


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of one file, with its state just before they were read.

    A file that changes while it is read differs from this state afterwards, so the next run reads it again.

    Attributes:
        data: All of the file, at most the limit of its kind.
        size_bytes: As the system gave it before reading; ``len(data)`` differs where the file grew or shrank.
        mtime_ns: Modification time before reading.
        ctime_ns: Change time before reading.
    """

    data: bytes
    size_bytes: int
    mtime_ns: int
    ctime_ns: int


def read(folder: Folder, file: SourceFile | str, rules: DiscoveryRules) -> Content:
    """Read one file, checking anew what may have changed since it was discovered.

    Ignore rules are not asked again; names that are secrets or binary are refused here too.

    Args:
        folder: Its root is a real path.
        file: As discovered, or its path in the folder.
        rules: Limits and formats.

    Raises:
        DocumentError: Its ``reason`` is a ``SkipReason``: gone, a link, no regular file, unreadable, too large, binary.
        FolderError: The folder itself is gone.
    """
    path = file if isinstance(file, str) else file.path
    _raise(rules.skip_by_name(path))
    try:
        handle = _open(folder, path)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                _raise(irregular(path, status.st_mode, str(folder.root / path)))
            _raise(rules.skip_by_size(path, status.st_size))
            data = read_capped(handle, rules.limit_bytes(path))
        finally:
            os.close(handle)
    except OSError as e:
        raise _translated(e, folder, path) from e
    if len(data) > rules.limit_bytes(path):
        raise DocumentError(SkipReason.TOO_LARGE, rules.size_detail(path, len(data)) + "; it grew while it was read")
    if not rules.is_document(path) and is_binary(data):
        raise DocumentError(SkipReason.BINARY_CONTENT, f"a NUL byte in the first {SAMPLE_BYTES:,}")
    return Content(data, *size_and_times(status))


def _raise(skip: Skip | None) -> None:
    if skip is not None:
        raise DocumentError(skip.reason, skip.detail)


def _open(folder: Folder, path: str) -> int:
    """Open a path part by part, so that no part can be a link, even one put there this moment."""
    *above, name = path.split("/")
    if not all(part not in {"", ".", ".."} and "\0" not in part for part in (*above, name)):
        raise DocumentError(SkipReason.VANISHED, "not a path inside the folder")
    if not _STEPWISE:
        return _open_whole(folder, path)
    try:
        here = os.open(folder.root, READ_FLAGS | getattr(os, "O_DIRECTORY", 0))
    except OSError as e:
        raise FolderError(f"folder {folder.name} is missing on disk or unreadable: {folder.root} ({e.strerror})") from e
    try:
        for part in above:
            there = os.open(part, _FOLDER_FLAGS, dir_fd=here)
            os.close(here)
            here = there
        # Opening a device can have effects of its own: look first.
        status = os.stat(name, dir_fd=here, follow_symlinks=False)
        if not stat.S_ISREG(status.st_mode):
            _raise(irregular(path, status.st_mode, str(folder.root / path)))
        return os.open(name, READ_FLAGS | NO_LINK, dir_fd=here)
    finally:
        os.close(here)


def _open_whole(folder: Folder, path: str) -> int:
    """For systems that cannot open relative to a folder's handle: compare with the real path first."""
    file = folder.root / path
    status = os.lstat(file)
    if not stat.S_ISREG(status.st_mode):
        _raise(irregular(path, status.st_mode, str(file)))
    if real(file) != real(folder.root) / path:
        raise DocumentError(SkipReason.SYMLINK, "a folder above it is a link")
    return os.open(file, READ_FLAGS | NO_LINK)


def _translated(error: OSError, folder: Folder, path: str) -> Exception:
    """The refusal that a failed system call stands for."""
    if not folder.root.is_dir():
        return FolderError(f"folder {folder.name} is missing on disk: {folder.root}")
    if error.errno in {errno.ELOOP, errno.ENOTDIR}:
        place = folder.root
        for part in path.split("/"):
            place = place / part
            if place.is_symlink():
                inside = place.relative_to(folder.root).as_posix()
                return DocumentError(SkipReason.SYMLINK, f"{inside} is a link and is not followed")
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        return DocumentError(SkipReason.VANISHED)
    if error.errno == errno.ENXIO:
        return DocumentError(SkipReason.NOT_REGULAR, "a socket")
    return DocumentError(SkipReason.UNREADABLE, error.strerror or str(error))


def is_binary(data: bytes) -> bool:
    """Whether the first 4 KB hold a NUL byte and are not UTF-16 or UTF-32, which have them by nature."""
    sample = data[:SAMPLE_BYTES]
    if b"\0" not in sample or sample.startswith(_WIDE_BOMS):
        return False
    nuls = sample.count(0)
    plain = sum(byte in _ASCII for byte in sample)
    # ASCII with a NUL here and there reads as rare Chinese characters.
    if nuls < len(sample) / 4 and plain > 0.85 * (len(sample) - nuls):
        return True
    return not any(_reads_as(sample, codec, width) for codec, width in _WIDE_CODECS)


def _reads_as(sample: bytes, codec: str, width: int) -> bool:
    """Whether a sample is plausible text in an encoding: ASCII in it (else no NUL), breaks, nothing unassigned."""
    whole = sample[: len(sample) - len(sample) % width]
    try:
        text = codecs.getincrementaldecoder(codec)("strict").decode(whole)
    except UnicodeDecodeError:
        return False
    breaks = sum(char in _BREAKS for char in text)
    if len(text) >= _CHARS_PER_BREAK and breaks * _CHARS_PER_BREAK < len(text):
        return False
    # Three of four bytes leave no room for chance; pairs of bytes nearly always are some character.
    sure = width == 4 and len(text) > 1
    return (sure or any(ord(char) in _ASCII for char in text)) and not any(_is_odd(char) for char in text)


def _is_odd(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cn", "Co", "Cs"} and char not in "\t\n\v\f\r\x1b\x85"
