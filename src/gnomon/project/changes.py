"""A plan of file changes, and the one way to carry it out: all of it, or none."""

from __future__ import annotations

import difflib
import os
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from gnomon.config.paths import real
from gnomon.errors import ConfigError, ConfinementError
from gnomon.project.json_edit import ShapeError
from gnomon.project.jsonc import JsonSyntaxError

_CONTEXT_LINES = 2
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file as it is and as it should be.

    Attributes:
        path: The file; a link is followed when it is written.
        before: Its text, None where there is no such file.
        after: The text it gets, line ends included; None where it is to go.
    """

    path: Path
    before: str | None
    after: str | None

    @property
    def is_needed(self) -> bool:
        """Whether the file is not yet as it should be; an absent one is as good as an empty one."""
        if self.after is None:
            return self.before is not None
        return (self.before or "") != self.after


def read_text(path: Path) -> str | None:
    """The text of a file, line ends and byte order mark kept; None where there is none.

    Raises:
        ConfigError: It cannot be read, or is not UTF-8.
    """
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as e:
        raise ConfigError(f"{path} is not UTF-8 (byte {e.start}); mend it or move it away, nothing was written") from e
    except OSError as e:
        raise ConfigError(f"cannot read {path}: {e.strerror or e}; nothing was written") from e


@contextmanager
def editing(path: Path) -> Iterator[None]:
    """Name the file in what goes wrong while its text is read or edited.

    Raises:
        ConfigError: Its text is broken, or has another shape than its reader asks for.
    """
    try:
        yield
    except JsonSyntaxError as e:
        raise ConfigError(
            f"{path}, line {e.line}, column {e.column}: {e.reason}; mend it or move it away, nothing was written"
        ) from e
    except (ShapeError, RecursionError) as e:
        raise ConfigError(f"{path}: {e}; mend it or move it away, nothing was written") from e


def confined(root: Path, relative: str | Path) -> Path:
    """A path inside a project.

    Args:
        root: Absolute real path of the project.
        relative: Where in it; links on the way are allowed as long as they stay inside.

    Raises:
        ConfinementError: It leads out of the project.
    """
    path = root / relative
    if not real(path).is_relative_to(root):
        raise ConfinementError(f"{path} leads out of the project, to {real(path)}; nothing was written")
    return path


def unified_diff(change: FileChange) -> str:
    """What a change would do, as ``diff -u`` shows it; "" where it does nothing."""
    old, new = (_LINE.findall(text or "") for text in (change.before, change.after))
    name = str(change.path)
    source, target = ("/dev/null" if text is None else name for text in (change.before, change.after))
    lines = difflib.unified_diff(old, new, source, target, n=_CONTEXT_LINES)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def apply(changes: Sequence[FileChange]) -> None:
    """Write every change that is needed, each file in one step; when one fails, those before it are put back.

    Raises:
        ConfigError: A file changed since the plan was made, or a place cannot be written.
    """
    needed = [change for change in changes if change.is_needed]
    for change in needed:
        if read_text(change.path) != change.before:
            raise ConfigError(f"{change.path} was changed by another program meanwhile; nothing was written, try again")
    staged: list[tuple[Path | None, Path, FileChange]] = []
    written: list[FileChange] = []
    try:
        for change in needed:
            target = real(change.path)
            target.parent.mkdir(parents=True, exist_ok=True)
            new = None if change.after is None else _write_beside(target, change.after)
            staged.append((new, target, change))
        for temporary, target, change in staged:
            if temporary is None:
                target.unlink()
            else:
                temporary.replace(target)
            written.append(change)
    except OSError as e:
        _put_back(written)
        raise ConfigError(f"cannot write {e.filename2 or e.filename}: {e.strerror or e}; nothing was changed") from e
    finally:
        for temporary, _, _ in staged:
            if temporary is not None:
                temporary.unlink(missing_ok=True)


def _write_beside(target: Path, text: str) -> Path:
    """A complete file next to its target, with the target's permissions."""
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)  # less the user's umask
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(text.encode())
            out.flush()
            os.fsync(out.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o777)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _put_back(changes: Sequence[FileChange]) -> None:
    for change in changes:
        with suppress(OSError):
            if change.before is None:
                real(change.path).unlink()
            else:
                _write_beside(real(change.path), change.before).replace(real(change.path))
