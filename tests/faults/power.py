"""What a disk holds after the power failed in the middle of a run of the program.

A run is recorded by ``strace``: every write, cut, sync, rename and removal in the folder of the index. What was synced
is on the disk. What was not may be there or not, in whole or in part and in any order; names of files are as they were
after some point between the last sync of the folder and the failure. The log's index (``-shm``) is memory: it is gone.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

_CALLS = "openat,write,pwrite64,ftruncate,fsync,fdatasync,rename,unlink"
# Every string as hexadecimal digits in full, each descriptor with its path, threads and children too.
_STRACE = ("strace", "-f", "-y", "-xx", "-s", "10000000", "-e", f"trace={_CALLS}", "-o")
_CALL = re.compile(r"(\w+)\((.*)\)\s+= (\d+)")
_SECTOR = 512

# Small enough that a run puts its log into the file several times.
_PROGRAM = """
import sys
import gnomon.store.connections as connections
connections._LOG_BYTES = 100_000
from gnomon.__main__ import run
sys.argv[0] = "gnomon"
sys.exit(run())
"""


@dataclass(frozen=True, slots=True)
class Operation:
    """What a run did to the folder.

    Attributes:
        kind: "make", "write", "cut", "sync", "move" or "remove".
        name: Of the file; "" is the folder.
        data: Written.
        at: Offset of what is written, None at the end; or the length that is left.
        goal: New name.
    """

    kind: Literal["make", "write", "cut", "sync", "move", "remove"]
    name: str
    data: bytes = b""
    at: int | None = None
    goal: str = ""


def record(folder: Path, arguments: Sequence[str], *, environment: dict[str, str]) -> list[Operation]:
    """Run the program and return all it did in a folder.

    Raises:
        AssertionError: It failed.
    """
    trace = folder.with_name(f"{folder.name}.trace")
    command = [*_STRACE, str(trace), sys.executable, "-c", _PROGRAM, *arguments]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    with trace.open(encoding="ascii") as lines:
        return [operation for line in _joined(lines) for operation in _operations(line, folder)]


def contents_of(folder: Path) -> dict[str, bytes]:
    """Name -> content of the files in a folder, without what lives in memory."""
    return {file.name: file.read_bytes() for file in folder.glob("*") if _name(folder, os.fsencode(file))}


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """Calls without their process ids; those that were interrupted by another thread's, in one piece."""
    begun: dict[str, str] = {}
    for line in lines:
        pid, _, call = line.rstrip().partition(" ")
        call = call.lstrip()
        if call.endswith("<unfinished ...>"):
            begun[pid] = call.removesuffix("<unfinished ...>")
        elif call.startswith("<... "):
            yield begun.pop(pid) + call.partition("resumed>")[2]
        else:
            yield call


def _operations(call: str, folder: Path) -> Iterator[Operation]:
    found = _CALL.match(call)
    if not found:
        return  # it failed, or is no call at all
    what, arguments, result = found.groups()
    strings = [
        bytes.fromhex(each.replace("\\x", "")) for each in re.findall(r'["<]((?:\\x[0-9a-f]{2})*)[">]', arguments)
    ]
    names = [_name(folder, string) for string in strings]
    numbers = [int(number) for number in re.findall(r", (\d+)", arguments)]
    match what:
        case "openat" if names[-1] and "O_CREAT" in arguments:
            yield Operation("make", names[-1])
            if "O_TRUNC" in arguments:
                yield Operation("cut", names[-1], at=0)
        case "write" if names[0]:
            yield Operation("write", names[0], strings[1][: int(result)])
        case "pwrite64" if names[0]:
            yield Operation("write", names[0], strings[1][: int(result)], numbers[-1])
        case "ftruncate" if names[0]:
            yield Operation("cut", names[0], at=numbers[-1])
        case "fsync" | "fdatasync" if names[0] is not None:
            yield Operation("sync", names[0])
        case "rename" if names[0] and names[1]:
            yield Operation("move", names[0], goal=names[1])
        case "unlink" if names[0]:
            yield Operation("remove", names[0])


def _name(folder: Path, path: bytes) -> str | None:
    """Name of a file of the folder, "" for the folder itself, None for what is elsewhere or lives in memory."""
    place = Path(os.fsdecode(path))
    if place == folder:
        return ""
    return place.name if place.parent == folder and not place.name.endswith("-shm") else None


@dataclass(slots=True)
class _File:
    """What is on the disk for certain, and what was done to it since."""

    safe: bytes = b""
    loose: list[Operation] = field(default_factory=list)

    def after(self, operations: Iterable[Operation]) -> bytes:
        content = bytearray(self.safe)
        for operation in operations:
            if operation.kind == "cut":
                del content[operation.at :]
                content.extend(bytes((operation.at or 0) - len(content)))
            else:
                at = len(content) if operation.at is None else operation.at
                content.extend(bytes(max(at - len(content), 0)))
                content[at : at + len(operation.data)] = operation.data
        return bytes(content)


class Disk:
    """A folder on a disk that keeps what was synced and, of the rest, what chance keeps."""

    def __init__(self, contents: dict[str, bytes]) -> None:
        """Begin with these files, all of them safe."""
        self._names = {name: _File(content) for name, content in contents.items()}
        self._safe_names = dict(self._names)
        self._loose_names: list[dict[str, _File]] = []  # after each change since the folder was synced

    def apply(self, operation: Operation) -> None:
        """Do what the run did."""
        name = operation.name
        match operation.kind:
            case "make" if name not in self._names:
                self._rename({**self._names, name: _File()})
            case "move":
                left = {each: file for each, file in self._names.items() if each != name}
                self._rename({**left, operation.goal: self._names[name]})
            case "remove":
                self._rename({each: file for each, file in self._names.items() if each != name})
            case "sync":
                self._sync(name)
            case "write" | "cut":
                self._names[name].loose.append(operation)

    def _rename(self, names: dict[str, _File]) -> None:
        self._names = names
        self._loose_names.append(names)

    def _sync(self, name: str) -> None:
        if not name:
            self._safe_names = self._names
            self._loose_names.clear()
        elif name in self._names:
            file = self._names[name]
            file.safe = file.after(file.loose)
            file.loose.clear()

    def after_power_loss(self, rng: random.Random) -> dict[str, bytes]:
        """Name -> content as the next start may find it."""
        names = rng.choice([self._safe_names, *self._loose_names])
        in_order = rng.random() < 0.5
        return {name: file.after(_kept(file.loose, rng, in_order=in_order)) for name, file in names.items()}


def _kept(loose: Sequence[Operation], rng: random.Random, *, in_order: bool) -> Iterator[Operation]:
    """Those of the loose operations that reached the disk: the first ones, or any; one in four writes only in part."""
    upto = rng.randrange(len(loose) + 1) if in_order else len(loose)
    for position, operation in enumerate(loose[:upto]):
        if not in_order and rng.random() < 0.5:
            continue
        torn = position == upto - 1 if in_order else rng.random() < 0.25
        if torn and len(operation.data) > _SECTOR and operation.at is not None:
            keep = _SECTOR * rng.randrange(len(operation.data) // _SECTOR)
            yield Operation("write", operation.name, operation.data[:keep], operation.at)
        else:
            yield operation
