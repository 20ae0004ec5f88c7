"""The settings file as it lies on the disk: read, locked, and replaced in one step."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gnomon.config.paths import real
from gnomon.errors import ConfigError, GnomonError

_MAX_SETTINGS_BYTES = 1_000_000


def read_raw(file: Path) -> dict[str, Any]:
    """The settings file as JSON, {} where it does not exist; unknown keys included.

    Raises:
        ConfigError: Not readable or no JSON object; line and column are named.
    """
    try:
        if file.exists() and not (file.is_file() and file.stat().st_size <= _MAX_SETTINGS_BYTES):
            raise ConfigError(f"{file} is no settings file: a regular file of at most {_MAX_SETTINGS_BYTES:,} bytes")
        text = file.read_text("utf-8-sig")
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError as e:
        raise ConfigError(f"{file} is no text in UTF-8 ({e}); save it as such or move it away") from e
    except OSError as e:
        raise ConfigError(
            f"cannot read the settings file {file}: {e.strerror}; see to its rights, or move it away"
        ) from e
    try:
        raw = json.loads(text) if text.strip() else {}
    except json.JSONDecodeError as e:
        raise ConfigError(f"{file}, line {e.lineno}, column {e.colno}: {e.msg}; mend it or move it away") from e
    except (ValueError, RecursionError) as e:
        raise ConfigError(f"{file} cannot be read as settings: {e}; mend it or move it away") from e
    if not isinstance(raw, dict):
        raise ConfigError(f'{file}: a settings file is a JSON object, such as {{"defaultRoots": []}}')
    return raw


@contextmanager
def settings_lock(file: Path) -> Iterator[None]:
    """Keep others from changing a settings file between reading and writing it.

    Raises:
        ConfigError: The place cannot be written, or somebody held it for half a minute.
    """
    import filelock

    target = real(file)
    lock = filelock.FileLock(target.parent / f".{target.name}.lock", timeout=30)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except filelock.Timeout as e:
        raise ConfigError(f"another process is changing the settings file {file}; try again") from e
    except OSError as e:
        raise _unwritable(file, e) from e
    try:
        yield
    finally:
        lock.release()


def write_raw(file: Path, raw: Mapping[str, Any]) -> None:
    """Replace the settings file in one step; a link to it stays a link.

    Raises:
        ConfigError: The place cannot be written.
    """
    with replacing_raw(file, raw):
        pass


@contextmanager
def replacing_raw(file: Path, raw: Mapping[str, Any]) -> Iterator[None]:
    """Replace the settings file after what is done inside, which starts only when all but the last step has worked.

    Raises:
        ConfigError: The place cannot be written.
    """
    target = real(file)
    new = _write_beside(file, target, raw)
    try:
        yield
        new.replace(target)
    except BaseException as e:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        if isinstance(e, OSError) and not isinstance(e, GnomonError):
            raise _unwritable(file, e) from e
        raise


def readable_json(value: Any, **style: Any) -> str:
    r"""A value as JSON with letters as they are; all in ASCII where a file name in it is not text.

    >>> readable_json("café"), readable_json("caf\udce9")
    ('"café"', '"caf\\udce9"')
    """
    written = json.dumps(value, ensure_ascii=False, **style)
    try:
        written.encode()
    except UnicodeEncodeError:
        return json.dumps(value, **style)
    return written


def _write_beside(file: Path, target: Path, raw: Mapping[str, Any]) -> Path:
    import tempfile

    try:
        text = readable_json(raw, indent=2) + "\n"
    except RecursionError as e:
        raise ConfigError(f"{file} is nested too deeply to be written again; mend it or move it away") from e
    name = ""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        if target.exists():
            Path(name).chmod(target.stat().st_mode & 0o777)
    except OSError as e:
        if name:
            Path(name).unlink(missing_ok=True)
        raise _unwritable(file, e) from e
    return Path(name)


def _unwritable(file: Path, error: OSError) -> ConfigError:
    return ConfigError(f"cannot write the settings file {file}: {error.strerror or error} (name another with --config)")
