"""Settings and places: one validated value from a settings file, the environment and the defaults.

The only reader of environment variables and settings files. Environment wins over the file, the file over defaults;
each key stands in one table (``keys.KEYS``) with its default and its check, which the reference page is generated from.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.config.keys import KEYS, checked, checked_chunk
from gnomon.config.paths import expanded, real
from gnomon.config.settings_file import read_raw
from gnomon.errors import ConfigError, FolderError

if TYPE_CHECKING:
    from gnomon.values import Folder

_MAX_PROSE_BYTES = 5_000_000  # docs/decisions/0060
PROJECT_CONFIG = Path(".rag") / "config.json"
_ENVIRONMENT = {
    "config": ("GNOMON_CONFIG_PATH", "SS_CONFIG_PATH"),
    "index": ("GNOMON_INDEX_DIR", "SS_INDEX_DIR"),
    "models": ("GNOMON_MODEL_CACHE_DIR", "SS_MODEL_CACHE_DIR"),
    "store": ("GNOMON_STORE_BACKEND", "SS_STORE_BACKEND"),
}


@dataclass(frozen=True, slots=True)
class Config:
    """All settings, validated.

    Attributes:
        file: The settings file, existing or not.
        values: Every key of ``KEYS`` with its value in force.
        folders: Folders to search, in order, names unique.
        index_dir: Folder that holds the index.
        model_dir: Folder for models built on this machine.
        project_root: Root of the project whose ``.rag/config.json`` this is, or None for the user's own settings.
    """

    file: Path
    values: Mapping[str, Any]
    folders: tuple[Folder, ...]
    index_dir: Path
    model_dir: Path
    project_root: Path | None = None
    missing: tuple[Path, ...] = field(default=())

    def __getitem__(self, key: str) -> Any:
        """The value in force of a key of ``KEYS``."""
        return self.values[key]

    @property
    def model_name(self) -> str:
        """Model asked for, "" for the default."""
        return str(self.values["embedModel"] or self.values["modelName"])

    @property
    def ranking(self) -> str:
        """The policy in force: "hybrid" or "grounded"."""
        return str(self.values["ranking"]) or ("grounded" if self.values["vaultPath"] else "hybrid")


def user_config_file() -> Path:
    """Where the user's own settings are, unless the environment names another file."""
    return _base_dir("XDG_CONFIG_HOME", ".config") / "gnomon" / "config.json"


def data_dir() -> Path:
    """Where the index and built models are kept, unless the environment or the settings say otherwise."""
    return _base_dir("XDG_DATA_HOME", ".local/share") / "gnomon"


def working_dir() -> Path:
    """The working directory, the root where it was removed under us."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path(os.sep)


def environment(name: str) -> str:
    """One variable of the environment, "" where unset."""
    return os.environ.get(name, "")


def prepare_environment() -> None:
    """Keep numpy from threads of its own, which only slow a start (measured 40 ms), and the engine from telemetry."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"


def _base_dir(variable: str, fallback: str) -> Path:
    # The XDG specification has relative values ignored.
    value = os.environ.get(variable, "")
    return Path(value) if Path(value).is_absolute() else home_dir() / fallback


def home_dir() -> Path:
    """The user's home folder.

    Raises:
        ConfigError: Nobody knows it, as in a container for a user that the system has not; or it is relative.
    """
    home = expanded("~")
    if not home.is_absolute():
        raise ConfigError("nobody knows your home folder: set HOME, or both XDG_CONFIG_HOME and XDG_DATA_HOME")
    return home


def _from_environment(what: str) -> str:
    return next((os.environ[name] for name in _ENVIRONMENT[what] if os.environ.get(name)), "")


def find_config(explicit: str | None = None, *, walk: bool = True) -> Path:
    """The settings file that governs this call; it need not exist.

    Args:
        explicit: What ``--config`` says. A relative path is looked for under ``CLAUDE_PROJECT_DIR``, then from the
            working directory upwards, and else taken from the working directory.
        walk: Whether a project's ``.rag/config.json`` above the working directory is looked for.
    """
    if explicit:
        return _find_explicit(expanded(explicit))
    if named := _from_environment("config"):
        return expanded(named).absolute()
    if walk and (found := _upwards(PROJECT_CONFIG)):
        return found
    return user_config_file()


def _find_explicit(path: Path) -> Path:
    if path.is_absolute():
        return path
    if project := os.environ.get("CLAUDE_PROJECT_DIR"):
        return Path(project) / path
    return _upwards(path) or working_dir() / path


def _upwards(path: Path) -> Path | None:
    here = working_dir()
    return next((up / path for up in (here, *here.parents) if (up / path).is_file()), None)


def load_config(file: Path) -> Config:
    """Read and validate a settings file; an absent one means the defaults.

    Raises:
        ConfigError: Not readable, not JSON (line and column named), or a key with a value that makes no sense.
    """
    values = load_values(file)
    roots = named_roots(file, values)
    # Not by Path, which raises where the system refuses to look: that folder must not take the others with it.
    there = [os.path.isdir(root) for root in roots]  # noqa: PTH112
    return Config(
        file=file,
        values=values,
        folders=name_folders([root for root, is_there in zip(roots, there, strict=True) if is_there]),
        missing=tuple(root for root, is_there in zip(roots, there, strict=True) if not is_there),
        index_dir=_index_dir(file, values["indexPath"]),
        model_dir=Path(_from_environment("models") or data_dir() / "models"),
        project_root=file.parent.parent if file.parts[-2:] == PROJECT_CONFIG.parts else None,
    )


def load_values(file: Path) -> dict[str, Any]:
    """Every key of ``KEYS`` with its value in force, without a look at the folders: all that a hook has time for.

    Raises:
        ConfigError: As ``load_config``.
    """
    raw = read_raw(file)
    values = {name: checked(file, raw, name, key) for name, key in KEYS.items()}
    if not values["defaultRoots"] and "defaultRoot" in raw:
        values["defaultRoots"] = checked(file, raw, "defaultRoot", KEYS["defaultRoots"])
    if store := _from_environment("store"):
        values["storeBackend"] = checked(file, {"storeBackend": store}, "storeBackend", KEYS["storeBackend"])
    values["chunk"] = checked_chunk(file, values["chunk"])
    if values["maxProseBytes"] is None:
        # Whoever set the predecessor's one limit means it for every text.
        values["maxProseBytes"] = values["maxFileSizeBytes"] if "maxFileSizeBytes" in raw else _MAX_PROSE_BYTES
    return values


def named_roots(file: Path, values: Mapping[str, Any]) -> list[Path]:
    """The folders that settings name, as absolute real paths, existing or not.

    Raises:
        ConfigError: A text that cannot be a path.
    """
    return [_resolve(file, root) for root in (*values["defaultRoots"], values["vaultPath"]) if root]


def name_folders(roots: Sequence[Path]) -> tuple[Folder, ...]:
    """Folders with unique short names: the last part of the path, with its parents added where two are alike."""
    from gnomon.values import Folder  # a third of this module's import time, and the hook can do without

    unique = list(dict.fromkeys(real(root) for root in roots))
    names = [root.name or str(root) for root in unique]
    for depth in range(2, 64):
        doubles = {n for n in names if names.count(n) > 1}
        if not doubles:
            break
        names = ["/".join(r.parts[-depth:]) if n in doubles else n for n, r in zip(names, unique, strict=True)]
    return tuple(Folder(name, root) for name, root in zip(names, unique, strict=True))


def real_folder(path: str) -> Path:
    """The absolute real path of a folder the user named.

    Raises:
        FolderError: Missing, not a folder, or not readable.
    """
    if not path.strip():
        raise FolderError("no folder given: the name is empty")
    given = expanded(path)
    if not given.exists():
        raise FolderError(f"no such folder: {path}")
    if not given.is_dir():
        raise FolderError(f"not a folder: {path} (name the folder that holds it)")
    if not os.access(given, os.R_OK | os.X_OK):
        raise FolderError(f"folder cannot be read: {path} (check its permissions)")
    return real(given)


def _resolve(file: Path, path: str) -> Path:
    try:
        return real(file.parent / expanded(path))
    except ValueError as e:  # a NUL byte
        raise ConfigError(f"{file}: {json.dumps(path)} cannot be a path: {e}") from e


def is_local(index_path: str) -> bool:
    """Whether an ``indexPath`` is a path of this machine: neither of a bucket nor a corpus of a database."""
    return "://" not in index_path and not index_path.startswith("postgres:")


def index_place(file: Path, index_path: str) -> Path:
    """The folder of the index as a settings file alone has it, whatever the environment says.

    Where the index itself is elsewhere, the folder still holds its locks and its journal.
    """
    if index_path and is_local(index_path):
        place = _resolve(file, index_path)
        return place.parent / f"{place.stem}.gnomon" if place.suffix in {".db", ".sqlite"} else place
    if file.parts[-2:] == PROJECT_CONFIG.parts:
        return file.parent / "index"
    return data_dir() / "index"


def _index_dir(file: Path, index_path: str) -> Path:
    if named := _from_environment("index"):
        return expanded(named).absolute()
    return index_place(file, index_path)
